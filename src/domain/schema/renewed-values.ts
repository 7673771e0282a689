// The steps of migrations that bring stored values into the form in which they are stored now.

import type { Database, Row, Value } from '../../engine/database/database.ts'
import type { Resource } from '../declarations/resource.ts'
import type { FileColumns } from '../imports/columns/columns.ts'
import type { Assumption } from '../imports/file/assumptions.ts'
import { searchedFields } from '../lists/request/options.ts'
import { columnsOfText, isSearched, searchColumn, searchText } from '../search/fold.ts'
import { createDeferredIndexesIfLarge, dropDeferredIndexes } from './derived.ts'

const [maxTitle, maxColumns, maxAssumptions, maxFailures] = [200, 500, 100, 10_000]

/** The parts of an import's input that change. */
type FormerInput = { columns: FileColumns; assumptions: (Assumption | FormerAssumption)[] }

/** There was an assumption for each ignored column. */
type FormerAssumption = { code: 'ignored_column'; column?: string }

type FormerError = { column: string | null; code: string; message: string }

/** Brings imports of version 1.0.0, which had no limits, into the form in which imports are stored now: titles,
 *  columns, assumptions and failed rows within the limits, and errors that refer to a column by its index. One job at a
 *  time is read, because an import of a very wide file has megabytes. */
export async function boundImports(database: Database): Promise<void> {
  const titlesByJob = new Map<number, string[]>()
  for (const { id } of await database.all(`select id from jobs where kind = 'import' order by id`)) {
    const job = await database.get('select state, input from jobs where id = ?', [id!])
    const input = JSON.parse(job!.input as string) as FormerInput
    titlesByJob.set(
      id as number,
      input.columns.columns.map(({ title }) => title),
    )
    const bounded = boundInput(input, endStates.includes(job!.state as string))
    await database.run('update jobs set input = ? where id = ?', [JSON.stringify(bounded), id!])
    await deleteSurplusFailures(database, id as number)
  }
  await convertErrors(database, titlesByJob)
}

/** In these states, the rows of the file are not read again, so surplus columns are not needed. */
const endStates = ['done', 'failed', 'cancelled', 'undone']

function boundInput(input: FormerInput, hasEnded: boolean): FormerInput {
  const columns = hasEnded ? input.columns.columns.slice(0, maxColumns) : input.columns.columns
  const ignored = input.assumptions.filter(({ code }) => code === 'ignored_column').slice(0, maxColumns)
  const others = input.assumptions.filter(({ code }) => code !== 'ignored_column')
  const shared: Assumption = { code: 'ignored_columns', columns: ignored.map(({ column }) => shorten(column!)) }
  const assumptions = [...(ignored.length > 0 ? [shared] : []), ...others].slice(0, maxAssumptions)
  return {
    ...input,
    columns: { ...input.columns, columns: columns.map((column) => ({ ...column, title: shorten(column.title) })) },
    assumptions: assumptions.map((each) =>
      each.column === undefined ? each : { ...each, column: shorten(each.column) },
    ),
  }
}

function shorten(title: string): string {
  const characters = [...title.slice(0, 2 * maxTitle)]
  return characters.length > maxTitle || title.length > 2 * maxTitle ? characters.slice(0, maxTitle).join('') : title
}

/** Keeps the first failed rows of each pass. */
async function deleteSurplusFailures(database: Database, jobId: number): Promise<void> {
  const sql = `delete from job_failures where seq in (
    select seq from (
      select seq, row_number() over (partition by pass order by row) as number from job_failures where job_id = ?
    ) as numbered where number > ${maxFailures}
  )`
  await database.run(sql, [jobId])
}

/** The errors of a row can have megabytes, because each contained its column's title. */
const rowsPerPage = 20

async function convertErrors(database: Database, titlesByJob: ReadonlyMap<number, readonly string[]>): Promise<void> {
  const sql = `select seq, job_id, errors from job_failures where seq > ? order by seq limit ${rowsPerPage}`
  for (let last = 0; ; ) {
    const rows = await database.all(sql, [last])
    for (const { seq, job_id: jobId, errors } of rows) {
      const titles = titlesByJob.get(jobId as number) ?? []
      const converted = (JSON.parse(errors as string) as FormerError[]).map((error) => convertError(error, titles))
      database.runDeferred('update job_failures set errors = ? where seq = ?', [JSON.stringify(converted), seq!])
    }
    if (rows.length < rowsPerPage) return
    last = rows.at(-1)!.seq as number
  }
}

function convertError({ column, code, message }: FormerError, titles: readonly string[]) {
  const index = column === null ? -1 : titles.indexOf(column)
  if (index >= 0 && index < maxColumns) return [index, code, message]
  return [null, code, column === null ? message : `${shorten(column)}: ${message}`]
}

/** How many records one query reads. */
const batchSize = 1000

/** Updates the stored search texts of existing records to the current format (domain/search/fold.ts). Changes only the
 *  records whose search text would differ in the current format. */
export async function renewSearchTexts(database: Database, resources: readonly Resource[]): Promise<void> {
  for (const resource of resources) if (isSearched(resource)) await renew(database, resource)
}

/** PostgreSQL would update every index for each changed record, so its deferred indexes are dropped before the first
 *  change and recreated at the end. On SQLite only the search index changes, and it is updated later in batches. */
async function renew(database: Database, resource: Resource): Promise<void> {
  const { name } = resource
  const columns = [...new Set(['id', searchColumn, ...searchedFields(resource)])].join(', ')
  const selectSql = `select ${columns} from ${name} where id > ? order by id limit ${batchSize}`
  let mustRebuild: boolean | undefined
  for (let last: Value = 0; ; ) {
    const rows: Row[] = await database.all(selectSql, [last])
    const outdated = rows.filter((row) => row[searchColumn] !== searchText(resource, row))
    if (outdated.length > 0)
      mustRebuild ??= database.engine === 'postgres' && (await dropDeferredIndexes(database, resource))
    for (const row of outdated) {
      const renewed = columnsOfText(database.engine, searchText(resource, row))
      const sets = Object.keys(renewed).map((column) => `${column} = ?`)
      database.runDeferred(`update ${name} set ${sets.join(', ')} where id = ?`, [...Object.values(renewed), row.id!])
    }
    if (rows.length < batchSize) break
    last = rows.at(-1)!.id!
  }
  if (mustRebuild) await createDeferredIndexesIfLarge(database, resource)
}
