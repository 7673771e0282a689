// Measures how large a tenant is and how fast it grows.

import type { Resources } from '../domain/declarations/resource.ts'
import { historyStart } from '../domain/history/positions.ts'
import type { Database, Value } from '../engine/database/database.ts'
import type { TenantDatabase, TenantDatabases } from '../engine/tenant-databases.ts'
import type { Tenant } from './tenants.ts'

/** Sizes are in bytes and include indexes. `free_bytes`: unused space in the file, which `tenant compact` returns to
 *  the disk; null on PostgreSQL, which does not report it. `history_start`: the last removed change, after which the
 *  history starts; null if none was removed. `stored_responses_bytes`: the size of the responses stored for
 *  Idempotency-Keys. `months`: the last twelve months with changes in the history; their bytes are estimated from the
 *  number of changes. */
export type TenantStats = {
  slug: string
  server: string
  rows: Record<string, number>
  changes: number
  history_start: { seq: number; at: string } | null
  bytes: number
  history_bytes: number
  stored_responses_bytes: number
  free_bytes: number | null
  months: { month: string; changes: number; bytes: number }[]
}

const maxMonths = 12

/** Reads the whole history, in a snapshot of the database. Throws Unavailable. */
export function readTenantStats(
  databases: TenantDatabases,
  resources: Resources,
  { id, slug, server }: Tenant,
): Promise<TenantStats> {
  return databases.read({ id, server }, async (tenantDatabase) => {
    const { database } = tenantDatabase
    const rows: TenantStats['rows'] = {}
    for (const { name } of resources) rows[name] = await countIn(database, name)
    const sizes = await sizesOf(tenantDatabase)
    const start = await historyStart(database)
    const months = await database.all<{ month: string; changes: number }>(
      `select substr(at, 1, 7) as month, count(*) as changes from changes where seq > ? group by 1 order by 1 desc limit ${maxMonths}`,
      [start.seq],
    )
    const changes = await countIn(database, 'changes where seq > ?', [start.seq])
    // the empty rows that retention leaves take space, too
    const bytesPerChange = sizes.history / Math.max(1, await countIn(database, 'changes'))
    return {
      slug,
      server,
      rows,
      changes,
      history_start: start.seq === 0 ? null : start,
      bytes: sizes.all,
      history_bytes: sizes.history,
      stored_responses_bytes: sizes.responses,
      free_bytes: sizes.free,
      months: months.map(({ month, changes: inMonth }) => ({
        month,
        changes: Number(inMonth),
        bytes: Math.round(Number(inMonth) * bytesPerChange),
      })),
    }
  })
}

/** `source`: the SQL after `from`. */
export async function countIn(database: Database, source: string, values: Value[] = []): Promise<number> {
  return Number((await database.get(`select count(*) as count from ${source}`, values))!.count)
}

type Sizes = { all: number; history: number; responses: number; free: number | null }

async function sizesOf({ database }: TenantDatabase): Promise<Sizes> {
  const tables = await database.all<{ name: string; bytes: number }>(tableSizes[database.engine])
  const bytesOf = (table: string) => Number(tables.find(({ name }) => name === table)?.bytes ?? 0)
  const ofTables = { history: bytesOf('changes'), responses: bytesOf('stored_responses') }
  if (database.engine === 'postgres')
    return { all: tables.reduce((sum, { bytes }) => sum + Number(bytes), 0), ...ofTables, free: null }
  const pragma = async (name: string) => Number(Object.values((await database.get(`pragma ${name}`))!)[0])
  const pageBytes = await pragma('page_size')
  return {
    all: (await pragma('page_count')) * pageBytes,
    ...ofTables,
    free: (await pragma('freelist_count')) * pageBytes,
  }
}

/** On SQLite, only the tables whose sizes are reported: `dbstat` reads every page of a table. */
const tableSizes = {
  sqlite: `select m.tbl_name as name, sum(s.pgsize) as bytes from dbstat s join sqlite_schema m on m.name = s.name
    where m.tbl_name in ('changes', 'stored_responses') and s.aggregate = 1 group by m.tbl_name`,
  postgres: `select c.relname as name, pg_total_relation_size(c.oid) as bytes from pg_class c
    join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relkind in ('r', 'p')`,
}
