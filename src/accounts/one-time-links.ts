// Links that work once: the first administrator's, and those at which a user chooses a password.

import { type AuditActor, recordEvent, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import { isId, newId } from '../catalog/ids.ts'
import { UserError } from '../lib/user-error.ts'
import { readEmail } from './email-address.ts'
import { beginAttempt, clearFailures } from './login-throttle.ts'
import { insertLink, insertPasswordLink, readLink } from './one-time-link-table.ts'
import { readPassword } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { endSessions, endSessionsOf } from './sessions.ts'
import { findUser, insertUser, isAdministrated, requireUser, type User, unknownUser } from './users.ts'

export type Link = { purpose: 'setup' } | { purpose: 'password'; user: User }

const expiredMessage = 'This link was used already, or is too old; ask for a new one.'

/** The link a person opens. `origin`: where people reach the service. The token is in the fragment, which browsers do not
 *  send: no proxy or server on the way can log it. */
export function linkAddress(origin: string, token: string): string {
  return `${origin}/setup.php#token=${token}`
}

/** The token of a link that makes the first administrator. It is worthless once there is one. */
export async function createSetupLink(catalog: Catalog, now: Date): Promise<string> {
  const actor: AuditActor = { now, by: null, address: null, agent: null }
  return catalog.transaction((database) => insertLink(database, 'setup', null, actor), keepsKeys)
}

/** Resets a user: every session and older link of theirs ends, and the token of a new link is returned, at which they choose a
 *  password. Until then the present password stays. Throws UserError. */
export async function createPasswordLink(catalog: Catalog, userId: string, actor: AuditActor): Promise<string> {
  if (!isId(userId)) throw new UserError(unknownUser, 'user_missing')
  return catalog.transaction(async (database) => {
    const user = await database.get('select 1 as found from users where id = ?', [userId])
    if (!user) throw new UserError(unknownUser, 'user_missing')
    await endSessionsOf(database, userId, actor)
    return insertPasswordLink(database, userId, actor)
  }, keepsKeys)
}

/** What a token opens; undefined when it was used, is too old, or never was. */
export async function findLink(catalog: Catalog, token: string, now: Date): Promise<Link | undefined> {
  const row = await readLink(catalog.database, token, now)
  if (row?.purpose === 'setup') return (await isAdministrated(catalog.database)) ? undefined : { purpose: 'setup' }
  const user = row && (await findUser(catalog, row.user_id as string))
  return user && { purpose: 'password', user }
}

/** Whose failures those of links are counted as: of nobody's address, so that an old link keeps nobody from signing in. */
const links = '\nlink'

/** Records that a link was refused; when many are, the fewer of them the more. */
export async function recordRefusedLink(catalog: Catalog, actor: AuditActor): Promise<void> {
  const attempt = await beginAttempt(catalog, links, { address: null, now: actor.now })
  if (!('seconds' in attempt)) await recordEvent(catalog, 'link_refused', actor, {})
}

/** Makes the first administrator: of two at once, one. Throws UserError. */
export async function useSetupLink(
  catalog: Catalog,
  token: string,
  input: { email: string; password: string },
  actor: AuditActor,
): Promise<User> {
  const link = await findLink(catalog, token, actor.now)
  if (link?.purpose !== 'setup') throw new UserError(expiredMessage, 'link_expired')
  const email = readEmail(input.email)
  const owner = { email, role: 'administrator', tenant_id: null } as const
  const password = await hashPassword(await readPassword(catalog.database, input.password, owner))
  const id = newId()
  await catalog.transaction(async (database) => {
    const row = await readLink(database, token, actor.now)
    if (row?.purpose !== 'setup' || (await isAdministrated(database)))
      throw new UserError(expiredMessage, 'link_expired')
    await insertUser(database, { id, email, role: 'administrator', tenantId: null, password }, actor)
    await database.run(`delete from links where purpose = 'setup'`)
    await writeEvent(database, 'link_used', actor, { userId: id, detail: { purpose: 'setup' } })
  }, keepsKeys)
  return requireUser(catalog, id)
}

/** Sets the password of the link's user, who is active from now on; every session of theirs ends. Throws UserError. */
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
    await database.run('delete from links where user_id = ?', [id])
    await database.run(`update users set password = ?, state = 'active' where id = ?`, [hash, id])
    await endSessions(database, id)
    await clearFailures(database, email)
    await writeEvent(database, 'link_used', actor, { userId: id, detail: { purpose: 'password' } })
    await writeEvent(database, 'password_set', actor, { userId: id })
  }, keepsKeys)
  return requireUser(catalog, id)
}
