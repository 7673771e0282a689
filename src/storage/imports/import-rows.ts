// Checks or applies the rows of one part of a file.

import type { Database } from '../../database/database.ts'
import { type RowRequest, toRequest } from '../../resources/import/cells.ts'
import type { Columns } from '../../resources/import/columns.ts'
import { type Creations, prepareCreations } from '../../resources/records/create-many.ts'
import { createRecord, updateRecord } from '../../resources/records/records.ts'
import { noPrecondition, type StoredRecord } from '../../resources/records/target.ts'
import { byId, type Resource } from '../../resources/resource.ts'
import type { Values } from '../../resources/validate.ts'
import type { RowError } from './import.ts'
import { type FailedRow, type FileRow, insertValues } from './import-tables.ts'
import { lookUp } from './lookups.ts'
import {
  check,
  errorsOf,
  type Importing,
  isUnchanged,
  type Outcome,
  RowFailure,
  type RowImport,
  readRow,
} from './read-row.ts'

export type RowCounts = Record<Outcome, number>

/** How many rows were applied, or would be, and the rows that failed. */
export type RowResults = { counts: RowCounts; failures: FailedRow[] }

/** What would become of a row. `before`: the record that it updates. `values`: those that it sets, or its cells if it fails. */
export type RowPreview = { row: number; cells: string[]; before: StoredRecord | null } & (
  | { outcome: Outcome; values: Values }
  | { outcome: 'invalid'; errors: RowError[] }
)

/** With `stopAtFailure`, the rows after the first one that fails are not looked at. */
export async function importRows(
  database: Database,
  rowImport: RowImport,
  rows: readonly FileRow[],
  stopAtFailure = false,
): Promise<RowResults> {
  const { columns, jobId } = rowImport
  const results: RowResults = { counts: { created: 0, updated: 0, unchanged: 0 }, failures: [] }
  const { importing, requests } = await prepare(database, rowImport, rows)
  const read = rows.map((row, at) => readOrFail(importing, row, requests[at]!))
  const creations = await prepareToCreate(database, rowImport, read)
  for (const [at, row] of rows.entries()) {
    try {
      results.counts[await importRow(database, importing, row, read[at]!, creations)]++
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      results.failures.push({ ...row, errors: inColumnOrder(columns, error.errors) })
      if (stopAtFailure) break
    }
  }
  await creations?.write()
  if (!rowImport.context) await insertValues(database, jobId, importing.firsts)
  return results
}

/** What would become of these rows of a checked file. */
export async function previewRows(
  database: Database,
  rowImport: Omit<RowImport, 'context'>,
  rows: readonly FileRow[],
): Promise<RowPreview[]> {
  const { importing, requests } = await prepare(database, { ...rowImport, context: null }, rows)
  return rows.map((row, at) => {
    try {
      const { record = null, values } = readRow(importing, row, requests[at]!)
      if (record && isUnchanged(record, values)) return { ...row, outcome: 'unchanged', before: record, values }
      return { ...row, outcome: check(importing, row, values, record ?? undefined), before: record, values }
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      return { ...row, outcome: 'invalid', before: null, errors: inColumnOrder(rowImport.columns, error.errors) }
    }
  })
}

/** Looks up what all the rows need. */
async function prepare(
  database: Database,
  rowImport: RowImport,
  rows: readonly FileRow[],
): Promise<{ importing: Importing; requests: RowRequest[] }> {
  const { columns, resource, jobId } = rowImport
  const requests = rows.map(({ cells }) => toRequest(resource, columns, cells))
  const matchBy = columns.match === null ? null : columns.columns[columns.match]!.target!.name
  const unique = rowImport.context ? [] : uniqueFields(resource, columns, matchBy)
  const lookups = await lookUp(database, jobId, resource, requests, { matchBy, unique })
  return { importing: { ...rowImport, matchBy, unique, lookups, firsts: [] }, requests }
}

/** Errors that concern no column come last. */
function inColumnOrder({ columns }: Columns, errors: readonly RowError[]): RowError[] {
  const position = ({ column }: RowError) =>
    column === null ? columns.length : columns.findIndex(({ title }) => title === column)
  return errors.toSorted((one, other) => position(one) - position(other))
}

/** The unique fields of the file, besides the one that identifies records. */
function uniqueFields({ fields }: Resource, { columns }: Columns, matchBy: string | null): string[] {
  return columns.flatMap(({ target }) =>
    target?.kind === 'field' && fields[target.name]!.unique && target.name !== matchBy ? [target.name] : [],
  )
}

/** What is left to do with a row that has been read. */
type ReadRow = ReturnType<typeof readRow> | RowFailure

function readOrFail(importing: Importing, row: FileRow, request: RowRequest): ReadRow {
  try {
    return readRow(importing, row, request)
  } catch (error) {
    if (error instanceof RowFailure) return error
    throw error
  }
}

/** Looks up what the rows without a record need to become new ones; null if no rows are applied. */
async function prepareToCreate(
  database: Database,
  { resource, context }: RowImport,
  read: readonly ReadRow[],
): Promise<Creations | null> {
  const givens = read.flatMap((each) => (each instanceof RowFailure || each.record ? [] : { values: each.values }))
  return context && prepareCreations(database, { resource, context }, givens)
}

/** Throws RowFailure. */
async function importRow(
  database: Database,
  importing: Importing,
  row: FileRow,
  read: ReadRow,
  creations: Creations | null,
): Promise<Outcome> {
  if (read instanceof RowFailure) throw read
  const { record, values } = read
  if (record && isUnchanged(record, values)) return 'unchanged'
  if (!creations) return check(importing, row, values, record)
  if (!record && (await creations.create({ values }))) return 'created'
  await creations.write()
  const outcome = await apply(database, importing, row, values, record)
  creations.noteWritten(values)
  return outcome
}

/** Throws RowFailure before the first write, if at all. */
async function apply(
  database: Database,
  importing: Importing,
  { row }: FileRow,
  values: Values,
  record: StoredRecord | undefined,
): Promise<Outcome> {
  const { resource } = importing
  const change = { resource, values, context: importing.context!, precondition: noPrecondition }
  try {
    if (!record) await createRecord(database, change)
    else await updateRecord(database, { ...change, key: byId(record.id) })
  } catch (error) {
    throw new RowFailure(errorsOf(importing, row, error))
  }
  return record ? 'updated' : 'created'
}
