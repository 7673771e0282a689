// Checks or applies the rows of one part of a file. Every row passes the validation of a JSON request.

import type { Database } from '../../database/database.ts'
import { Problem } from '../../problem.ts'
import type { FieldError } from '../../resources/field-values.ts'
import { type GivenReference, type RowRequest, toRequest } from '../../resources/import/cells.ts'
import type { Columns } from '../../resources/import/columns.ts'
import type { ChangeContext } from '../../resources/records/changes.ts'
import { createRecord, updateRecord } from '../../resources/records/records.ts'
import type { StoredRecord } from '../../resources/records/target.ts'
import { byId, type Resource } from '../../resources/resource.ts'
import { type Values, validateChanges, validateNew } from '../../resources/validate.ts'
import { noPrecondition } from '../idempotency.ts'
import type { RowError } from './import.ts'
import { type FailedRow, type FileRow, insertValues } from './import-tables.ts'
import { canBeStored, type Lookups, lookUp, readIdCell } from './lookups.ts'

/** `context`: set to apply the rows; null to find out what would be done. */
export type RowImport = {
  jobId: number
  resource: Resource
  columns: Columns
  context: ChangeContext | null
}

export type RowCounts = { created: number; updated: number; unchanged: number }

/** How many rows were applied, or would be, and the rows that failed. */
export type RowResults = { counts: RowCounts; failures: FailedRow[] }

export type Outcome = keyof RowCounts

/** What would become of a row. `before`: the record that it updates. `values`: those that it sets, or its cells if it fails. */
export type RowPreview = { row: number; cells: string[]; before: StoredRecord | null } & (
  | { outcome: Outcome; values: Values }
  | { outcome: 'invalid'; errors: RowError[] }
)

/** A row does not fit the data or the rules. */
class RowFailure extends Error {
  readonly errors: RowError[]

  constructor(errors: RowError[]) {
    super('a row failed')
    this.errors = errors
  }
}

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
  for (const [at, row] of rows.entries()) {
    try {
      results.counts[await importRow(database, importing, row, requests[at]!)]++
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      results.failures.push({ ...row, errors: inColumnOrder(columns, error.errors) })
      if (stopAtFailure) break
    }
  }
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

type NewValue = { field: string; value: string; row: number }

/** `firsts`: values that occurred for the first time in these rows. */
type Importing = RowImport & { matchBy: string | null; unique: readonly string[]; lookups: Lookups; firsts: NewValue[] }

/** The unique fields of the file, besides the one that identifies records. */
function uniqueFields({ fields }: Resource, { columns }: Columns, matchBy: string | null): string[] {
  return columns.flatMap(({ target }) =>
    target?.kind === 'field' && fields[target.name]!.unique && target.name !== matchBy ? [target.name] : [],
  )
}

/** Throws RowFailure. */
async function importRow(
  database: Database,
  importing: Importing,
  row: FileRow,
  request: RowRequest,
): Promise<Outcome> {
  const { record, values } = readRow(importing, row, request)
  if (record && isUnchanged(record, values)) return 'unchanged'
  if (!importing.context) return check(importing, row, values, record)
  return apply(database, importing, row, values, record)
}

/** The record that the row updates, and the values that it sets. Throws RowFailure. */
function readRow(
  importing: Importing,
  row: FileRow,
  request: RowRequest,
): { record: StoredRecord | undefined; values: Values } {
  requireNoExtraCells(importing, row)
  const keyErrors = checkKey(importing, row, request)
  const { references, errors: referenceErrors } = resolve(importing, row, request.references)
  const record = keyErrors.length > 0 ? undefined : findRecord(importing, request)
  const body = { ...request.body, ...references }
  return { record, values: validate(importing, row, body, record, [...keyErrors, ...referenceErrors]) }
}

/** Blank cells beyond the last column come from separators at the end of a line. */
function requireNoExtraCells({ columns: { columns } }: Importing, { row, cells }: FileRow): void {
  if (cells.slice(columns.length).every((cell) => cell.trim() === '')) return
  const message = `The row has ${cells.length} cells, but there are ${columns.length} columns.`
  throw new RowFailure([{ row, column: null, code: 'too_many_cells', message }])
}

/** A value that identifies a record may occur once in a file, and must identify one record. Validation rejects values that
 *  cannot be stored. */
function checkKey(importing: Importing, { row }: FileRow, { key }: RowRequest): RowError[] {
  const { matchBy, columns, lookups, resource } = importing
  if (key === null || matchBy === null || !canBeStored(key)) return []
  const column = columns.columns[columns.match!]!.title
  const error = (code: string, message: string): RowError[] => [{ row, column, code, message }]
  const first = noteValue(importing, matchBy, matchBy === 'id' ? (readIdCell(key) ?? key) : key, row)
  if (first !== row) return error('duplicate', `Row ${first} has the same value.`)
  const found = lookups.find(resource.name, matchBy, key)
  if (found && found.count > 1)
    return error('ambiguous', `${found.count} ${resource.name} have this value, so it does not identify one of them.`)
  if (!found && matchBy === 'id') return error('not_in_list', `There is no ${resource.singular} with this id.`)
  return []
}

/** Returns the row in which the value occurred first; this one, if it is new. */
function noteValue({ lookups, firsts }: Importing, field: string, value: string, row: number): number {
  const first = lookups.valueRow(field, value)
  if (first !== undefined) return first
  lookups.setValueRow(field, value, row)
  firsts.push({ field, value, row })
  return row
}

function findRecord({ matchBy, resource, lookups }: Importing, { key }: RowRequest): StoredRecord | undefined {
  if (key === null || matchBy === null) return undefined
  const found = lookups.find(resource.name, matchBy, key)
  return found && lookups.record(found.id)
}

/** An id that stands for a reference whose record was not found, so that validation reports only the other fields. */
const anyId = 1

/** The ids of the records that a row refers to, by field, and the errors of those that were not found. */
function resolve(
  { columns: { columns }, lookups }: Importing,
  { row }: FileRow,
  given: readonly GivenReference[],
): { references: Record<string, unknown>; errors: RowError[] } {
  const references: Record<string, unknown> = {}
  const errors: RowError[] = []
  for (const { field, to, by, value, column: at } of given) {
    const isId = by !== 'id' || readIdCell(value) !== undefined
    const found = lookups.find(to, by, value)
    references[field] = isId ? (found?.id ?? anyId) : value // validation says what is wrong with it
    if (!isId || found?.count === 1) continue
    const column = columns[at]!.title
    if (found) errors.push({ row, column, code: 'ambiguous', message: `${found.count} ${to} have this ${by}.` })
    else errors.push({ row, column, code: 'not_in_list', message: `None of the ${to} has this ${by}.` })
  }
  return { references, errors }
}

/** The values of a new record, or those to change. Throws RowFailure with these errors and those of the fields. */
function validate(
  importing: Importing,
  { row }: FileRow,
  body: Record<string, unknown>,
  record: StoredRecord | undefined,
  errors: readonly RowError[],
): Values {
  const { resource } = importing
  try {
    if (record && Object.keys(body).length === 0) return {}
    const { values } = record ? validateChanges(resource, body) : validateNew(resource, body)
    if (errors.length === 0) return values
  } catch (error) {
    throw new RowFailure([...errors, ...errorsOf(importing, row, error)])
  }
  throw new RowFailure([...errors])
}

/** The errors of a problem that names fields. Throws everything else. */
function errorsOf(importing: Importing, row: number, error: unknown): RowError[] {
  if (!(error instanceof Problem)) throw error
  const { resource } = importing
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind !== 'reference' || field.missingCode !== error.code) continue
    const column = columnOf(importing, name)
    return [{ row, column, code: 'not_in_list', message: error.message }]
  }
  if (error.code !== 'validation_failed') throw error
  return Object.entries(error.members.errors as Record<string, FieldError>).map(([name, { code, message }]) => {
    const column = columnOf(importing, name)
    return { row, column, code, message: column === null ? `${name}: ${message}` : message }
  })
}

/** The title of the column of a field; null if the file has none. */
function columnOf({ columns: { columns } }: Importing, field: string): string | null {
  const column = columns.find(
    ({ target }) => target && (target.kind === 'reference' ? target.field === field : target.name === field),
  )
  return column?.title ?? null
}

function isUnchanged(record: StoredRecord, values: Values): boolean {
  return Object.entries(values).every(([name, value]) => record[name] === value)
}

/** What applying the row would do. Throws RowFailure for values that another record or an earlier row has. */
function check(importing: Importing, { row }: FileRow, values: Values, record: StoredRecord | undefined): Outcome {
  const { lookups, resource, unique } = importing
  const errors: RowError[] = []
  for (const field of unique) {
    const value = values[field] ?? null
    if (value === null) continue
    const found = lookups.find(resource.name, field, String(value))
    const first = lookups.valueRow(field, String(value)) ?? row
    if (found && found.id !== record?.id)
      errors.push(duplicate(importing, row, field, 'Another record already has this value.'))
    else if (first !== row) errors.push(duplicate(importing, row, field, `Row ${first} has the same value.`))
  }
  if (errors.length > 0) throw new RowFailure(errors)
  for (const field of unique) if (values[field] ?? null) noteValue(importing, field, String(values[field]), row)
  return record ? 'updated' : 'created'
}

function duplicate(importing: Importing, row: number, field: string, message: string): RowError {
  return { row, column: columnOf(importing, field), code: 'duplicate', message }
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
