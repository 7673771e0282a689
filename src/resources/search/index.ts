// The index for search in text. What is written with a record, and what finds candidates: every record that holds the text
// is among them, and others may be. SQLite: an FTS5 table of trigrams, filled a little later. PostgreSQL: a GIN index.

import type { Database, Value } from '../../database/database.ts'
import { searchedFields } from '../lists/options.ts'
import type { Resource } from '../resource.ts'
import { bigramHashes, coveringTrigrams, searchColumn, searchText, trigramHashes, trigrams } from './fold.ts'
import type { Selectivity } from './selectivity.ts'

type Engine = Database['engine']

/** Part of a statement, with its values. */
export type Clause = { sql: string; values: Value[] }

/** Trigrams that are looked up for one search: more make it no more exact, since every candidate is checked. */
const mostGrams = 16

/** A trigram that is in so many times the records of a rarer one is not looked up beside it: it costs most and rules out little. */
const tooFrequent = 4

/** Records indexed at a time, and bytes of their text, unless one alone has more: many together cost less than each alone, but
 *  whoever comes meanwhile waits for them. */
const indexAtOnce = { records: 500, bytes: 100_000 }

/** Pages of the index that are merged at a time. */
const mergeAtOnce = 80

/** Where more records than this wait to be indexed, it does not matter how many. */
const mostCounted = 1000

export function isSearched(resource: Resource): boolean {
  return searchedFields(resource).length > 0
}

/** The columns that hold what is searched in, with their types. */
export function searchColumns(engine: Engine, resource: Resource): Record<string, string> {
  if (!isSearched(resource)) return {}
  if (engine === 'sqlite') return { [searchColumn]: `text not null default ''` }
  return { [searchColumn]: `text collate "C" not null default ''`, search_grams: `integer[] not null default '{}'` }
}

/** What is written into those columns for a record with these values. */
export function searchValues(engine: Engine, resource: Resource, values: Record<string, Value>): Record<string, Value> {
  if (!isSearched(resource)) return {}
  const text = searchText(resource, values)
  if (engine === 'sqlite') return { [searchColumn]: text }
  return { [searchColumn]: text, search_grams: `{${trigramHashes(trigrams(text))}}` }
}

/** The statements that take away the index of a table, if it has one. */
export function dropSearchIndex(engine: Engine, { name }: Resource): string[] {
  if (engine === 'postgres') return [`drop index if exists ${name}_search`]
  const triggers = ['insert', 'update', 'delete'].map((event) => `drop trigger if exists ${name}_${event}`)
  const tables = [termsName(name), `${name}_search`, `${name}_unsearched`]
  return [...triggers, ...tables.map((table) => `drop table if exists ${table}`)]
}

function termsName(table: string): string {
  return `${table}_terms`
}

/** What makes the index over a table and what it already holds, by the names that it is known by. In SQLite it is a table, with
 *  another that shows each of its trigrams with the records that have it. */
export function searchIndex(engine: Engine, resource: Resource): { name: string; statements: string[] }[] {
  const name = `${resource.name}_search`
  if (!isSearched(resource)) return []
  if (engine === 'postgres') {
    return [{ name, statements: [`create index ${name} on ${resource.name} using gin (search_grams)`] }]
  }
  const terms = termsName(resource.name)
  const shown = `create virtual table ${terms} using fts5vocab (${name}, instance)`
  return [
    { name, statements: trigramTable(resource) },
    { name: terms, statements: [shown] },
  ]
}

/** With triggers that note what was written, to be indexed in lots. */
function trigramTable(resource: Resource): string[] {
  const { name } = resource
  const remember = (id: string) => `begin insert or ignore into ${name}_unsearched (id) values (${id}); end`
  return [
    `create virtual table ${name}_search using fts5 (
       folded, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
    `create table ${name}_unsearched (id integer primary key) strict`,
    `insert into ${name}_search (rowid, folded) select id, ${searchColumn} from ${name}`,
    ...mergesByLots('sqlite', resource),
    `create trigger ${name}_insert after insert on ${name} ${remember('new.id')}`,
    `create trigger ${name}_update after update of ${searchColumn} on ${name} ${remember('new.id')}`,
    `create trigger ${name}_delete after delete on ${name} ${remember('old.id')}`,
  ]
}

/** Has the index merged with each lot. By itself FTS5 merges some megabytes now and then, and whoever comes meanwhile waits as long
 *  as for ten lots. */
export function mergesByLots(engine: Engine, resource: Resource): string[] {
  if (engine === 'postgres' || !isSearched(resource)) return []
  return [`insert into ${resource.name}_search (${resource.name}_search, rank) values ('automerge', 0)`]
}

/** The records that may hold some texts, as a condition. `probe` gives a row for each of them, except those written lately.
 *  `inTurn`: where they can be had one after the other. */
export type Candidates = { condition: Clause; probe: Clause; inTurn?: InTurn }

/** Ids as the index gives them, in order as `rowid`, and those written lately. Some may be in both. */
export type InTurn = { indexed: Clause; lately: Clause }

/** What narrows a list on SQLite to the records that may hold all of these folded texts; undefined where no text is long enough
 *  to be looked up. */
export function candidates(resource: Resource, texts: readonly string[]): Candidates | undefined {
  const { name } = resource
  const grams = spread([...new Set(texts.flatMap(coveringTrigrams))])
  if (grams.length === 0) return beginnings(resource, texts)
  const match = grams.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ')
  const indexed = { sql: `select rowid from ${name}_search where ${name}_search match ?`, values: [match] }
  const condition = { sql: `id in (${indexed.sql} union all ${pendingIds(name)})`, values: [match] }
  return { condition, probe: indexed, inTurn: { indexed, lately: { sql: pendingIds(name), values: [] } } }
}

/** The same on PostgreSQL, as a condition. */
export function numberedCandidates(texts: readonly string[], odds: Selectivity | undefined): Clause | undefined {
  const numbers = trigramHashes(spread([...new Set(texts.flatMap(coveringTrigrams))]))
  if (numbers.length > 0) {
    const most = odds ? tooFrequent * Math.max(odds.lowest, Math.min(...numbers.map(odds.ofNumber))) : 1
    const rare = numbers.filter((number) => !odds || odds.ofNumber(number) <= most)
    return { sql: 'search_grams @> ?::integer[]', values: [`{${rare}}`] }
  }
  const pair = pairOf(texts)
  return pair === undefined ? undefined : { sql: 'search_grams && ?::integer[]', values: [`{${bigramHashes(pair)}}`] }
}

/** Two letters are the beginning of a trigram wherever they stand: behind the last is a mark. A single one may not be. */
function pairOf(texts: readonly string[]): string | undefined {
  return texts.find((text) => [...text].length === 2)
}

function beginnings({ name }: Resource, texts: readonly string[]): Candidates | undefined {
  const pair = pairOf(texts)
  if (pair === undefined) return undefined
  const sql = `select doc from ${termsName(name)} where term >= ? and term < ?`
  const probe = { sql, values: [pair, `${pair}\u{10ffff}\u{10ffff}`] }
  return { condition: { sql: `id in (${sql} union all ${pendingIds(name)})`, values: probe.values }, probe }
}

function pendingIds(table: string): string {
  return `select id from ${table}_unsearched`
}

/** At most so many, from all over the text. */
function spread(grams: string[]): string[] {
  const step = Math.max(1, grams.length / mostGrams)
  return Array.from({ length: Math.min(grams.length, mostGrams) }, (_, at) => grams[Math.floor(at * step)]!)
}

/** How many records were written that the index of SQLite does not have yet, up to a thousand. */
export async function countUnindexed(database: Database, resource: Resource): Promise<number> {
  if (!isSearched(resource)) return 0
  const some = `select id from ${resource.name}_unsearched limit ${mostCounted}`
  return (await database.get(`select count(*) as count from (${some})`))!.count as number
}

/** Brings some of what was written lately into the index of SQLite; whether something is left to be merged then. */
export async function indexPending(database: Database, resource: Resource): Promise<boolean> {
  const { name } = resource
  const last = await lastOfLot(database, resource)
  const lot = `select id from ${name}_unsearched where id <= ?`
  await database.run(`delete from ${name}_search where rowid in (${lot}) and rowid not in (select id from ${name})`, [
    last,
  ])
  await database.run(
    `insert or replace into ${name}_search (rowid, folded) select id, ${searchColumn} from ${name} where id in (${lot})`,
    [last],
  )
  await database.run(`delete from ${name}_unsearched where id <= ?`, [last])
  return mergeIndex(database, resource)
}

/** The highest id that is to be indexed now. */
async function lastOfLot(database: Database, { name }: Resource): Promise<number> {
  const { records, bytes } = indexAtOnce
  const rows = await database.all(`
    select u.id, coalesce(octet_length(${searchColumn}), 0) as bytes
    from ${name}_unsearched u left join ${name} on ${name}.id = u.id order by u.id limit ${records}`)
  let sum = 0
  const beyond = rows.findIndex((row) => {
    sum += row.bytes as number
    return sum > bytes
  })
  const count = beyond < 0 ? rows.length : Math.max(beyond, 1)
  return (rows[count - 1]?.id as number | undefined) ?? 0
}

/** Merges some of the index of SQLite; whether there was something to merge, and so may be more. */
export async function mergeIndex(database: Database, resource: Resource): Promise<boolean> {
  if (!isSearched(resource)) return false
  const { name } = resource
  const changes = async () => (await database.get('select total_changes() as count'))!.count as number
  const before = await changes()
  await database.run(`insert into ${name}_search (${name}_search, rank) values ('merge', ${mergeAtOnce})`)
  return (await changes()) - before >= 2 // as its documentation says
}
