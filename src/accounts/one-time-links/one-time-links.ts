// One-time links, which are used to create the first administrator or to choose a password.

import { type AuditActor, recordEvent, writeEvent } from '../../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import { isId, newId } from '../../catalog/ids.ts'
import { UserError } from '../../lib/user-error.ts'
import { type PasswordOwner, readPassword } from '../passwords/password-rules.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { beginAttempt, clearFailures } from '../sign-in/login-throttle.ts'
import { endSessions, endSessionsOf } from '../sign-in/sessions.ts'
import {
  findUser,
  hasAdministrator,
  insertUser,
  readEmail,
  readUserName,
  requireUser,
  type User,
  unknownUser,
} from '../users.ts'
import { insertLink, insertPasswordLink, readLink } from './one-time-link-table.ts'

export type OneTimeLink = { purpose: 'setup' } | { purpose: 'password'; user: User }

const expiredMessage = 'This link has already been used or has expired. Ask for a new one.'

/** Returns the URL of a link. `origin`: the public origin of the service. The token is in the fragment, which browsers
 *  do not send, so no proxy or server can log it. */
export function linkAddress(origin: string, token: string): string {
  return `${origin}/setup.php#token=${token}`
}

/** Creates the link for the first administrator and returns its token. The link stops working once there is an active
 *  administrator. */
export async function createSetupLink(catalog: Catalog, now: Date): Promise<string> {
  const actor: AuditActor = { now, by: null, address: null, agent: null }
  return catalog.transaction((database) => insertLink(database, 'setup', null, actor), keepsCachedKeys)
}

/** Creates a link for choosing a password and returns its token. Ends the user's sessions and invalidates older links;
 *  the current password works until the user sets a new one. Throws UserError. */
export async function createPasswordLink(catalog: Catalog, userId: string, actor: AuditActor): Promise<string> {
  if (!isId(userId)) throw new UserError(unknownUser, 'user_missing')
  return catalog.transaction(async (database) => {
    const user = await database.get('select 1 as found from users where id = ?', [userId])
    if (!user) throw new UserError(unknownUser, 'user_missing')
    await endSessionsOf(database, userId, actor)
    return insertPasswordLink(database, userId, actor)
  }, keepsCachedKeys)
}

/** Returns the link for a token; undefined if the link was used, has expired, was invalidated or never existed. */
export async function findLink(catalog: Catalog, token: string, now: Date): Promise<OneTimeLink | undefined> {
  const row = await readLink(catalog.database, token, now)
  if (row?.purpose === 'setup') return (await hasAdministrator(catalog.database)) ? undefined : { purpose: 'setup' }
  const user = row?.user_id && (await findUser(catalog, row.user_id))
  return user ? { purpose: 'password', user } : undefined
}

/** The throttle counts refused links under this name. The name is not a valid email address, so a real account is never
 *  throttled because of refused links. */
const linkThrottleName = '\nlink'

/** Records a refused link in the audit log, throttled like failed sign-ins. */
export async function recordRefusedLink(catalog: Catalog, actor: AuditActor): Promise<void> {
  const attempt = await beginAttempt(catalog, linkThrottleName, { address: null, now: actor.now })
  if (!('seconds' in attempt)) await recordEvent(catalog, 'link_refused', actor, {})
}

/** Creates the first administrator. Of two concurrent calls, only one succeeds. Throws UserError. */
export async function useSetupLink(
  catalog: Catalog,
  token: string,
  input: { email: string; name?: string; password: string },
  actor: AuditActor,
): Promise<User> {
  const link = await findLink(catalog, token, actor.now)
  if (link?.purpose !== 'setup') throw new UserError(expiredMessage, 'link_expired')
  const email = readEmail(input.email)
  const name = readUserName(input.name ?? '')
  const owner: PasswordOwner = { email, role: 'administrator', roles: [] }
  const password = await hashPassword(await readPassword(catalog.database, input.password, owner))
  const id = newId()
  await catalog.transaction(async (database) => {
    const row = await readLink(database, token, actor.now)
    if (row?.purpose !== 'setup' || (await hasAdministrator(database)))
      throw new UserError(expiredMessage, 'link_expired')
    await insertUser(database, { id, email, name, memberships: [], password }, actor)
    await database.run(`delete from one_time_links where purpose = 'setup'`)
    await writeEvent(database, 'link_used', actor, { userId: id, detail: { purpose: 'setup' } })
  }, keepsCachedKeys)
  return requireUser(catalog, id)
}

/** Sets the password of the link's user, activates the account and ends all its sessions. Throws UserError. */
export async function usePasswordLink(
  catalog: Catalog,
  token: string,
  password: string,
  actor: AuditActor,
): Promise<User> {
  const link = await findLink(catalog, token, actor.now)
  if (link?.purpose !== 'password') throw new UserError(expiredMessage, 'link_expired')
  const { id, email } = link.user
  const hash = await hashPassword(await readPassword(catalog.database, password, link.user))
  await catalog.transaction(async (database) => {
    if (!(await readLink(database, token, actor.now))) throw new UserError(expiredMessage, 'link_expired')
    await database.run('delete from one_time_links where user_id = ?', [id])
    await database.run(`update users set password = ?, state = 'active' where id = ?`, [hash, id])
    await endSessions(database, id)
    await clearFailures(database, email)
    await writeEvent(database, 'link_used', actor, { userId: id, detail: { purpose: 'password' } })
    await writeEvent(database, 'password_set', actor, { userId: id })
  }, keepsCachedKeys)
  return requireUser(catalog, id)
}
