// Removes a person's data from imported files: from rows that are still to be imported, and from rows that failed.
// These rows are not records, so the person's rows are found by identifying values, such as the email address.

import type { Awaitable, Database } from '../../engine/database/database.ts'
import { cleanText } from '../../lib/text.ts'
import type { Resource } from '../declarations/resource.ts'
import { erasedText } from '../fields/personal-fields.ts'
import { type ImportInput, importKind, withErasedValues, withoutSamples } from '../imports/import.ts'
import { findImportJob } from '../imports/operations.ts'
import { updateJobInput } from '../jobs/job.ts'
import { pack, parsePart, unpack, writePart } from '../jobs/job-parts.ts'

type EraseCells = (cells: string[]) => string[]

/** The columns with the cells of rows, as JSON. `pageSize`: how many table rows one statement reads. A row of
 *  `job_parts` contains up to 50 rows of a file. */
const cellColumns = [
  {
    table: 'job_parts',
    column: 'content',
    pageSize: 10,
    eraseJson: (json: string, eraseCells: EraseCells) =>
      writePart(parsePart(json).map(({ row, cells }) => ({ row, cells: eraseCells(cells) }))),
  },
  {
    table: 'job_failures',
    column: 'cells',
    pageSize: 200,
    eraseJson: (json: string, eraseCells: EraseCells) => JSON.stringify(eraseCells(JSON.parse(json))),
  },
] as const

/** `identifying`: values that identify the person, in lower case. `eraseText`: erases these and the person's name. */
type ImportedPerson = { resource: Resource; identifying: ReadonlySet<string>; eraseText: (text: string) => string }

/** Returns how many rows contained one of the identifying values. */
export async function eraseImportRows(
  database: Database,
  { resource, identifying, eraseText }: ImportedPerson,
  pause: () => Awaitable<void>,
): Promise<number> {
  if (identifying.size === 0) return 0
  const resources = await importedResources(database)
  if (resources.size === 0) return 0
  await eraseInputs(database, [...resources.keys()], eraseText, pause)
  let rows = 0
  const eraseCells = (jobId: number, cells: string[]): string[] => {
    const isIdentifying = (cell: string) => identifying.has(cleanText(cell).toLowerCase())
    if (!cells.some(isIdentifying)) return cells
    rows++
    const isOfPerson = resources.get(jobId) === resource.name
    return cells.map((cell) => (isOfPerson || isIdentifying(cell) ? erasedText : cell))
  }
  for (const { table, column, pageSize, eraseJson } of cellColumns) {
    const sql = `select seq, job_id, ${column} as packed from ${table} where seq > ? order by seq limit ${pageSize}`
    for (let last = 0; ; ) {
      const page = await database.all<{ seq: number; job_id: number; packed: string }>(sql, [last])
      for (const { seq, job_id: jobId, packed } of page) {
        const json = unpack(packed)
        if (!mayContain(json, identifying)) continue
        const erased = eraseJson(json, (cells) => eraseCells(jobId, cells))
        database.runDeferred(`update ${table} set ${column} = ? where seq = ?`, [pack(erased), seq])
      }
      const lastRow = page.at(-1)
      if (!lastRow) break
      last = lastRow.seq
      await pause()
    }
  }
  await deleteValues(database, [...resources.keys()], identifying, pause)
  return rows
}

async function importedResources(database: Database): Promise<Map<number, string>> {
  const sql = 'select id, input from jobs where kind = ?'
  const jobs = await database.all<{ id: number; input: string }>(sql, [importKind])
  const resourceOf = (input: string): string => (JSON.parse(input) satisfies ImportInput).resource
  return new Map(jobs.map(({ id, input }) => [id, resourceOf(input)]))
}

/** Erases the values that were given for all rows of a file, and deletes the samples that imports keep of their columns,
 *  whoever they are about: a name in one column cannot be told from the name of somebody else. */
async function eraseInputs(
  database: Database,
  jobIds: readonly number[],
  eraseText: (text: string) => string,
  pause: () => Awaitable<void>,
): Promise<void> {
  for (const id of jobIds) {
    const job = await findImportJob(database, id)
    const erased = job && withErasedValues(withoutSamples(job.input), eraseText)
    if (erased && JSON.stringify(erased) !== JSON.stringify(job.input)) updateJobInput(database, id, erased)
    await pause()
  }
}

/** Whether the JSON text may contain one of these values. Only such texts are parsed: parsing every text would take ten
 *  times as long. */
function mayContain(json: string, identifying: ReadonlySet<string>): boolean {
  const text = json.toLowerCase()
  return [...identifying].some((value) => text.includes(JSON.stringify(value).slice(1, -1)))
}

/** Deletes the person's values from `import_values`, which contains the values that must be unique in a file. */
async function deleteValues(
  database: Database,
  jobIds: readonly number[],
  identifying: ReadonlySet<string>,
  pause: () => Awaitable<void>,
): Promise<void> {
  for (const jobId of jobIds) {
    for (const value of identifying)
      database.runDeferred('delete from import_values where job_id = ? and lower(value) = ?', [jobId, value])
    await pause()
  }
}
