// Changes to an existing account: its name, and its roles in tenants.

import { type AuditActor, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import type { TenantRole } from '../catalog/roles.ts'
import type { Database } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { putMembership, requireTenantId } from './memberships.ts'
import { readUserName, unknownUser } from './users.ts'

/** An empty name removes it. Throws UserError. */
export async function renameUser(catalog: Catalog, id: string, given: string, actor: AuditActor): Promise<void> {
  const name = readUserName(given)
  await catalog.transaction(async (database) => {
    const sql = 'update users set name = ? where id = ?'
    if ((await database.run(sql, [name, id])) === 0) throw new UserError(unknownUser, 'user_missing')
    await writeEvent(database, 'user_renamed', actor, { userId: id })
  }, keepsKeys)
}

/** Gives a user who is not an administrator this role in a tenant, in place of the role that the user had there. Links of the user
 *  that are still valid stop working if the tenant is new: whoever made one must not enter the tenant with it. Throws UserError. */
export async function setTenantRole(
  catalog: Catalog,
  userId: string,
  { slug, role }: { slug: string; role: TenantRole },
  actor: AuditActor,
): Promise<void> {
  await catalog.transaction(async (database) => {
    await requireMember(database, userId)
    const tenantId = await requireTenantId(database, slug)
    const present = await findRole(database, userId, tenantId)
    if (present === role) return
    await putMembership(database, { userId, tenantId, role })
    if (present === undefined) await database.run('delete from one_time_links where user_id = ?', [userId])
    await writeEvent(database, 'role_set', actor, { userId, tenantId, detail: { slug, role } })
  }, keepsKeys)
}

/** Takes a user's role in a tenant away. A user without another tenant keeps no account: `onLast` deletes it or refuses.
 *  Throws UserError. */
export async function removeFromTenant(
  catalog: Catalog,
  userId: string,
  { slug, onLast }: { slug: string; onLast: 'delete' | 'refuse' },
  actor: AuditActor,
): Promise<'removed' | 'deleted'> {
  return catalog.transaction(async (database) => {
    await requireMember(database, userId)
    const tenantId = await requireTenantId(database, slug)
    if ((await findRole(database, userId, tenantId)) === undefined)
      throw new UserError(`The user has no role in tenant ${slug}.`, 'user_missing')
    const others = 'select 1 as found from memberships where user_id = ? and tenant_id <> ? limit 1'
    const isLast = !(await database.get(others, [userId, tenantId]))
    if (isLast && onLast === 'refuse')
      throw new UserError(`${slug} is the only tenant of this user: delete the user, or add another tenant first.`)
    await writeEvent(database, 'role_removed', actor, { userId, tenantId, detail: { slug } })
    if (isLast) await writeEvent(database, 'user_deleted', actor, { userId, tenantId, detail: { role: 'member' } })
    const sql = isLast
      ? 'delete from users where id = ?'
      : 'delete from memberships where user_id = ? and tenant_id = ?'
    await database.run(sql, isLast ? [userId] : [userId, tenantId])
    return isLast ? 'deleted' : 'removed'
  }, keepsKeys)
}

/** Throws UserError. */
async function requireMember(database: Database, userId: string): Promise<void> {
  const user = await database.get('select role from users where id = ?', [userId])
  if (!user) throw new UserError(unknownUser, 'user_missing')
  if (user.role === 'administrator')
    throw new UserError('An administrator has access to every tenant already.', 'is_administrator')
}

async function findRole(database: Database, userId: string, tenantId: string): Promise<TenantRole | undefined> {
  const sql = 'select role from memberships where user_id = ? and tenant_id = ?'
  return (await database.get(sql, [userId, tenantId]))?.role as TenantRole | undefined
}
