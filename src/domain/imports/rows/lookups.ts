// Finds all records that the rows in one part of an import refer to or update, with a few statements instead of several
// per row. Also stores the values that must not occur twice in a file, each with the row in which it first occurs.

import type { Database, Value } from '../../../engine/database/database.ts'
import { insertRows, padValues, placeholders } from '../../../engine/database/statements.ts'
import type { Resource } from '../../declarations/resource.ts'
import { type CellError, takeNumbers } from '../../jobs/job-parts.ts'
import { emailIsIn } from '../../lists/order.ts'
import { findRecordsByIds, type StoredRecord } from '../../records/changes.ts'

/** A reference in a row. `by` and `value`: the field by which to find the record, and the value to find. `column`: the
 *  index of the column that contains the value. */
export type RowReference = { field: string; to: string; by: string; value: string; column: number }

/** A row as a request: its body fields, the references to look up, the value that identifies the record, and the errors
 *  that validation would not find. */
export type RowRequest = {
  body: Record<string, unknown>
  references: RowReference[]
  key: string | null
  errors: CellError[]
}

/** The number of records that have a value, and the id of the first one. */
export type ValueMatch = { id: number; count: number }

export type Lookups = {
  /** Finds the records of a resource that have this value in the `by` column. Returns undefined if there are none. */
  find(resource: string, by: string, value: string): ValueMatch | undefined
  /** Returns the record of the imported resource with this id. */
  record(id: number): StoredRecord | undefined
  /** Returns the row of the file in which a field's value first occurs. */
  valueRow(field: string, value: string): number | undefined
  /** Sets the row in which the value first occurs. */
  setValueRow(field: string, value: string, row: number): void
}

/** A value to look up in the resource's `by` column. */
type LookupKey = { resource: string; by: string; value: string }

/** `matchBy`: the column that identifies records; null if all rows are new. `unique`: the fields with unique values. */
export type KeyFields = { jobId: number; resource: Resource; matchBy: string | null; unique: readonly string[] }

export async function lookUp(
  database: Database,
  { jobId, resource, matchBy, unique }: KeyFields,
  requests: readonly RowRequest[],
): Promise<Lookups> {
  const keys = requests.flatMap(({ key }) => key ?? [])
  const matches = await findAll(database, [
    ...(matchBy === null ? [] : keys.map((value) => ({ resource: resource.name, by: matchBy, value }))),
    ...requests.flatMap(({ references }) => references.map(({ to, by, value }) => ({ resource: to, by, value }))),
    ...unique.flatMap((by) => valuesOf(requests, by).map((value) => ({ resource: resource.name, by, value }))),
  ])
  const find = (name: string, by: string, value: string) => matches.get(keyOf({ resource: name, by, value }))
  const ids = matchBy === null ? [] : keys.flatMap((key) => find(resource.name, matchBy, key)?.id ?? [])
  const records = await findRecordsByIds(database, resource, ids)
  const valueRows = new Map<string, Map<string, number>>()
  for (const field of matchBy === null ? unique : new Set([matchBy, ...unique])) {
    const texts = field === matchBy ? keys : valuesOf(requests, field)
    const values = [...new Set(texts.map((text) => comparableValue(field, text)))]
    valueRows.set(field, await findValueRows(database, jobId, field, values))
  }
  return {
    find,
    record: (id) => records.get(id),
    valueRow: (field, value) => valueRows.get(field)?.get(comparableValue(field, value)),
    setValueRow: (field, value, row) => void valueRows.get(field)!.set(comparableValue(field, value), row),
  }
}

/** Returns a field's values in these rows. */
function valuesOf(requests: readonly RowRequest[], field: string): string[] {
  return requests.flatMap(({ body }) => (typeof body[field] === 'string' ? [body[field]] : []))
}

/** Returns the form in which values of a column are compared: ids without leading zeros, and email addresses without the
 *  case of their letters (contract §17). */
export function comparableValue(by: string, value: string): string {
  if (by === 'id') return readIdCell(value) ?? value
  return by === 'email' ? value.toLowerCase() : value
}

function keyOf({ resource, by, value }: LookupKey): string {
  return JSON.stringify([resource, by, comparableValue(by, value)])
}

type MatchRow = { value: Value; id: number; count: Value }

/** Runs one statement for each column. */
async function findAll(database: Database, keys: readonly LookupKey[]): Promise<Map<string, ValueMatch>> {
  const matches = new Map<string, ValueMatch>()
  const groups = Map.groupBy(keys, ({ resource, by }) => `${resource}.${by}`)
  for (const group of groups.values()) {
    const { resource, by } = group[0]!
    const texts = [...new Set(group.map(({ value }) => comparableValue(by, value)))].filter(canBeStored)
    const values: Value[] = by === 'id' ? texts.flatMap(toId) : texts
    if (values.length === 0) continue
    const { column, where, operands } = matching(by, padValues(values))
    const sql = `select ${column} as value, min(id) as id, count(*) as count from ${resource} where ${where} group by ${column}`
    for (const { value, id, count } of await database.all<MatchRow>(sql, operands))
      matches.set(keyOf({ resource, by, value: String(value) }), { id, count: Number(count) })
  }
  return matches
}

/** The condition that finds these values in a column, and the column in the form in which they are compared. */
function matching(by: string, values: Value[]): { column: string; where: string; operands: Value[] } {
  const list = `(${placeholders(values)})`
  if (by !== 'email') return { column: by, where: `${by} in ${list}`, operands: values }
  return { column: `lower(${by})`, where: emailIsIn(by, list), operands: [...values, ...values] }
}

/** Longer values are not looked up, because no field that can identify records accepts them. */
const maxValueLength = 500

export function canBeStored(value: string): boolean {
  return value.length <= maxValueLength && !value.includes('\0') && value.isWellFormed()
}

/** Returns the id in a cell's text, without leading zeros, or undefined if the text is not an id. */
export function readIdCell(text: string): string | undefined {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(id) && id > 0 ? String(id) : undefined
}

function toId(text: string): number[] {
  const id = readIdCell(text)
  return id === undefined ? [] : [Number(id)]
}

/** A value of a field, and the row of the file in which the value first occurs. */
export type FirstValue = { field: string; value: string; row: number }

/** Returns the row in which each of these values first occurs. Leaves out values that are not stored. */
async function findValueRows(
  database: Database,
  jobId: number,
  field: string,
  values: readonly string[],
): Promise<Map<string, number>> {
  if (values.length === 0) return new Map()
  const sql = `select value, row from import_values where job_id = ? and field = ? and value in (${placeholders(values)})`
  const rows = await database.all<Omit<FirstValue, 'field'>>(sql, [jobId, field, ...padValues(values)])
  return new Map(rows.map(({ value, row }) => [value, row]))
}

/** A value that is already stored keeps its earlier row. */
export async function insertValues(database: Database, jobId: number, values: readonly FirstValue[]): Promise<void> {
  if (values.length === 0) return
  const numbers = await takeNumbers(database, 'import_values', values.length)
  const rows = values.map(({ field, value, row }, index) => ({
    seq: numbers[index]!,
    job_id: jobId,
    field,
    value,
    row,
  }))
  insertRows(database, 'import_values', rows, 'on conflict (job_id, field, value) do nothing')
}
