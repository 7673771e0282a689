// Moves and deletes a tenant's rows in the catalog.

import type { Database } from '../../engine/database/database.ts'

/** Moves the API keys, their usage and the memberships from tenant `from` to tenant `to`, in the caller's
 *  transaction. */
export async function moveTenantRows(database: Database, from: string, to: string): Promise<void> {
  for (const table of ['api_keys', 'api_key_usage_hourly', 'api_key_last_use', 'memberships'])
    await database.run(`update ${table} set tenant_id = ? where tenant_id = ?`, [to, from])
}

/** Selects the ids of users who belong to this tenant only. */
export const usersOfTenantAlone = `select m.user_id from memberships m where m.tenant_id = ?
  and not exists (select 1 from memberships o where o.user_id = m.user_id and o.tenant_id <> m.tenant_id)`

/** Deletes a tenant's API keys with their usage, and the tenant's users with their sessions, recovery codes and links,
 *  in the caller's transaction. Users who also belong to another tenant only lose their role in this one. */
export async function removeTenantRows(database: Database, tenantId: string): Promise<void> {
  await database.run('delete from api_keys where tenant_id = ?', [tenantId])
  await database.run(`delete from users where id in (${usersOfTenantAlone})`, [tenantId])
  await database.run('delete from memberships where tenant_id = ?', [tenantId])
}
