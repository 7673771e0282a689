// Reads a row: converts its cells to the values of a JSON request, finds the record that the row updates, and validates
// the values like those of a request.

import { trimInvisible } from '../../../lib/text.ts'
import { Problem } from '../../../problem.ts'
import {
  assignedFieldOf,
  deriveOnce,
  type Field,
  isMultiline,
  type Resource,
  type Resources,
  stockFieldOf,
} from '../../declarations/resource.ts'
import type { FieldError } from '../../fields/field-values.ts'
import { type RecordInput, type Values, validateChanges, validateNew } from '../../fields/validate.ts'
import type { CellError, PartRow } from '../../jobs/job-parts.ts'
import type { ChangeContext, StoredRecord } from '../../records/changes.ts'
import type { StockCreation } from '../../records/records.ts'
import type { FileColumn, FileColumns } from '../columns/columns.ts'
import { cellOf, textOf } from '../file/cells.ts'
import { CellFault, convert } from '../file/formats.ts'
import { acceptedValues } from './accepted-values.ts'
import { keepUndamaged } from './damaged-values.ts'
import type { FirstValue, KeyFields, Lookups, RowReference, RowRequest } from './lookups.ts'
import { placeInStock } from './place-in-stock.ts'
import { canBeStored, comparableValue, onlyRecord, readIdCell, referenceFault } from './references.ts'

/** `columns`: the file's columns. `context`: null to check the rows without applying them. `stockCreation`: as in
 *  RecordChange. */
export type RowImport = {
  jobId: number
  resource: Resource
  resources: Resources
  columns: FileColumns
  context: ChangeContext | null
  stockCreation?: StockCreation | undefined
}

export type RowOutcome = 'created' | 'updated' | 'unchanged'

/** `firstValues`: values whose first occurrence in the file is in these rows. */
export type PreparedImport = RowImport & KeyFields & { lookups: Lookups; firstValues: FirstValue[] }

/** A row that is valid by itself. `record`: the record that the row updates. `values`: the values that it sets. `stockOf`:
 *  the branch whose stock must be created first. `damaged`: the fields whose cells a spreadsheet has damaged. */
export type ReadRow = { row: PartRow; record: StoredRecord | undefined; damaged: string[] } & Pick<
  RecordInput,
  'values' | 'stockOf' | 'assignsTag'
>

/** Converts a row to a request. A reference is null unless one of its columns, or the caller, has a value. */
export function toRequest(resource: Resource, file: FileColumns, cells: readonly string[]): RowRequest {
  const { columns, match, exportKey, set = [] } = file
  const body: Record<string, unknown> = {}
  const references = new Map<string, RowReference>()
  const errors: CellError[] = []
  columns.forEach((column, index) => {
    const { target } = column
    if (!target || target.kind === 'id') return
    const cell = cellOf(column, cells, index)
    if (target.kind === 'field') {
      const converted = convert(resource, resource.fields[target.name]!, column, cell)
      body[target.name] = converted instanceof CellFault ? null : converted
      if (converted instanceof CellFault) errors.push({ column: index, ...converted })
    } else {
      body[target.field] ??= null
      const isBetter = precedence(columns, index) < precedence(columns, references.get(target.field)?.column)
      if (cell === '' || !isBetter) return
      const { field, to, by, readings = [by] } = target
      references.set(field, { field, to, readings, value: cell, column: index })
    }
  })
  for (const [name, indexes] of sharedTargets(columns)) {
    const texts = indexes.map((index) => ({ ...columns[index]!, text: cellOf(columns[index]!, cells, index) }))
    body[name] = joinTexts(resource.fields[name]!, texts)
  }
  for (const { target, value } of set) {
    if (target.kind === 'field') body[target.name] ??= convert(resource, resource.fields[target.name]!, {}, value)
    else if (!references.has(target.field)) {
      const { field, to, by, readings = [by] } = target
      body[field] = null
      references.set(field, { field, to, readings, value, column: null })
    }
  }
  if (set.length > 0 && !hasImportedCell(columns, cells)) errors.push(nothingToImport)
  const key = match === null ? '' : cellOf(columns[match]!, cells, match)
  const exported = exportKey && { id: textOf(cells, exportKey.id), createdAt: textOf(cells, exportKey.createdAt) }
  return {
    body,
    references: [...references.values()],
    key: key === '' ? null : key,
    ...(exported && { exported }),
    errors,
  }
}

/** Whether any cell of the row would be imported. Some programs continue a record in further rows, for example with one row
 *  for each group that a device belongs to. Values for all rows must not turn these rows into records. */
function hasImportedCell(columns: readonly FileColumn[], cells: readonly string[]): boolean {
  return columns.some((column, index) => column.target !== null && cellOf(column, cells, index) !== '')
}

const nothingToImport: CellError = {
  column: null,
  code: 'required',
  message: 'The row has no value in any of the columns that are imported.',
}

/** The fields that several columns set together, each with the indexes of these columns. */
const sharedTargets = deriveOnce((columns: readonly FileColumn[]) => {
  const indexes = [...columns.keys()].filter((index) => columns[index]!.target?.kind === 'field')
  const groups = Map.groupBy(indexes, (index) => columns[index]!.target!.name)
  return [...groups].filter(([, each]) => each.length > 1)
})

/** Joins the texts of several columns: a first and a last name become one line, and notes have a line for each column. */
function joinTexts(field: Field, columns: readonly { title: string; text: string }[]): string | null {
  const given = columns.filter(({ text }) => text !== '')
  if (given.length === 0) return null
  if (!isMultiline(field)) return given.map(({ text }) => text).join(' ')
  return given.map(({ title, text }) => `${title}: ${text}`).join('\n')
}

/** If several columns set the same reference, the id column takes precedence, followed by the columns in the order of
 *  the resource's `lookups`. */
function precedence(columns: readonly FileColumn[], index: number | null = null): number {
  const target = index === null ? undefined : columns[index]!.target
  return target?.kind === 'reference' ? target.rank : Number.POSITIVE_INFINITY
}

/** Throws RowFailure. */
export function readRow(prepared: PreparedImport, row: PartRow, request: RowRequest): ReadRow {
  requireNoExtraCells(prepared, row)
  const keyErrors = checkKey(prepared, row, request)
  const record = keyErrors.length > 0 ? undefined : prepared.lookups.recordOf(request)
  const { references, errors: referenceErrors } = resolveReferences(prepared, request, record)
  keyErrors.push(...checkRecord(prepared, row, record))
  const given = { ...request.body, ...references, ...spellingOf(prepared, request, record) }
  const placed = stockFieldOf(prepared.resource) ? placeInStock(prepared, request, given, record) : given
  const { body, damaged } = record
    ? keepUndamaged(prepared.resource, { record, isExport: request.exported !== undefined }, placed)
    : { body: placed, damaged: [] }
  const errors = [...keyErrors, ...referenceErrors, ...request.errors]
  const { values, stockOf, assignsTag } = validate(prepared, body, record, errors)
  if (stockOf && prepared.stockCreation === 'forbidden') throw new RowFailure([forbiddenStock(prepared)])
  return { row, record, values, damaged, ...(stockOf && { stockOf }), ...(assignsTag && { assignsTag }) }
}

function forbiddenStock(file: RowImport): CellError {
  const message = 'The customer has no stock yet, and this API key may not create employees.'
  return inField(file, stockFieldOf(file.resource)!.stock.member, { code: 'forbidden', message })
}

/** A record that was found by its email address keeps the spelling of the address. */
function spellingOf({ matchBy }: PreparedImport, { key }: RowRequest, record: StoredRecord | undefined): Values {
  if (matchBy !== 'email' || !record || key === null) return {}
  const email = record[matchBy] ?? null
  return comparableValue(matchBy, key) === comparableValue(matchBy, String(email)) ? { [matchBy]: email } : {}
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
  { lookups, firstValues: firsts }: PreparedImport,
  field: string,
  value: string,
  row: number,
): number {
  const first = lookups.valueRow(field, value)
  if (first !== undefined) return first
  lookups.setValueRow(field, value, row)
  firsts.push({ field, value: comparableValue(field, value), row })
  return row
}

/** A placeholder for the id of a record that was not found, so that validation reports only the other fields. */
const anyId = 1

/** Returns, by field, the ids of the records that a row refers to. Returns an error for each reference that does not
 *  match exactly one record. */
function resolveReferences(
  { lookups, resource }: PreparedImport,
  request: RowRequest,
  record: StoredRecord | undefined,
): { references: Record<string, unknown>; errors: CellError[] } {
  const references: Record<string, unknown> = {}
  const errors: CellError[] = []
  for (const reference of request.references) {
    const { column, field, readings, value } = reference
    if (isOverruled(resource, request, field)) continue
    const isInvalidId = readings.join() === 'id' && readIdCell(value) === undefined
    const found = lookups.findReadings(reference)
    const id = onlyRecord(found) ?? (lookups.mayStay(request, reference) ? Number(record?.[field]) : undefined)
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

/** Thrown for a row that is invalid or conflicts with existing records. */
export class RowFailure extends Error {
  readonly errors: CellError[]

  constructor(errors: CellError[]) {
    super('a row failed')
    this.errors = errors
  }
}

/** Converts a problem with fields into the errors of a row. Rethrows every other error. */
export function errorsOf(file: RowImport, error: unknown): CellError[] {
  if (!(error instanceof Problem)) throw error
  const { resource } = file
  if (error.code === 'forbidden') return [forbiddenStock(file)]
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind !== 'reference' || field.missingCode !== error.code) continue
    return [inField(file, name, { code: 'not_in_list', message: error.message })]
  }
  if (error.code !== 'validation_failed') throw error
  return Object.entries(error.members.errors as Record<string, FieldError>).map(([name, { code, message }]) =>
    inField(file, name, { code, message: acceptedValues(resource, name, code) ?? message }),
  )
}

/** An error in a field names the field if the file has no column for it. */
function inField(file: RowImport, field: string, { code, message }: CellFault): CellError {
  const column = columnOf(file, field)
  return column === null ? { column, code, message: `${field}: ${message}`, field } : { column, code, message }
}

/** Returns the index of a field's column, or null if the file has no such column. */
function columnOf({ columns: { columns } }: RowImport, field: string): number | null {
  const index = columns.findIndex(
    ({ target }) => target && (target.kind === 'reference' ? target.field === field : target.name === field),
  )
  return index === -1 ? null : index
}
