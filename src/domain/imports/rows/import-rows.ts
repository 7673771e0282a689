// Checks, previews or applies the rows in one part of a file.

import type { Database } from '../../../engine/database/database.ts'
import { byId, type Resource, stockFieldOf } from '../../declarations/resource.ts'
import type { Values } from '../../fields/validate.ts'
import type { CellError, FailedRow, PartRow } from '../../jobs/job-parts.ts'
import type { StoredRecord } from '../../records/changes.ts'
import { type Creations, prepareCreations } from '../../records/create-many.ts'
import { createRecord, updateRecord } from '../../records/records.ts'
import type { FileColumns } from '../columns/columns.ts'
import { repeatTest } from '../file/repeated-values.ts'
import { type RowError, toRowErrors } from '../import.ts'
import { type NextTags, prepareTags, tagsOfRows } from './assign-tags.ts'
import { insertValues, lookUp } from './lookups.ts'
import {
  checkUniqueValues,
  isUnchanged,
  type PreparedImport,
  type ReadRow,
  type RowImport,
  type RowOutcome,
  readRow,
} from './read-row.ts'
import { errorsOf, RowFailure } from './row-errors.ts'
import { type RowRequest, toRequest } from './row-request.ts'

export type RowCounts = Record<RowOutcome, number>

/** The number of rows that were or would be applied, by outcome, and the rows that failed. `existing`: for each distinctive
 *  field, how many rows would create a record with a value that an existing record has. `kept`: for each field, in
 *  how many rows its cell is damaged. */
export type RowResults = {
  counts: RowCounts
  existing: Record<string, number>
  kept: Record<string, number>
  failures: FailedRow[]
}

/** What importing a row would do. `before`: the record that the row would update; null if there is none. `values`: the
 *  values that the row sets, with the member for a stock that must be created. */
export type RowPreview = { row: number; cells: string[]; before: StoredRecord | null } & (
  | { outcome: RowOutcome; values: Values }
  | { outcome: 'invalid'; errors: (RowError & { field?: string | undefined })[] }
)

/** If `stopAtFailure` is true, the rows after the first failed row are not applied. */
export async function importRows(
  database: Database,
  rowImport: RowImport,
  rows: readonly PartRow[],
  stopAtFailure = false,
): Promise<RowResults> {
  const { jobId } = rowImport
  const results: RowResults = { counts: { created: 0, updated: 0, unchanged: 0 }, existing: {}, kept: {}, failures: [] }
  const { prepared, requests } = await prepare(database, rowImport, rows)
  const readRows = rows.map((row, index) => tryReadRow(prepared, row, requests[index]!))
  const writer = await prepareToCreate(database, prepared, readRows)
  for (const [index, row] of rows.entries()) {
    try {
      const outcome = await importRow(database, prepared, readRows[index]!, writer)
      results.counts[outcome]++
      if (outcome === 'created') countExisting(prepared, readRows[index]!, results.existing)
      countDamaged(readRows[index]!, results.kept)
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      results.failures.push({ ...row, errors: inColumnOrder(error.errors) })
      if (stopAtFailure) break
    }
  }
  await writer?.creations.write()
  writer?.tags?.write()
  if (!rowImport.context) {
    const tags = rowImport.columns.assignsTag ? tagsOfRows(prepared.resource, rows, requests) : []
    await insertValues(database, jobId, [...prepared.firstValues, ...tags])
  }
  return results
}

export async function previewRows(
  database: Database,
  rowImport: Omit<RowImport, 'context'>,
  rows: readonly PartRow[],
): Promise<RowPreview[]> {
  const { prepared, requests } = await prepare(database, { ...rowImport, context: null }, rows)
  return rows.map((row, index) => {
    try {
      const read = readRow(prepared, row, requests[index]!)
      const outcome = isUnchanged(read) ? 'unchanged' : checkUniqueValues(prepared, read)
      const { stock } = stockFieldOf(prepared.resource) ?? {}
      const newStock = stock && read.stockOf !== undefined ? { [stock.member]: read.stockOf.value } : {}
      return { ...row, outcome, before: read.record ?? null, values: { ...read.values, ...newStock } }
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      const cellErrors = inColumnOrder(error.errors)
      const rowErrors = toRowErrors(rowImport.columns, { row: row.row, errors: cellErrors })
      const errors = rowErrors.map((each, at) => ({ ...each, field: cellErrors[at]!.field }))
      return { ...row, outcome: 'invalid', before: null, errors }
    }
  })
}

/** Looks up the data that the rows need, for all rows together. */
async function prepare(
  database: Database,
  rowImport: RowImport,
  rows: readonly PartRow[],
): Promise<{ prepared: PreparedImport; requests: RowRequest[] }> {
  const { columns, resource, resources, jobId } = rowImport
  const requests = rows.map(({ cells }) => toRequest(resource, columns, cells))
  const matchBy = columns.match === null ? null : columns.columns[columns.match]!.target!.name
  const unique = rowImport.context ? [] : uniqueFields(resource, columns, matchBy)
  const distinctive = rowImport.context ? [] : distinctiveFields(resource, columns).filter((name) => name !== matchBy)
  const mayRepeat = columns.repeated === undefined ? () => true : repeatTest(resource, columns)
  const keyFields = { jobId, resource, resources, matchBy, unique, distinctive, mayRepeat }
  const lookups = await lookUp(database, keyFields, requests)
  return { prepared: { ...rowImport, ...keyFields, lookups, firstValues: [] }, requests }
}

/** Sorts the errors by column. Errors that do not concern a single column come last. */
function inColumnOrder(errors: readonly CellError[]): CellError[] {
  const position = ({ column }: CellError) => column ?? Number.MAX_SAFE_INTEGER
  return errors.toSorted((a, b) => position(a) - position(b))
}

/** Returns the distinctive fields that the file has columns for. */
function distinctiveFields({ fields }: Resource, { columns }: FileColumns): string[] {
  return columns.flatMap(({ target }) =>
    target?.kind === 'field' && fields[target.name]!.isDistinctive ? [target.name] : [],
  )
}

function countDamaged(row: ReadRow | RowFailure, counts: RowResults['kept']): void {
  if (row instanceof RowFailure) return
  for (const name of row.damaged) counts[name] = (counts[name] ?? 0) + 1
}

function countExisting(
  { distinctive, lookups, resource }: PreparedImport,
  row: ReadRow | RowFailure,
  counts: RowResults['existing'],
): void {
  if (row instanceof RowFailure) return
  for (const by of distinctive) {
    const value = row.values[by] ?? null
    if (value !== null && lookups.find({ resource: resource.name, by, value: String(value) }))
      counts[by] = (counts[by] ?? 0) + 1
  }
}

/** Returns the unique fields that the file has columns for, except the field that identifies records. */
function uniqueFields({ fields }: Resource, { columns }: FileColumns, matchBy: string | null): string[] {
  return columns.flatMap(({ target }) =>
    target?.kind === 'field' && fields[target.name]!.unique && target.name !== matchBy ? [target.name] : [],
  )
}

function tryReadRow(prepared: PreparedImport, row: PartRow, request: RowRequest): ReadRow | RowFailure {
  try {
    return readRow(prepared, row, request)
  } catch (error) {
    if (error instanceof RowFailure) return error
    throw error
  }
}

/** What writes the rows: new records together, with the tags that they ask for. `tags`: null if no row asks for one. */
type Writer = { creations: Creations; tags: NextTags | null }

/** Prepares to create records for the rows that do not update one. Returns null if the rows are only being checked. */
async function prepareToCreate(
  database: Database,
  prepared: PreparedImport,
  rows: readonly (ReadRow | RowFailure)[],
): Promise<Writer | null> {
  const { resource, context } = prepared
  if (!context) return null
  const inputs = rows.flatMap((row) =>
    row instanceof RowFailure || row.record || row.stockOf ? [] : { values: row.values },
  )
  const creations = await prepareCreations(database, { resource, context }, inputs)
  const asking = rows.filter((row) => !(row instanceof RowFailure) && row.assignsTag).length
  return { creations, tags: asking > 0 ? await prepareTags(database, prepared, asking) : null }
}

/** Throws RowFailure. */
async function importRow(
  database: Database,
  prepared: PreparedImport,
  read: ReadRow | RowFailure,
  writer: Writer | null,
): Promise<RowOutcome> {
  if (read instanceof RowFailure) throw read
  if (isUnchanged(read)) return 'unchanged'
  if (!writer) return checkUniqueValues(prepared, read)
  const { creations, tags } = writer
  const { record, stockOf } = read
  const values = tags ? tags.valuesOf(read) : read.values
  if (!record && !stockOf && (await creations.create({ values }))) {
    tags?.noteCreated(read)
    return 'created'
  }
  await creations.write()
  const { resource, stockCreation } = prepared
  const change = { resource, values, context: prepared.context!, stockCreation, ...(stockOf && { stockOf }) }
  try {
    if (!record) await createRecord(database, change)
    else await updateRecord(database, { ...change, key: byId(record.id) })
  } catch (error) {
    throw new RowFailure(errorsOf(prepared, error)) // nothing has been written yet
  }
  creations.noteWritten(values)
  tags?.noteCreated(read)
  return record ? 'updated' : 'created'
}
