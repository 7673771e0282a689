// Checks whether a PostgreSQL server can be used, before its address is stored.

import { openPool } from '../../database/postgres/pool.ts'
import { tenantSchema } from './storage.ts'

export type Findings = {
  /** Whether our role may create schemas in the database. */
  canCreate: boolean
  /** The given tenants whose schema does not exist. */
  missing: string[]
}

/** Connects to a server and checks for tenants' schemas. Throws Unavailable when it cannot be reached. */
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
