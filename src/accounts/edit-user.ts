// Changes users' names and their roles in tenants, and lets a manager invite a user.

import { type AuditActor, recordEvent, writeEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../catalog/catalog.ts'
import type { TenantRole } from '../catalog/roles.ts'
import type { Database } from '../engine/database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { putMembership, requireTenantId } from './memberships.ts'
import { insertPasswordLink } from './one-time-links/one-time-link-table.ts'
import { beginAttempt, undoAttempt } from './sign-in/login-throttle.ts'
import { endSessionsOf } from './sign-in/sessions.ts'
import { removeSecondFactor } from './sign-in/two-factor.ts'
import { createUser, readUserName, type User, unknownUser } from './users.ts'

/** An empty name removes the user's name. Throws UserError. */
export async function renameUser(catalog: Catalog, id: string, text: string, actor: AuditActor): Promise<void> {
  const name = readUserName(text)
  await catalog.transaction(async (database) => {
    const sql = 'update users set name = ? where id = ?'
    if ((await database.run(sql, [name, id])) === 0) throw new UserError(unknownUser, 'user_missing')
    await writeEvent(database, 'user_renamed', actor, { userId: id })
  }, keepsCachedKeys)
}

/** Sets a user's role in a tenant. The user must not be an administrator. If the user had no role in this tenant, the
 *  account starts afresh: a manager of another tenant may have invited the address and signed in to it first, and must
 *  not gain access to this tenant. Returns the token of the link with which the user then chooses a password; null if
 *  the user already had a role in the tenant. Throws UserError. */
export async function setTenantRole(
  catalog: Catalog,
  userId: string,
  { slug, role }: { slug: string; role: TenantRole },
  actor: AuditActor,
): Promise<string | null> {
  return catalog.transaction(async (database) => {
    await requireMember(database, userId)
    const tenantId = await requireTenantId(database, slug)
    const currentRole = await findRole(database, userId, tenantId)
    if (currentRole === role) return null
    await putMembership(database, { userId, tenantId, role })
    await writeEvent(database, 'role_set', actor, { userId, tenantId, detail: { slug, role } })
    return currentRole === undefined ? resetAccount(database, userId, actor) : null
  }, keepsCachedKeys)
}

/** Makes a user an administrator of the whole installation, who needs no roles in tenants. Like a first role in a
 *  further tenant, this starts the account afresh. Returns the token of the link with which the user then chooses a
 *  password; null if the user already is an administrator. Throws UserError. */
export async function makeAdministrator(catalog: Catalog, userId: string, actor: AuditActor): Promise<string | null> {
  return catalog.transaction(async (database) => {
    const user = await database.get('select role from users where id = ?', [userId])
    if (!user) throw new UserError(unknownUser, 'user_missing')
    if (user.role === 'administrator') return null
    await database.run('delete from memberships where user_id = ?', [userId])
    await database.run(`update users set role = 'administrator' where id = ?`, [userId])
    await writeEvent(database, 'role_set', actor, { userId, detail: { role: 'administrator' } })
    return resetAccount(database, userId, actor)
  }, keepsCachedKeys)
}

/** Removes the password, and with it the known devices; also the second factor, the sessions and unused links. Returns
 *  the token of a new link. */
async function resetAccount(database: Database, userId: string, actor: AuditActor): Promise<string> {
  await database.run(`update users set password = null, state = 'invited' where id = ?`, [userId])
  await removeSecondFactor(database, userId, actor)
  await endSessionsOf(database, userId, actor)
  return insertPasswordLink(database, userId, actor)
}

/** Removes a user's role in a tenant. `onLast`: whether to delete the user or to throw if this is the user's only
 *  tenant. Throws UserError. */
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
    const otherTenants = 'select 1 as found from memberships where user_id = ? and tenant_id <> ? limit 1'
    const isLast = !(await database.get(otherTenants, [userId, tenantId]))
    if (isLast && onLast === 'refuse')
      throw new UserError(`${slug} is the only tenant of this user: delete the user, or add another tenant first.`)
    await writeEvent(database, 'role_removed', actor, { userId, tenantId, detail: { slug } })
    if (isLast) await writeEvent(database, 'user_deleted', actor, { userId, tenantId, detail: { role: 'member' } })
    const sql = isLast
      ? 'delete from users where id = ?'
      : 'delete from memberships where user_id = ? and tenant_id = ?'
    await database.run(sql, isLast ? [userId] : [userId, tenantId])
    return isLast ? 'deleted' : 'removed'
  }, keepsCachedKeys)
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
  return (await database.get<{ role: TenantRole }>(sql, [userId, tenantId]))?.role
}

/** `refused`: the address cannot be invited. `seconds`: how long to wait after too many refusals. */
export type Invitation =
  | { outcome: 'invited'; user: User; token: string }
  | { outcome: 'refused' }
  | { outcome: 'throttled'; seconds: number }

/** An address that already has an account, in whatever tenant, is refused. Each refusal is recorded, and they are
 *  throttled like failed sign-ins, so that a manager cannot find out which addresses have accounts. Throws UserError. */
export async function inviteByEmail(
  catalog: Catalog,
  { email, name, role, slug }: { email: string; name: string; role: TenantRole; slug: string },
  actor: AuditActor,
): Promise<Invitation> {
  const attempt = await beginAttempt(catalog, throttleName(actor), { address: null, now: actor.now })
  if ('seconds' in attempt) return { outcome: 'throttled', seconds: attempt.seconds }
  const forget = () => catalog.transaction((database) => undoAttempt(database, attempt), keepsCachedKeys)
  try {
    const invited = await createUser(catalog, { email, name, role, slugs: [slug] }, actor)
    await forget()
    return { outcome: 'invited', ...invited }
  } catch (error) {
    if (error instanceof UserError && error.reason === 'email_taken') {
      await recordEvent(catalog, 'invite_refused', actor, { detail: { slug } })
      return { outcome: 'refused' }
    }
    await forget()
    throw error
  }
}

/** The name is not a valid email address, so a real account is never throttled because of refused invitations. */
function throttleName({ by }: AuditActor): string {
  return `\ninvite ${by}`
}
