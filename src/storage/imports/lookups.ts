// Finds, for all rows of a part at once, the records that they refer to and the records that they update.

import type { Database, Value } from '../../database/database.ts'
import { padded, places } from '../../database/value-list.ts'
import type { RowRequest } from '../../resources/import/cells.ts'
import { findRecordsByIds } from '../../resources/records/find-by-ids.ts'
import type { StoredRecord } from '../../resources/records/target.ts'
import type { Resource } from '../../resources/resource.ts'
import { findValueRows } from './import-tables.ts'

/** How many records have a value, and the id of the first of them. */
export type Found = { id: number; count: number }

export type Lookups = {
  /** The record that a value of a column of a resource identifies. */
  find(resource: string, by: string, value: string): Found | undefined
  /** The record with this id, of the imported resource. */
  record(id: number): StoredRecord | undefined
  /** The row in which the value of a field occurred first in the file. */
  valueRow(field: string, value: string): number | undefined
  /** Notes the first row of a value. */
  setValueRow(field: string, value: string, row: number): void
}

/** A value to look up: `by` is a column of the resource. */
type Wanted = { resource: string; by: string; value: string }

/** `matchBy`: the column that identifies records; null if all rows are new. `unique`: the fields that no two records may share. */
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

/** The values that the rows give for a field. */
function valuesOf(requests: readonly RowRequest[], field: string): string[] {
  return requests.flatMap(({ body }) => (typeof body[field] === 'string' ? [body[field]] : []))
}

function keyOf({ resource, by, value }: Wanted): string {
  return JSON.stringify([resource, by, by === 'id' ? readIdCell(value) : value])
}

/** One statement for each column. */
async function findAll(database: Database, wanted: readonly Wanted[]): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  const groups = Map.groupBy(wanted, ({ resource, by }) => `${resource}.${by}`)
  for (const group of groups.values()) {
    const { resource, by } = group[0]!
    const texts = [...new Set(group.map(({ value }) => value))].filter(canBeStored)
    const values: Value[] = by === 'id' ? texts.flatMap(toId) : texts
    if (values.length === 0) continue
    const sql = `select ${by} as value, min(id) as id, count(*) as count from ${resource} where ${by} in (${places(values)}) group by ${by}`
    for (const { value, id, count } of await database.all(sql, padded(values)))
      found.set(keyOf({ resource, by, value: String(value) }), { id: id as number, count: Number(count) })
  }
  return found
}

/** No field by which records are found takes longer values. */
const longestValue = 500

export function canBeStored(value: string): boolean {
  return value.length <= longestValue && !value.includes('\0') && value.isWellFormed()
}

/** An id as text, without a sign and leading zeros; undefined if it is none. */
export function readIdCell(text: string): string | undefined {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(id) && id > 0 ? String(id) : undefined
}

function toId(text: string): number[] {
  const id = readIdCell(text)
  return id === undefined ? [] : [Number(id)]
}
