// Copies a tenant's database into an empty one, on any engine, while requests can still change the tenant. First copies
// a snapshot, then replays the history since the snapshot. Every record is read back from the copy and compared with
// the source.

import type { Row, Value } from '../../engine/database/database.ts'
import { insertRows, unpaddedPlaceholders } from '../../engine/database/statements.ts'
import type { TenantDatabase, TenantWork } from '../../engine/tenant-databases.ts'
import { withConfiguration } from '../declarations/configuration.ts'
import { booleansOf, columns, type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import { historyStart } from '../history/positions.ts'
import { backfillDerivedColumns, createDeferredIndexesIfLarge } from './derived.ts'
import { recordsTable, type TenantTable, tenantTables } from './tables.ts'

/** The source or the target of a copy. The source runs `work` in a snapshot; the target runs `work` in one write
 *  transaction. */
export type CopyEndpoint = <T>(work: TenantWork<T>) => Promise<T>

type TableCopy = { source: TenantDatabase; to: CopyEndpoint; table: TenantTable }

/** The columns of a history row that a copy reads. */
type CopiedChange = {
  seq: number
  at: string
  resource: string
  record_id: number
  action: string
  after: string | null
}

/** Progress of a copy. `last`: the last key copied from each table that is copied in key order. `changes`: the number
 *  of changes that the last step replayed. `start`: the sequence number of the latest change already removed from the
 *  source's history; the remaining history starts after it. */
export type Progress = { last: Record<string, number>; changes: number; start: number }

/** How many rows one query reads. */
const pageSize = 500

/** Thrown if the copy differs from its source, in which case the copy must not be used. */
export class CopyError extends Error {}

/** Copies a snapshot of the source, including ids. Tables whose content is `settings` are left to `catchUp`. */
export async function copyAll(from: CopyEndpoint, to: CopyEndpoint, resources: Resources): Promise<Progress> {
  return from(async (source) => {
    const last: Progress['last'] = {}
    for (const table of tenantTables(resources, source.dialect)) {
      if (table.content === 'settings' || table.content === 'identity') continue
      last[table.name] = await copyRows({ source, to, table }, 0)
    }
    return { last, changes: 0, start: (await historyStart(source.database)).seq }
  })
}

/** Replays the changes since `progress`, compares each record that these changes touched, and copies all settings and
 *  new log rows. */
export async function catchUp(
  from: CopyEndpoint,
  to: CopyEndpoint,
  resources: Resources,
  progress: Progress,
): Promise<Progress> {
  return from(async (source) => {
    const last = { ...progress.last }
    const start = (await historyStart(source.database)).seq
    let changes = 0
    for (const table of tenantTables(resources, source.dialect)) {
      const above = last[table.name] ?? 0
      switch (table.content) {
        case 'history':
          last[table.name] = await replayHistory({ source, to, table }, resources, above)
          changes = last[table.name]! - above // the sequence has no gaps
          if (start > progress.start) await replaceOldHistory({ source, to, table }, start)
          break
        case 'log':
          last[table.name] = await copyRows({ source, to, table }, above)
          break
        case 'settings':
          await replaceRows({ source, to, table })
          break
        case 'records': // changed by replaying the history
        case 'identity':
      }
    }
    return { last, changes, start }
  })
}

/** Copies a database that does not change during the copy, and checks the result. Throws CopyError. */
export async function copyUnchanging(from: CopyEndpoint, to: CopyEndpoint, resources: Resources): Promise<void> {
  await catchUp(from, to, resources, await copyAll(from, to, resources))
  await requireSameCounts(from, to, resources)
}

/** Makes the final check before the copy is used. Throws CopyError unless each table has the same number of rows in
 *  both databases. Logs are not counted, because their old rows are deleted over time. */
export async function requireSameCounts(from: CopyEndpoint, to: CopyEndpoint, resources: Resources): Promise<void> {
  const tables = await from(async ({ dialect }) => tenantTables(resources, dialect))
  for (const { name } of tables.filter(({ content }) => content !== 'log')) {
    const count = async ({ database }: TenantDatabase) =>
      (await database.get(`select count(*) as count from ${name}`))!.count
    const [expected, copied] = [await from(count), await to(count)]
    if (expected !== copied) throw new CopyError(`the copy has ${copied} rows of ${name}, not ${expected}`)
  }
}

/** Returns the columns to copy: all except derived ones. */
function copiedColumns(table: TenantTable): string[] {
  return table.content === 'records' ? columns(table.resource) : Object.keys(table.columns)
}

/** Returns a table's primary key, which is its first column. */
function keyOf(table: TenantTable): string {
  return Object.keys(table.columns)[0]!
}

/** Copies the rows above a key page by page, and compares each page with its copy. Returns the last key. */
async function copyRows({ source, to, table }: TableCopy, above: number): Promise<number> {
  const key = keyOf(table)
  const select = `select ${copiedColumns(table).join(', ')} from ${table.name} where ${key} > ?`
  for (let last = above; ; ) {
    const rows = await source.database.all(`${select} order by ${key} limit ${pageSize}`, [last])
    if (rows.length === 0) return last
    const end = Number(rows.at(-1)![key])
    await to(async (target) => {
      if (table.content === 'log') deleteReplaced(target, table, rows)
      insertCopies(target, table, rows)
      if (table.content === 'records') {
        backfillDerivedColumns(target.database, table.resource, rows)
        await createDeferredIndexesIfLarge(target.database, table.resource)
      }
      const range = `${select} and ${key} <= ? order by ${key}`
      requireSame(table, rows, await target.database.all(range, [last, end]))
    })
    last = end
  }
}

function insertCopies({ database }: TenantDatabase, table: TenantTable, rows: readonly Row[]): void {
  const names = copiedColumns(table)
  const toCopy = (row: Row) => Object.fromEntries(names.map((name) => [name, fieldOf(table, row, name)]))
  insertRows(database, table.name, rows.map(toCopy))
}

/** Deletes the copy's older rows with the same unique key, because an Idempotency-Key may be reused after 24 hours. */
function deleteReplaced({ database }: TenantDatabase, table: TenantTable & { content: 'log' }, rows: Row[]): void {
  const { name, uniqueKey } = table
  for (const row of rows) database.runDeferred(`delete from ${name} where ${uniqueKey} = ?`, [row[uniqueKey]!])
}

/** Replaces the history rows up to `upTo`, because retention has removed some of them from the source since they were
 *  copied. */
async function replaceOldHistory({ source, to, table }: TableCopy, upTo: number): Promise<void> {
  const select = `select ${copiedColumns(table).join(', ')} from ${table.name} where seq > ? and seq <= ? order by seq limit ${pageSize}`
  for (let last = 0; ; ) {
    const rows = await source.database.all(select, [last, upTo])
    const end = rows.length < pageSize ? upTo : Number(rows.at(-1)!.seq)
    await to(async (target) => {
      await target.database.run(`delete from ${table.name} where seq > ? and seq <= ?`, [last, end])
      insertCopies(target, table, rows)
    })
    if (end === upTo) return
    last = end
  }
}

/** Replaces all rows of a small table. */
async function replaceRows({ source, to, table }: TableCopy): Promise<void> {
  const select = `select ${copiedColumns(table).join(', ')} from ${table.name} order by ${keyOf(table)}`
  const rows = await source.database.all(select)
  await to(async (target) => {
    await target.database.run(`delete from ${table.name}`)
    insertCopies(target, table, rows)
    requireSame(table, rows, await target.database.all(select))
  })
}

/** Replays changes above a sequence number, in their original order, so that no constraint fails along the way. Compares
 *  each record that they touched. Returns the last sequence number. */
async function replayHistory(
  { source, to, table }: TableCopy,
  tenantResources: Resources,
  above: number,
): Promise<number> {
  const resources = withConfiguration(tenantResources)
  const touched = new Map<string, Set<number>>(resources.map(({ name }) => [name, new Set()]))
  const select = `select ${copiedColumns(table).join(', ')} from ${table.name} where seq > ? order by seq limit ${pageSize}`
  for (let last = above; ; ) {
    const changes = await source.database.all<CopiedChange>(select, [last])
    if (changes.length === 0) {
      for (const resource of resources) await compareRecords(source, to, resource, [...touched.get(resource.name)!])
      return last
    }
    await to(async (target) => {
      insertCopies(target, table, changes)
      for (const change of changes) replay(target, resourceNamed(resources, change.resource), change)
    })
    for (const { resource, record_id, seq } of changes) {
      touched.get(resource)!.add(record_id)
      last = seq
    }
  }
}

/** Sends one change to the copy without waiting for the result, because the records are compared after all changes. A
 *  record that an undo has recreated keeps its original creation time. */
function replay({ database }: TenantDatabase, { name }: Resource, change: CopiedChange): void {
  const { at, record_id, action, after } = change
  if (action === 'delete') {
    database.runDeferred(`delete from ${name} where id = ?`, [record_id])
    return
  }
  const values: Record<string, Value> = JSON.parse(after!)
  if (action === 'create') {
    const record = { id: record_id, ...values, updated_at: at }
    const names = Object.keys(record)
    const insertSql = `insert into ${name} (${names.join(', ')}, created_at)
      select ${unpaddedPlaceholders(names)}, at from changes where resource = ? and record_id = ? order by seq limit 1`
    database.runDeferred(insertSql, [...Object.values(record), name, record_id])
    return
  }
  const sets = [...Object.keys(values), 'updated_at'].map((column) => `${column} = ?`)
  database.runDeferred(`update ${name} set ${sets.join(', ')} where id = ?`, [...Object.values(values), at, record_id])
}

/** Compares the records that were changed, and fills their derived columns. */
async function compareRecords(
  source: TenantDatabase,
  to: CopyEndpoint,
  resource: Resource,
  ids: number[],
): Promise<void> {
  const table = recordsTable(resource, source.dialect)
  for (let start = 0; start < ids.length; start += pageSize) {
    const page = ids.slice(start, start + pageSize)
    const list = unpaddedPlaceholders(page)
    const sql = `select ${copiedColumns(table).join(', ')} from ${table.name} where id in (${list}) order by id`
    const rows = await source.database.all(sql, page)
    await to(async ({ database }) => {
      backfillDerivedColumns(database, resource, rows)
      requireSame(table, rows, await database.all(sql, page))
    })
  }
}

function requireSame(table: TenantTable, expected: Row[], copied: Row[]): void {
  const names = copiedColumns(table)
  const text = (rows: Row[]) => JSON.stringify(rows.map((row) => names.map((name) => fieldOf(table, row, name))))
  if (text(expected) !== text(copied)) throw new CopyError(`rows of ${table.name} differ in the copy`)
}

/** Returns a row's value in a form that is the same on both engines, because engines store booleans differently. */
function fieldOf(table: TenantTable, row: Row, name: string): Value {
  const value = row[name]!
  const isBoolean = table.content === 'records' && booleansOf(table.resource).includes(name)
  return value !== null && isBoolean ? Boolean(value) : value
}
