// Reads a row: finds the record that it updates and those that it refers to, and validates its values like those of a
// request.

import { trimInvisible } from '../../../lib/text.ts'
import { assignedFieldOf, type Resource, type Resources, stockFieldOf } from '../../declarations/resource.ts'
import { type RecordInput, type Values, validateChanges, validateNew } from '../../fields/validate.ts'
import type { CellError, PartRow } from '../../jobs/job-parts.ts'
import type { ChangeContext, StoredRecord } from '../../records/changes.ts'
import type { StockCreation } from '../../records/create-stock.ts'
import type { FileColumns } from '../columns/columns.ts'
import { fieldOf } from '../columns/targets.ts'
import { keepUndamaged } from './damaged-values.ts'
import type { FirstValue, KeyFields, Lookups } from './lookups.ts'
import { placeInStock } from './place-in-stock.ts'
import { canBeStored, comparableValue, onlyRecord, readIdCell, referenceFault } from './references.ts'
import { columnOf, errorsOf, forbiddenStock, RowFailure } from './row-errors.ts'
import type { RowRequest } from './row-request.ts'

/** `columns`: the file's columns. `context`: null to check the rows without applying them. */
export type RowImport = {
  jobId: number
  resource: Resource
  resources: Resources
  columns: FileColumns
  context: ChangeContext | null
  stockCreation?: StockCreation | undefined
}

export type RowOutcome = 'created' | 'updated' | 'unchanged'

/** `firstValues`: values whose first occurrence in the file is in these rows, and which may occur again. */
export type PreparedImport = RowImport & KeyFields & { lookups: Lookups; firstValues: FirstValue[] }

/** A row that is valid by itself. `record`: the record that the row updates. `values`: the values that it sets. `stockOf`:
 *  the branch whose stock must be created first. `damaged`: the fields whose cells a spreadsheet has damaged. */
export type ReadRow = { row: PartRow; record: StoredRecord | undefined; damaged: string[] } & Pick<
  RecordInput,
  'values' | 'stockOf' | 'assignsTag'
>

/** Throws RowFailure. */
export function readRow(prepared: PreparedImport, row: PartRow, given: RowRequest): ReadRow {
  requireNoExtraCells(prepared, row)
  const keyErrors = checkKey(prepared, row, given)
  const record = keyErrors.length > 0 ? undefined : prepared.lookups.recordOf(given)
  const request = record ? withoutValuesForNew(prepared.columns, given) : given
  const { references, errors: referenceErrors } = resolveReferences(prepared, request)
  keyErrors.push(...checkRecord(prepared, row, record))
  const found = {
    ...request.body,
    ...references,
    ...spellingOf(prepared, request, record),
    ...keptDates(request, record),
  }
  const placed = stockFieldOf(prepared.resource) ? placeInStock(prepared, request, found, record) : found
  const { body, damaged } = record
    ? keepUndamaged(prepared.resource, { record, isExport: request.exported !== undefined }, placed)
    : { body: placed, damaged: [] }
  const errors = [...keyErrors, ...referenceErrors, ...request.errors]
  const { values, stockOf, assignsTag } = validate(prepared, body, record, errors)
  if (stockOf && prepared.stockCreation === 'forbidden') throw new RowFailure([forbiddenStock(prepared)])
  return { row, record, values, damaged, ...(stockOf && { stockOf }), ...(assignsTag && { assignsTag }) }
}

/** Leaves out the values that are set for new records only. The file has no columns for them. */
function withoutValuesForNew({ set = [] }: FileColumns, request: RowRequest): RowRequest {
  const names = new Set(set.flatMap(({ target, isForNew }) => (isForNew ? [fieldOf(target)] : [])))
  if (names.size === 0) return request
  const body = Object.fromEntries(Object.entries(request.body).filter(([name]) => !names.has(name)))
  return { ...request, body, references: request.references.filter(({ field }) => !names.has(field)) }
}

/** A record that was found by its email address keeps the spelling of the address. */
function spellingOf({ matchBy }: PreparedImport, { key }: RowRequest, record: StoredRecord | undefined): Values {
  if (matchBy !== 'email' || !record || key === null) return {}
  const email = record[matchBy] ?? null
  return comparableValue(matchBy, key) === comparableValue(matchBy, String(email)) ? { [matchBy]: email } : {}
}

/** A record may have a date that programs write in place of a missing one, and keeps it. */
function keptDates({ missingDates = {} }: RowRequest, record: StoredRecord | undefined): Values {
  const kept = Object.entries(missingDates).filter(([name, date]) => record?.[name] === date)
  return Object.fromEntries(kept)
}

/** Allows blank cells beyond the last column, which come from delimiters at the end of a line. */
function requireNoExtraCells({ columns: { columns } }: PreparedImport, { cells }: PartRow): void {
  if (cells.slice(columns.length).every((cell) => trimInvisible(cell) === '')) return
  const message = `The row has ${cells.length} cells, but there are ${columns.length} columns.`
  throw new RowFailure([{ column: null, code: 'too_many_cells', message }])
}

/** Checks the value that identifies the row's record: it must not occur earlier in the file or match several records.
 *  Validation reports values that cannot be stored. */
function checkKey(prepared: PreparedImport, { row }: PartRow, { key }: RowRequest): CellError[] {
  const { matchBy, columns, lookups, resource } = prepared
  if (key === null || matchBy === null || !canBeStored(key)) return []
  const error = (code: string, message: string): CellError[] => [{ column: columns.match, code, message }]
  const first = noteValue(prepared, matchBy, key, row)
  if (first !== row) return error('duplicate', `Row ${first} has the same value.`)
  const match = lookups.find({ resource: resource.name, by: matchBy, value: key })
  if (match && match.count > 1)
    return error('ambiguous', `${match.count} ${resource.name} have this value, so it does not identify one of them.`)
  if (!match && matchBy === 'id') return error('not_in_list', `There is no ${resource.singular} with this id.`)
  return []
}

/** Checks that no earlier row means the same record by another value: one of them may give its external id, and the other
 *  its id. */
function checkRecord(prepared: PreparedImport, { row }: PartRow, record: StoredRecord | undefined): CellError[] {
  const { exportKey } = prepared.columns
  if (!record || !exportKey) return []
  const first = noteValue(prepared, 'id', String(record.id), row)
  if (first === row) return []
  return [{ column: exportKey.id, code: 'duplicate', message: `Row ${first} is about the same record.` }]
}

/** Records the value if it is new. Returns the row in which the value first occurs. */
function noteValue(
  { lookups, mayRepeat, firstValues: firsts }: PreparedImport,
  field: string,
  value: string,
  row: number,
): number {
  const first = lookups.valueRow(field, value)
  if (first !== undefined) return first
  lookups.setValueRow(field, value, row)
  if (mayRepeat(field, value)) firsts.push({ field, value: comparableValue(field, value), row })
  return row
}

/** A placeholder for the id of a record that was not found, so that validation reports only the other fields. */
const anyId = 1

/** Returns, by field, the ids of the records that a row refers to. Returns an error for each reference that does not
 *  match exactly one record. */
function resolveReferences(
  { lookups, resource }: PreparedImport,
  request: RowRequest,
): { references: Record<string, unknown>; errors: CellError[] } {
  const references: Record<string, unknown> = {}
  const errors: CellError[] = []
  for (const reference of request.references) {
    const { column, field, readings, value } = reference
    if (isOverruled(resource, request, field)) continue
    const isInvalidId = readings.join() === 'id' && readIdCell(value) === undefined
    const found = lookups.findReadings(reference)
    const id = onlyRecord(found) ?? lookups.presentId(request, reference)
    references[field] = isInvalidId ? value : (id ?? anyId) // validation reports an invalid id
    if (!isInvalidId && id === undefined)
      errors.push({ column, ...(column === null && { field }), ...referenceFault(reference, found) })
  }
  return { references, errors }
}

/** Whether the field is a stock that does not count, because the row has a holder. Lists name a place for every asset, also
 *  for those that people have. */
function isOverruled(resource: Resource, { references }: RowRequest, field: string): boolean {
  const { name: holder, stock } = stockFieldOf(resource) ?? {}
  return field === stock?.member && references.some((each) => each.field === holder && each.column !== null)
}

/** Returns the values of a new record, or the values to change. Throws RowFailure with `errors` and the errors found in
 *  the fields. */
function validate(
  prepared: PreparedImport,
  body: Record<string, unknown>,
  record: StoredRecord | undefined,
  errors: readonly CellError[],
): RecordInput {
  const { resource } = prepared
  try {
    if (record && Object.keys(body).length === 0) return { values: {} }
    const input = record ? validateChanges(resource, body) : validateNew(resource, askForTag(prepared, body))
    if (errors.length === 0) return input
  } catch (error) {
    throw new RowFailure([...errors, ...errorsOf(prepared, error)])
  }
  throw new RowFailure([...errors])
}

/** Asks for a tag, if new records of the import get tags and the row has none. */
function askForTag({ columns, resource }: RowImport, body: Record<string, unknown>): Record<string, unknown> {
  const assigned = assignedFieldOf(resource)
  if (!columns.assignsTag || !assigned || (body[assigned.name] ?? null) !== null) return body
  return { ...body, [assigned.member]: true }
}

export function isUnchanged({ record, values }: ReadRow): boolean {
  return record !== undefined && Object.entries(values).every(([name, value]) => record[name] === value)
}

/** Returns what applying the row would do. Throws RowFailure for a unique value that another record or an earlier row
 *  already has. */
export function checkUniqueValues(prepared: PreparedImport, { row: { row }, values, record }: ReadRow): RowOutcome {
  const { lookups, resource, unique } = prepared
  const errors: CellError[] = []
  for (const field of unique) {
    const value = values[field] ?? null
    if (value === null) continue
    const match = lookups.find({ resource: resource.name, by: field, value: String(value) })
    const first = lookups.valueRow(field, String(value)) ?? row
    if (match && match.id !== record?.id)
      errors.push(duplicate(prepared, field, 'Another record already has this value.'))
    else if (first !== row) errors.push(duplicate(prepared, field, `Row ${first} has the same value.`))
  }
  if (errors.length > 0) throw new RowFailure(errors)
  for (const field of unique) if (values[field] ?? null) noteValue(prepared, field, String(values[field]), row)
  return record ? 'updated' : 'created'
}

function duplicate(prepared: PreparedImport, field: string, message: string): CellError {
  return { column: columnOf(prepared, field), code: 'duplicate', message }
}
