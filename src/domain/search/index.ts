// The trigram index for text search: its tables, and the conditions that find candidates. The candidates
// include every match and possibly other records. On SQLite, the index is an FTS5 table that is filled with a delay. On
// PostgreSQL, it is a GIN index.

import type { Clause, Database } from '../../engine/database/database.ts'
import { largeStep, type StepSize } from '../../engine/product.ts'
import type { Resource } from '../declarations/resource.ts'
import { isSearched, searchColumn } from './fold.ts'
import { choosePair, chooseTrigrams } from './trigrams.ts'

type Engine = Database['engine']

/** Unindexed records are counted up to this number, because beyond it the exact number does not matter. */
const maxUnindexedCount = 1000

/** The statements that create and fill a table's search index, by the name of the object they create. On SQLite these
 *  objects are an FTS5 table and a table that lists each trigram with the records that contain it. */
export function searchIndex(engine: Engine, resource: Resource): { name: string; statements: string[] }[] {
  const name = `${resource.name}_search`
  if (!isSearched(resource)) return []
  if (engine === 'postgres') {
    return [{ name, statements: [`create index ${name} on ${resource.name} using gin (search_grams)`] }]
  }
  const terms = `${resource.name}_terms`
  const createTerms = `create virtual table ${terms} using fts5vocab (${name}, instance)`
  return [
    { name, statements: trigramTable(resource) },
    { name: terms, statements: [createTerms] },
  ]
}

/** Records are indexed in batches. Triggers note the ids of changed and deleted records. New records need no note,
 *  because their ids follow those in the index (pendingIds). A trigger would make SQLite copy every page that an insert
 *  changes, which takes a third of the time of a create. FTS5's automatic merges are off, and the index is merged after
 *  each batch instead: an automatic merge processes some megabytes and delays requests for as long as ten batches
 *  would. */
function trigramTable(resource: Resource): string[] {
  const { name } = resource
  const note = (id: string) => `begin ${noteSql(name)} values (${id}); end`
  return [
    `create virtual table ${name}_search using fts5 (
       folded, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
    `create table ${name}_unsearched (id integer primary key) strict`,
    `insert into ${name}_search (rowid, folded) select id, ${searchColumn} from ${name}`,
    `insert into ${name}_search (${name}_search, rank) values ('automerge', 0)`,
    `create trigger ${name}_update after update of ${searchColumn} on ${name} ${note('new.id')}`,
    `create trigger ${name}_delete after delete on ${name} ${note('old.id')}`,
  ]
}

/** Returns queries for the ids of the records on SQLite that may contain all folded texts of one of the alternatives:
 *  `indexed` finds those in the index, and `all` also those that are not indexed yet. A record may be found twice.
 *  Undefined if an alternative has no text that is long enough for the index. */
export function searchCandidates(resource: Resource, ...alternatives: (readonly string[])[]) {
  const indexed = indexedCandidates(resource, alternatives)
  if (!indexed) return undefined
  const sql = `${indexed.sql} union all select id from (${pendingIds(resource.name)})`
  return { indexed, all: { sql, values: indexed.values } }
}

function indexedCandidates({ name }: Resource, alternatives: readonly (readonly string[])[]): Clause | undefined {
  const grams = alternatives.map(chooseTrigrams)
  if (grams.every((each) => each.length > 0)) {
    const match = grams.map((each) => `(${each.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ')})`)
    return { sql: `select rowid as id from ${name}_search where ${name}_search match ?`, values: [match.join(' OR ')] }
  }
  const pair = alternatives.length === 1 ? choosePair(alternatives[0]!) : undefined
  if (pair === undefined) return undefined
  const sql = `select doc as id from ${name}_terms where term >= ? and term < ?`
  return { sql, values: [pair, `${pair}\u{10ffff}\u{10ffff}`] }
}

/** Returns a condition that is true if a query finds the row's id. With `+id`, SQLite uses no index for it. */
export function isFoundBy({ sql, values }: Clause, id: 'id' | '+id' = 'id'): Clause {
  return { sql: `${id} in (${sql})`, values }
}

/** Queries for the records that have been written since they were last indexed. Records are indexed in the order of
 *  their ids, so a record beyond the last one in the index is new. Only declared names are interpolated. */
function pendingIds(table: string, condition = 'true'): string {
  const last = `(select coalesce(max(id), 0) from ${table}_search_docsize)`
  return `select id from ${table}_unsearched where ${condition} union select id from ${table} where id > ${last} and ${condition}`
}

function noteSql(table: string): string {
  return `insert or ignore into ${table}_unsearched (id)`
}

/** Notes that these records must be indexed. Call this for records that were inserted with an earlier id. The table
 *  must have its search index. */
export function noteUnindexed(database: Database, { name }: Resource, ids: readonly number[]): void {
  for (const id of ids) database.runDeferred(`${noteSql(name)} values (?)`, [id])
}

/** The number of records that SQLite's search index does not contain yet, up to `maxUnindexedCount`. */
export async function countUnindexed(database: Database, resource: Resource): Promise<number> {
  if (!isSearched(resource)) return 0
  const ids = `${pendingIds(resource.name)} order by id limit ${maxUnindexedCount}`
  return (await database.get<{ count: number }>(`select count(*) as count from (${ids})`))!.count
}

/** Indexes a batch of pending records on SQLite and merges part of the index. Returns whether there may be more to
 *  merge. */
export async function indexPending(database: Database, resource: Resource, size = largeStep): Promise<boolean> {
  const { name } = resource
  const last = await lastIdOfBatch(database, resource, size)
  const batch = pendingIds(name, 'id <= ?')
  await database.run(`delete from ${name}_search where rowid in (${batch}) and rowid not in (select id from ${name})`, [
    last,
    last,
  ])
  await database.run(
    `insert or replace into ${name}_search (rowid, folded) select id, ${searchColumn} from ${name} where id in (${batch})`,
    [last, last],
  )
  await database.run(`delete from ${name}_unsearched where id <= ?`, [last])
  return mergeIndex(database, resource, size)
}

/** The highest id of the next batch. */
async function lastIdOfBatch(database: Database, { name }: Resource, { records, bytes }: StepSize): Promise<number> {
  const rows = await database.all<{ id: number; bytes: number }>(`
    select pending.id, coalesce(octet_length(${searchColumn}), 0) as bytes
    from (${pendingIds(name)} order by id limit ${records}) pending left join ${name} on ${name}.id = pending.id
    order by pending.id`)
  let sum = 0
  const beyond = rows.findIndex((row) => {
    sum += row.bytes
    return sum > bytes
  })
  const count = beyond < 0 ? rows.length : Math.max(beyond, 1)
  return rows[count - 1]?.id ?? 0
}

/** Merges all of SQLite's search index, so that it no longer contains any former text. Takes seconds for a large
 *  index. */
export async function optimizeIndex(database: Database, resource: Resource): Promise<void> {
  const { name } = resource
  if (isSearched(resource)) await database.run(`insert into ${name}_search (${name}_search) values ('optimize')`)
}

/** Merges part of SQLite's search index. Returns whether anything was merged, because then there may be more to
 *  merge. */
export async function mergeIndex(database: Database, resource: Resource, { pages }: StepSize): Promise<boolean> {
  if (!isSearched(resource)) return false
  const { name } = resource
  const countChanges = async () => (await database.get<{ count: number }>('select total_changes() as count'))!.count
  const before = await countChanges()
  await database.run(`insert into ${name}_search (${name}_search, rank) values ('merge', ${pages})`)
  return (await countChanges()) - before >= 2 // according to FTS5, fewer than 2 changes mean that nothing was merged
}
