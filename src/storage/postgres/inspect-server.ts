// Whether a PostgreSQL server can be used, found out before its address is written down.

import { openPool } from '../../database/postgres/pool.ts'
import { tenantSchema } from './storage.ts'

export type Findings = {
  /** Whether our role may make schemas in the database. */
  canCreate: boolean
  /** Those of the tenants asked for whose schema is not there. */
  missing: string[]
}

/** Connects to a server and looks for the databases of tenants. Throws Unavailable when it cannot be reached. */
export async function inspectServer(url: string, tenantIds: string[]): Promise<Findings> {
  const pool = openPool(url, 1)
  try {
    const create = `select has_database_privilege(current_database(), 'create') as allowed`
    const row = await pool.get(create)
    const schemas = await pool.query({ text: 'select nspname from pg_namespace' })
    const names = new Set(schemas.rows.map(({ nspname }) => nspname))
    return {
      canCreate: row!.allowed as boolean,
      missing: tenantIds.filter((id) => !names.has(tenantSchema(id))),
    }
  } finally {
    await pool.close()
  }
}
