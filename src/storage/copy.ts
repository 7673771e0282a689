// Copies a tenant's database into an empty one, on any engine, while changes go on: first a snapshot, then a replay
// of the history since then. Every row is read back from the copy and compared.

import type { Database, Row, Value } from '../database/database.ts'
import { changeColumns } from '../resources/records/changes.ts'
import { backfillDerivedColumns } from '../resources/records/derived-columns.ts'
import { booleansOf, columns, type Resource, type Resources, resourceNamed } from '../resources/resource.ts'
import { readCounters, setCounters } from '../resources/schema/counters.ts'
import { createDeferredIndexesIfLarge } from '../resources/schema/deferred-indexes.ts'
import type { TenantDatabase } from './storage.ts'

/** The source or the target of a copy: runs work in a snapshot to read, or in one transaction to write. */
export type CopyEndpoint = <T>(work: (inside: TenantDatabase) => Promise<T>) => Promise<T>

/** Progress of a copy: the last change and the last stored response in it. `changes`: how many the last step
 *  replayed. */
export type Progress = { seq: number; answer: number; changes: number }

/** A table to copy. `key` is a unique column whose values increase. */
type Table = {
  name: string
  key: string
  columns: string[]
  booleans: string[]
  resource?: Resource
}

/** Rows per transaction. */
const pageSize = 500

/** The copy differs from its source and must not be used. */
export class CopyError extends Error {}

/** Copies a snapshot of the source, ids included. */
export async function copyAll(from: CopyEndpoint, to: CopyEndpoint, resources: Resources): Promise<Progress> {
  return from(async (source) => {
    for (const table of tablesOf(resources)) await copyRows(source, to, table, 0)
    return { ...(await lastOf(source.database)), changes: 0 }
  })
}

/** Replays the changes since `progress`, and compares each record they touched. */
export async function catchUp(
  from: CopyEndpoint,
  to: CopyEndpoint,
  resources: Resources,
  progress: Progress,
): Promise<Progress> {
  return from(async (source) => {
    const touched = new Map<string, Set<number>>(resources.map(({ name }) => [name, new Set()]))
    let { seq } = progress
    for (;;) {
      const sql = `select ${changeColumns.join(', ')} from changes where seq > ? order by seq limit ${pageSize}`
      const changes = await source.database.all(sql, [seq])
      if (changes.length === 0) break
      await to((target) => replay(target, resources, changes))
      for (const change of changes) touched.get(change.resource as string)!.add(change.record_id as number)
      seq = changes.at(-1)!.seq as number
    }
    for (const resource of resources) await compareRecords(source, to, resource, [...touched.get(resource.name)!])
    await copyRows(source, to, answersTable, progress.answer)
    const counters = await readCounters(source.database)
    await to(async ({ database }) => setCounters(database, counters))
    return { ...(await lastOf(source.database)), changes: seq - progress.seq }
  })
}

/** The final check before the copy takes over: both databases have the same number of records and changes. Throws
 *  CopyError. */
export async function requireSameCounts(from: CopyEndpoint, to: CopyEndpoint, resources: Resources): Promise<void> {
  for (const name of [...resources.map((each) => each.name), 'changes']) {
    const count = async ({ database }: TenantDatabase) =>
      (await database.get(`select count(*) as count from ${name}`))!.count
    const [here, there] = [await from(count), await to(count)]
    if (here !== there) throw new CopyError(`the copy has ${there} rows of ${name}, not ${here}`)
  }
}

const answersTable: Table = {
  name: 'answers',
  key: 'seq',
  columns: ['seq', 'key', 'at', 'fingerprint', 'status', 'body', 'location', 'scopes'],
  booleans: [],
}

/** Every table of a tenant except `tenant` itself, referenced tables before the tables that refer to them. */
function tablesOf(resources: Resources): Table[] {
  return [
    ...resources.map((resource) => ({
      name: resource.name,
      resource,
      key: 'id',
      columns: columns(resource),
      booleans: booleansOf(resource),
    })),
    { name: 'changes', key: 'seq', columns: changeColumns, booleans: [] },
    answersTable,
  ]
}

/** Copies the rows above a key page by page, comparing each page in the target. */
async function copyRows(source: TenantDatabase, to: CopyEndpoint, table: Table, above: number): Promise<void> {
  const select = `select ${table.columns.join(', ')} from ${table.name} where ${table.key} > ?`
  for (let last = above; ; ) {
    const rows = await source.database.all(`${select} order by ${table.key} limit ${pageSize}`, [last])
    if (rows.length === 0) return
    const end = rows.at(-1)![table.key] as number
    await to(async (target) => {
      if (table === answersTable) await deleteOlderResponses(target.database, rows)
      await insertRows(target, table, rows)
      if (table.resource) {
        backfillDerivedColumns(target.database, table.resource, rows)
        await createDeferredIndexesIfLarge(target.database, table.resource)
      }
      const range = `${select} and ${table.key} <= ? order by ${table.key}`
      requireSame(table, rows, await target.database.all(range, [last, end]))
    })
    last = end
  }
}

async function insertRows({ database }: TenantDatabase, table: Table, rows: Row[]): Promise<void> {
  const places = `(${table.columns.map(() => '?').join(', ')})`
  const sql = `insert into ${table.name} (${table.columns.join(', ')}) values `
  const values = rows.flatMap((row) => table.columns.map((name) => fieldOf(table, row, name)))
  await database.run(sql + rows.map(() => places).join(', '), values)
}

/** Deletes older responses of the same keys: a key may be reused after 24 hours. */
async function deleteOlderResponses(database: Database, rows: Row[]): Promise<void> {
  for (const row of rows) database.runDeferred('delete from answers where key = ?', [row.key!])
}

/** Replays changes in their original order, so that no constraint fails along the way. */
async function replay(target: TenantDatabase, resources: Resources, changes: Row[]): Promise<void> {
  for (const change of changes) replayOne(target, resourceNamed(resources, change.resource as string), change)
  await insertRows(target, tablesOf(resources).find(({ name }) => name === 'changes')!, changes)
}

/** Sends one change without waiting for it; the records are compared after all changes. */
function replayOne({ database }: TenantDatabase, { name }: Resource, change: Row): void {
  const { at, record_id, action, after } = change as { at: string; record_id: number; action: string; after: string }
  if (action === 'delete') {
    database.runDeferred(`delete from ${name} where id = ?`, [record_id])
    return
  }
  const values = JSON.parse(after) as Record<string, Value>
  if (action === 'create') {
    const record = { id: record_id, ...values, created_at: at, updated_at: at }
    const places = Object.keys(record).map(() => '?')
    const insert = `insert into ${name} (${Object.keys(record).join(', ')}) values (${places.join(', ')})`
    database.runDeferred(insert, Object.values(record))
    return
  }
  const sets = [...Object.keys(values), 'updated_at'].map((column) => `${column} = ?`)
  database.runDeferred(`update ${name} set ${sets.join(', ')} where id = ?`, [...Object.values(values), at, record_id])
}

/** Compares the records that were changed, and fills their derived columns for searches. */
async function compareRecords(
  source: TenantDatabase,
  to: CopyEndpoint,
  resource: Resource,
  ids: number[],
): Promise<void> {
  const table = tablesOf([resource])[0]!
  for (let start = 0; start < ids.length; start += pageSize) {
    const page = ids.slice(start, start + pageSize)
    const places = page.map(() => '?').join(', ')
    const sql = `select ${table.columns.join(', ')} from ${table.name} where id in (${places}) order by id`
    const rows = await source.database.all(sql, page)
    await to(async ({ database }) => {
      backfillDerivedColumns(database, resource, rows)
      requireSame(table, rows, await database.all(sql, page))
    })
  }
}

function requireSame(table: Table, here: Row[], there: Row[]): void {
  const text = (rows: Row[]) =>
    JSON.stringify(rows.map((row) => table.columns.map((name) => fieldOf(table, row, name))))
  if (text(here) !== text(there)) throw new CopyError(`rows of ${table.name} are not the same in the copy`)
}

/** Engines store booleans differently. */
function fieldOf(table: Table, row: Row, name: string): Value {
  const value = row[name] as Value
  return value !== null && table.booleans.includes(name) ? Boolean(value) : value
}

async function lastOf(database: Database): Promise<{ seq: number; answer: number }> {
  const sql = `select coalesce((select max(seq) from changes), 0) as seq,
    coalesce((select max(seq) from answers), 0) as answer`
  return (await database.get(sql)) as { seq: number; answer: number }
}
