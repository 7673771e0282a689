// Finds all records that the rows in one part of an import refer to or update, with a few statements instead of several
// per row.

import type { Database, Value } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/value-list.ts'
import type { Resource } from '../declarations/resource.ts'
import { findRecordsByIds } from '../records/find-by-ids.ts'
import type { StoredRecord } from '../records/target.ts'
import { findValueRows } from './import-values.ts'
import type { RowRequest } from './reading/cells.ts'

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
export async function lookUp(
  database: Database,
  jobId: number,
  resource: Resource,
  requests: readonly RowRequest[],
  { matchBy, unique }: { matchBy: string | null; unique: readonly string[] },
): Promise<Lookups> {
  const keys = requests.flatMap(({ key }) => key ?? [])
  const found = await findAll(database, [
    ...(matchBy === null ? [] : keys.map((value) => ({ resource: resource.name, by: matchBy, value }))),
    ...requests.flatMap(({ references }) => references.map(({ to, by, value }) => ({ resource: to, by, value }))),
    ...unique.flatMap((by) => valuesOf(requests, by).map((value) => ({ resource: resource.name, by, value }))),
  ])
  const find = (name: string, by: string, value: string) => found.get(keyOf({ resource: name, by, value }))
  const ids = matchBy === null ? [] : keys.flatMap((key) => find(resource.name, matchBy, key)?.id ?? [])
  const records = await findRecordsByIds(database, resource, ids)
  const valueRows = new Map<string, Map<string, number>>()
  for (const field of matchBy === null ? unique : new Set([matchBy, ...unique])) {
    const values = [...new Set(field === matchBy ? keys : valuesOf(requests, field))]
    valueRows.set(field, await findValueRows(database, jobId, field, values))
  }
  return {
    find,
    record: (id) => records.get(id),
    valueRow: (field, value) => valueRows.get(field)?.get(value),
    setValueRow: (field, value, row) => void valueRows.get(field)!.set(value, row),
  }
}

/** Returns a field's values in these rows. */
function valuesOf(requests: readonly RowRequest[], field: string): string[] {
  return requests.flatMap(({ body }) => (typeof body[field] === 'string' ? [body[field]] : []))
}

function keyOf({ resource, by, value }: LookupKey): string {
  return JSON.stringify([resource, by, by === 'id' ? readIdCell(value) : value])
}

/** Runs one statement for each column. */
async function findAll(database: Database, keys: readonly LookupKey[]): Promise<Map<string, ValueMatch>> {
  const found = new Map<string, ValueMatch>()
  const groups = Map.groupBy(keys, ({ resource, by }) => `${resource}.${by}`)
  for (const group of groups.values()) {
    const { resource, by } = group[0]!
    const texts = [...new Set(group.map(({ value }) => value))].filter(canBeStored)
    const values: Value[] = by === 'id' ? texts.flatMap(toId) : texts
    if (values.length === 0) continue
    const sql = `select ${by} as value, min(id) as id, count(*) as count from ${resource} where ${by} in (${placeholders(values)}) group by ${by}`
    for (const { value, id, count } of await database.all(sql, padValues(values)))
      found.set(keyOf({ resource, by, value: String(value) }), { id: id as number, count: Number(count) })
  }
  return found
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
