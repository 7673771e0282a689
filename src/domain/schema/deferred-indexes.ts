// Deferred indexes: a table's search index and most of its sort indexes are created only once the table is large. Each
// index costs every insert some microseconds and a page of the WAL. A small table is sorted and searched just as fast
// without these indexes.

import type { Database } from '../../engine/database/database.ts'
import type { Resource, Resources } from '../declarations/resource.ts'
import { orderIndexes } from '../lists/order.ts'
import { isSearched, noteUnindexed, searchIndex } from '../search/index.ts'

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
  if (await isLarge(database, resource)) await createDeferredIndexes(database, resource)
}

const indexedResources = new WeakMap<Database, Set<Resource>>()

/** Whether the table has its deferred indexes. A positive result is cached until dropDeferredIndexes is called: per
 *  connection on SQLite, per transaction on PostgreSQL. */
export async function hasDeferredIndexes(database: Database, resource: Resource): Promise<boolean> {
  const known = indexedResources.get(database) ?? new Set()
  if (known.has(resource)) return true
  const last = orderIndexes(database.engine, resource).at(-1)!
  if (!(await database.get(indexNamed[database.engine], [last.name]))) return false
  indexedResources.set(database, known.add(resource))
  return true
}

/** The resources whose tables have their deferred indexes. */
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

async function isLarge(database: Database, { name }: Resource): Promise<boolean> {
  const row = await database.get<{ last: number | null }>(`select max(id) as last from ${name}`)
  return (row!.last ?? 0) >= deferUntilRows
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
