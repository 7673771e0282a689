// The rows in the catalog that belong to a tenant.

import type { Database } from '../database/database.ts'

/** Hands a tenant's API keys and users over to another tenant, in the caller's transaction. */
export async function moveTenantRows(database: Database, from: string, to: string): Promise<void> {
  for (const table of ['api_keys', 'api_key_usage_hourly', 'api_key_last_use', 'users'])
    await database.run(`update ${table} set tenant_id = ? where tenant_id = ?`, [to, from])
}

/** Deletes a tenant's API keys and users in the caller's transaction, and with them their usage, sessions, recovery codes and
 *  links. */
export async function removeTenantRows(database: Database, tenantId: string): Promise<void> {
  await database.run('delete from api_keys where tenant_id = ?', [tenantId])
  await database.run('delete from users where tenant_id = ?', [tenantId])
}
