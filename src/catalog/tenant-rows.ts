// The rows in the catalog that belong to a tenant.

import type { Database } from '../database/database.ts'

/** Deletes a tenant's API keys and users in the caller's transaction, and with them their usage, sessions, recovery codes and
 *  links. */
export async function removeTenantRows(database: Database, tenantId: string): Promise<void> {
  await database.run('delete from api_keys where tenant_id = ?', [tenantId])
  await database.run('delete from users where tenant_id = ?', [tenantId])
}
