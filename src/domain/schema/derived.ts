// What a table contains besides its declared columns: derived columns, and indexes that are created only once the table
// is large. Each index costs every insert some microseconds and a page of the WAL. A small table is sorted and searched
// just as fast without these indexes.

import type { Database, Row, Value } from '../../engine/database/database.ts'
import { booleansOf, type Resource, type Resources } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { orderIndexes } from '../lists/order.ts'
import { searchedFields } from '../lists/request/options.ts'
import { jsonColumn } from '../records/json.ts'
import { isSearched, searchColumns, searchValues } from '../search/fold.ts'
import { noteUnindexed, searchIndex } from '../search/index.ts'

type Engine = Database['engine']

/** The value of the `json_tail` column. `members`: all columns except the id, in response order. */
function cacheableJson(members: Values): string {
  return `,${JSON.stringify(members).slice(1, -1)}`
}

export function derivedColumns(engine: Engine, resource: Resource): Record<string, string> {
  return { ...searchColumns(engine, resource), [jsonColumn]: 'text' }
}

/** The values of the derived columns. `members`: all columns except the id, in response order. */
export function derivedValues(engine: Engine, resource: Resource, members: Values): Record<string, Value> {
  return { ...searchValues(engine, resource, members), [jsonColumn]: cacheableJson(members) }
}

/** The derived columns that have new values after a change. `changed`: the names of the changed members. */
export function recomputedColumns(
  engine: Engine,
  resource: Resource,
  members: Values,
  changed: readonly string[],
): Record<string, Value> {
  const isTextChanged = searchedFields(resource).some((name) => changed.includes(name))
  return { ...(isTextChanged && searchValues(engine, resource, members)), [jsonColumn]: cacheableJson(members) }
}

/** Updates the derived columns of these records. Each row must have every column of the resource. */
export function backfillDerivedColumns(database: Database, resource: Resource, rows: readonly Row[]): void {
  const sets = Object.keys(derivedColumns(database.engine, resource)).map((column) => `${column} = ?`)
  const update = `update ${resource.name} set ${sets.join(', ')} where id = ?`
  for (const row of rows) {
    const { id, ...members } = row
    for (const name of booleansOf(resource)) if (members[name] !== null) members[name] = Boolean(members[name])
    database.runDeferred(update, [...Object.values(derivedValues(database.engine, resource, members)), id!])
  }
}

/** A table is large from this id on. Sorting fewer records takes less than a millisecond. */
export const deferUntilRows = 2000

/** Whenever a large table reaches an id divisible by this number, missing indexes are created, in case the transaction
 *  that was to create them failed. */
const checkEveryRows = 1000

/** Call this with the id of every new record. Creates the indexes in the same transaction when the table becomes
 *  large. */
export async function createDeferredIndexesOnInsert(database: Database, resource: Resource, id: number): Promise<void> {
  if (id >= deferUntilRows && id % checkEveryRows === 0) await createDeferredIndexes(database, resource)
}

export async function createDeferredIndexesIfLarge(database: Database, resource: Resource): Promise<void> {
  const row = await database.get<{ last: number | null }>(`select max(id) as last from ${resource.name}`)
  if ((row!.last ?? 0) >= deferUntilRows) await createDeferredIndexes(database, resource)
}

const indexedResources = new WeakMap<Database, Set<Resource>>()

/** Whether the table has its deferred indexes. A positive result is cached until dropDeferredIndexes is called: per
 *  connection on SQLite, per transaction on PostgreSQL. */
export async function hasDeferredIndexes(database: Database, resource: Resource): Promise<boolean> {
  const indexed = indexedResources.get(database) ?? new Set()
  if (indexed.has(resource)) return true
  const last = orderIndexes(database.engine, resource).at(-1)!
  if (!(await database.get(indexNamed[database.engine], [last.name]))) return false
  indexedResources.set(database, indexed.add(resource))
  return true
}

export async function listIndexedResources(database: Database, resources: Resources): Promise<Resource[]> {
  const indexed: Resource[] = []
  for (const resource of resources) if (await hasDeferredIndexes(database, resource)) indexed.push(resource)
  return indexed
}

/** Call this with the ids of records that were inserted with an earlier id, so that SQLite's search index includes
 *  them. */
export async function indexRecreated(database: Database, resource: Resource, ids: readonly number[]): Promise<void> {
  if (database.engine === 'postgres' || !isSearched(resource)) return
  if (await hasDeferredIndexes(database, resource)) noteUnindexed(database, resource, ids)
}

/** Creates a table's missing deferred indexes, whatever its size. */
export async function createDeferredIndexes(database: Database, resource: Resource): Promise<void> {
  const existingIndexes = new Set(await database.texts(namesIn[database.engine]))
  for (const { name, sql } of orderIndexes(database.engine, resource))
    if (!existingIndexes.has(name)) await database.run(sql)
  for (const { name, statements } of searchIndex(database.engine, resource)) {
    if (!existingIndexes.has(name)) for (const sql of statements) await database.run(sql)
  }
}

/** Drops a table's deferred indexes on PostgreSQL. Returns whether it had any. */
export async function dropDeferredIndexes(database: Database, resource: Resource): Promise<boolean> {
  if (!(await hasDeferredIndexes(database, resource))) return false
  const indexes = [...orderIndexes(database.engine, resource), ...searchIndex(database.engine, resource)]
  for (const { name } of indexes) await database.run(`drop index if exists ${name}`)
  indexedResources.get(database)!.delete(resource)
  return true
}

/** Queries for one index. PostgreSQL's view pg_indexes is not used here: it describes every index of the schema, which
 *  takes milliseconds. Every search of a table without deferred indexes runs this query. */
const indexNamed = {
  sqlite: 'select 1 as found from sqlite_schema where name = ?',
  postgres: 'select 1 as found from pg_class where relnamespace = current_schema()::regnamespace and relname = ?',
} as const satisfies Record<Database['engine'], string>

/** Queries for the names of all of a tenant's indexes or, on SQLite, of all its schema objects. */
const namesIn = {
  sqlite: 'select name from sqlite_schema',
  postgres: 'select indexname as name from pg_indexes where schemaname = current_schema()',
} as const satisfies Record<Database['engine'], string>
