// A tenant's database copied into an empty one, on any engine, while changes go on: first what is there at one moment, then
// the history that came after it, played again. Every row is read back from where it was written and compared.

import type { Database, Row, Value } from '../database/database.ts'
import { changeColumns } from '../resources/records/changes.ts'
import { backfillDerivedColumns } from '../resources/records/derived-columns.ts'
import { booleansOf, columns, type Resource, type Resources, resourceNamed } from '../resources/resource.ts'
import { readCounters, setCounters } from '../resources/schema/counters.ts'
import { createDeferredIndexesIfLarge } from '../resources/schema/deferred-indexes.ts'
import type { TenantDatabase } from './storage.ts'

/** One of the two databases: runs work in it, reading at one moment or writing in one transaction. */
export type CopyEndpoint = <T>(work: (inside: TenantDatabase) => Promise<T>) => Promise<T>

/** How far a copy has come: the last change and the last kept answer in it. `changes`: how many the last step brought. */
export type Progress = { seq: number; answer: number; changes: number }

/** A table as it is copied: `key` counts up and no two rows share it. */
type Table = {
  name: string
  key: string
  columns: string[]
  booleans: string[]
  resource?: Resource
}

/** Rows per transaction. */
const pageSize = 500

/** A copy that differs from what it was made of: nothing is done with it. */
export class CopyError extends Error {}

/** Copies everything that is there at one moment, with its ids. */
export async function copyAll(from: CopyEndpoint, to: CopyEndpoint, resources: Resources): Promise<Progress> {
  return from(async (source) => {
    for (const table of tablesOf(resources)) await copyRows(source, to, table, 0)
    return { ...(await lastOf(source.database)), changes: 0 }
  })
}

/** Plays again what has changed since `progress`, and compares each record that it touched. */
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

/** The last word before a copy takes over: as many records and changes there as here. Throws CopyError. */
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

/** Every table of a tenant but the one that says whose it is, referred to before referring. */
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

/** Copies the rows above a key, page by page, each compared as it arrives. */
async function copyRows(source: TenantDatabase, to: CopyEndpoint, table: Table, above: number): Promise<void> {
  const select = `select ${table.columns.join(', ')} from ${table.name} where ${table.key} > ?`
  for (let last = above; ; ) {
    const rows = await source.database.all(`${select} order by ${table.key} limit ${pageSize}`, [last])
    if (rows.length === 0) return
    const end = rows.at(-1)![table.key] as number
    await to(async (target) => {
      if (table === answersTable) await forgetKeys(target.database, rows)
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

/** A key may have been used anew after its window: its older answer goes first. */
async function forgetKeys(database: Database, rows: Row[]): Promise<void> {
  for (const row of rows) database.runDeferred('delete from answers where key = ?', [row.key!])
}

/** Does each change again, in the order in which they were made: so no constraint is broken on the way. */
async function replay(target: TenantDatabase, resources: Resources, changes: Row[]): Promise<void> {
  for (const change of changes) replayOne(target, resourceNamed(resources, change.resource as string), change)
  await insertRows(target, tablesOf(resources).find(({ name }) => name === 'changes')!, changes)
}

/** Sends the change on its way; what it did is compared when all have arrived. */
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

/** Compares what the changes have touched, and makes it found by searches. */
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

/** Engines keep booleans in ways of their own. */
function fieldOf(table: Table, row: Row, name: string): Value {
  const value = row[name] as Value
  return value !== null && table.booleans.includes(name) ? Boolean(value) : value
}

async function lastOf(database: Database): Promise<{ seq: number; answer: number }> {
  const sql = `select coalesce((select max(seq) from changes), 0) as seq,
    coalesce((select max(seq) from answers), 0) as answer`
  return (await database.get(sql)) as { seq: number; answer: number }
}
