// The rows in the catalog that belong to a tenant.

import type { Database } from '../database/database.ts'

/** Deletes a tenant's API keys, their usage and its users with all dependent rows, in the caller's transaction. */
export async function removeTenantRows(database: Database, tenantId: string): Promise<void> {
  for (const table of ['api_keys', 'key_hours', 'key_uses']) {
    await database.run(`delete from ${table} where tenant_id = ?`, [tenantId])
  }
  for (const table of ['sessions', 'recovery_codes', 'links']) {
    await database.run(`delete from ${table} where user_id in (select id from users where tenant_id = ?)`, [tenantId])
  }
  await database.run('delete from users where tenant_id = ?', [tenantId])
}
