// What a table has only once it has grown: the indexes that lists are sorted by, and the one that is searched in. Each costs
// every create some microseconds and a page of the log; few records are sorted and looked through as fast without.

import type { Database } from '../../database/database.ts'
import { orderIndexes } from '../lists/sort-keys.ts'
import type { Resource, Resources } from '../resource.ts'
import { dropSearchIndex, searchIndex } from '../search/index.ts'

/** The id with which a table counts as grown. To sort so many records takes less than a millisecond. */
export const deferUntilRows = 2000

/** Ids between two looks whether a grown table has its indexes: the transaction that was to make them may have failed. */
const checkEveryRows = 1000

/** To be called with the id of every new record: has the table grow, in the same transaction, when it is time. */
export async function createDeferredIndexesOnInsert(database: Database, resource: Resource, id: number): Promise<void> {
  if (id >= deferUntilRows && id % checkEveryRows === 0) await createDeferredIndexes(database, resource)
}

/** Gives the table what it lacks, if it has enough records. */
export async function createDeferredIndexesIfLarge(database: Database, resource: Resource): Promise<void> {
  if (await isLarge(database, resource)) await createDeferredIndexes(database, resource)
}

/** Takes from a small table what it is not to have yet: until version 5 of the schema, every table had most of it. */
export async function dropDeferredIndexes(database: Database, resource: Resource): Promise<void> {
  if (!(await isLarge(database, resource)))
    for (const sql of withoutGrowth(database.engine, resource)) await database.run(sql)
}

/** The statements that take away what a table has once it has grown. */
export function withoutGrowth(engine: Database['engine'], resource: Resource): string[] {
  const drops = orderIndexes(engine, resource).map(({ name }) => `drop index if exists ${name}`)
  return [...drops, ...dropSearchIndex(engine, resource)]
}

const grown = new WeakMap<Database, Set<Resource>>()

/** Whether the table has grown. Once it has, it stays so: a connection is asked no more. */
export async function hasDeferredIndexes(database: Database, resource: Resource): Promise<boolean> {
  const known = grown.get(database) ?? new Set()
  if (known.has(resource)) return true
  const last = orderIndexes(database.engine, resource).at(-1)!
  const sql = `select 1 as found from (${namesIn[database.engine]}) known where name = ?`
  if (!(await database.get(sql, [last.name]))) return false
  grown.set(database, known.add(resource))
  return true
}

/** Those whose tables have grown. */
export async function grownOf(database: Database, resources: Resources): Promise<Resource[]> {
  const grown: Resource[] = []
  for (const each of resources) if (await hasDeferredIndexes(database, each)) grown.push(each)
  return grown
}

async function isLarge(database: Database, { name }: Resource): Promise<boolean> {
  const row = await database.get(`select max(id) as last from ${name}`)
  return ((row!.last as number | null) ?? 0) >= deferUntilRows
}

/** Gives the table what it lacks, however few its records are. */
export async function createDeferredIndexes(database: Database, resource: Resource): Promise<void> {
  const known = new Set(await database.texts(namesIn[database.engine]))
  for (const { name, sql } of orderIndexes(database.engine, resource)) if (!known.has(name)) await database.run(sql)
  for (const { name, statements } of searchIndex(database.engine, resource)) {
    if (!known.has(name)) for (const sql of statements) await database.run(sql)
  }
}

/** What a tenant's database has besides its tables. */
const namesIn = {
  sqlite: 'select name from sqlite_schema',
  postgres: 'select indexname as name from pg_indexes where schemaname = current_schema()',
} as const satisfies Record<Database['engine'], string>
