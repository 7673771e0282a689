// Memberships: users' roles in tenants. An administrator has no memberships; every other user has at least one.

import { transitionalStates } from '../catalog/catalog.ts'
import { isSlug } from '../catalog/ids.ts'
import { type TenantRole, tenantRoles } from '../catalog/roles.ts'
import type { Database } from '../engine/database/database.ts'
import { UserError } from '../lib/user-error.ts'

export type Membership = { tenant_id: string; tenant_slug: string; tenant_name: string; role: TenantRole }

/** Returns the memberships of these users by user id, each sorted by the tenants' slugs. */
export async function readMemberships(
  database: Pick<Database, 'all'>,
  userIds: string[],
): Promise<Map<string, Membership[]>> {
  if (userIds.length === 0) return new Map()
  // For many ids, reading all memberships is faster, and avoids exceeding the maximum number of parameters.
  const where = userIds.length > 500 ? '' : `and m.user_id in (${userIds.map(() => '?').join(', ')})`
  const rows = await database.all<Membership & { user_id: string }>(
    `select m.user_id, m.tenant_id, t.slug as tenant_slug, t.name as tenant_name, m.role
     from memberships m join tenants t on t.id = m.tenant_id
     where t.state not in ${transitionalStates} ${where} order by t.slug`,
    where ? userIds : [],
  )
  const membershipsByUser = new Map<string, Membership[]>()
  for (const { user_id, ...membership } of rows) {
    membershipsByUser.set(user_id, [...(membershipsByUser.get(user_id) ?? []), membership])
  }
  return membershipsByUser
}

/** Throws UserError. */
export function readTenantRole(role: string): TenantRole {
  const tenantRole = tenantRoles.find((candidate) => candidate === role)
  if (tenantRole) return tenantRole
  throw new UserError(
    `There is no role ${JSON.stringify(role)}; the roles are administrator, ${tenantRoles.join(', ')}.`,
  )
}

/** Throws UserError. */
export async function requireTenantId(database: Pick<Database, 'get'>, slug: string): Promise<string> {
  const sql = `select id from tenants where slug = ? and state not in ${transitionalStates}`
  const row = isSlug(slug) && (await database.get<{ id: string }>(sql, [slug]))
  if (!row) throw new UserError(`There is no tenant ${slug}.`, 'tenant_missing')
  return row.id
}

export async function putMembership(
  database: Database,
  { userId, tenantId, role }: { userId: string; tenantId: string; role: TenantRole },
): Promise<void> {
  await database.run(
    `insert into memberships (user_id, tenant_id, role) values (?, ?, ?)
     on conflict (user_id, tenant_id) do update set role = excluded.role`,
    [userId, tenantId, role],
  )
}
