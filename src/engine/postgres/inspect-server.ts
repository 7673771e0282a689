// Checks whether a PostgreSQL server can be used, before its URL is stored.

import { readEncoding } from '../database/postgres/encoding.ts'
import { openPool } from '../database/postgres/pool.ts'
import { tenantSchema } from './tenant-schemas.ts'

export type Findings = {
  /** Whether the connection's role may create schemas in the database. */
  canCreate: boolean
  /** The database's encoding. Only UTF8 is supported. */
  encoding: string
  /** The given tenants that have no schema on the server. */
  missing: string[]
  /** How far the server's clock is ahead of this machine's clock. */
  clockAheadMs: number
}

/** Connects to a server and checks for tenants' schemas. Throws Unavailable when the server cannot be reached. */
export async function inspectServer(url: string, tenantIds: string[]): Promise<Findings> {
  const pool = openPool(url, 1)
  try {
    const create = `select has_database_privilege(current_database(), 'create') as allowed`
    const row = await pool.get<{ allowed: boolean }>(create)
    const encoding = await readEncoding(pool)
    const sentAt = Date.now()
    const clock = await pool.get<{ now: number }>(
      'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now',
    )
    const schemas = await pool.query({ text: 'select nspname from pg_namespace' })
    const names = new Set(schemas.rows.map(({ nspname }) => nspname))
    return {
      canCreate: row!.allowed,
      encoding,
      missing: tenantIds.filter((id) => !names.has(tenantSchema(id))),
      clockAheadMs: clock!.now - (sentAt + Date.now()) / 2,
    }
  } finally {
    await pool.close()
  }
}
