// Reads and checks a row: the record that it updates, and the values that it sets. Every row passes the validation of a JSON request.

import { Problem } from '../../problem.ts'
import type { FieldError } from '../../resources/field-values.ts'
import type { RowReference, RowRequest } from '../../resources/import/cells.ts'
import type { Columns } from '../../resources/import/columns.ts'
import type { ChangeContext } from '../../resources/records/changes.ts'
import type { StoredRecord } from '../../resources/records/target.ts'
import type { Resource } from '../../resources/resource.ts'
import { type Values, validateChanges, validateNew } from '../../resources/validate.ts'
import type { RowError } from './import.ts'
import type { FileRow } from './import-tables.ts'
import { canBeStored, type Lookups, readIdCell } from './lookups.ts'

/** `context`: set to apply the rows; null to find out what would be done. */
export type RowImport = {
  jobId: number
  resource: Resource
  columns: Columns
  context: ChangeContext | null
}

export type Outcome = 'created' | 'updated' | 'unchanged'

/** A row does not fit the data or the rules. */
export class RowFailure extends Error {
  readonly errors: RowError[]

  constructor(errors: RowError[]) {
    super('a row failed')
    this.errors = errors
  }
}

type NewValue = { field: string; value: string; row: number }

/** `firsts`: values that occurred for the first time in these rows. */
export type Importing = RowImport & {
  matchBy: string | null
  unique: readonly string[]
  lookups: Lookups
  firsts: NewValue[]
}

/** The record that the row updates, and the values that it sets. Throws RowFailure. */
export function readRow(
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
  given: readonly RowReference[],
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
export function errorsOf(importing: Importing, row: number, error: unknown): RowError[] {
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

export function isUnchanged(record: StoredRecord, values: Values): boolean {
  return Object.entries(values).every(([name, value]) => record[name] === value)
}

/** What applying the row would do. Throws RowFailure for values that another record or an earlier row has. */
export function check(
  importing: Importing,
  { row }: FileRow,
  values: Values,
  record: StoredRecord | undefined,
): Outcome {
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
