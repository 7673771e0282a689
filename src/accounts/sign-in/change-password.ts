// Changes or re-verifies a signed-in user's password.

import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { keepsCachedKeys } from '../../catalog/catalog.ts'
import type { PepperedCatalog } from '../../catalog/pepper/pepper.ts'
import { UserError } from '../../lib/user-error.ts'
import { readPassword } from '../passwords/password-rules.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { requireUser } from '../users.ts'
import { recordSuccess } from './login-throttle.ts'
import { checkPassword, findAccount, type PasswordRefusal } from './password-check.ts'
import { endSessions, renewToken, type Session } from './sessions.ts'

/** Changes the password and returns the new token of this session. Ends the user's other sessions and invalidates
 *  unused links. Throws UserError. */
export async function changePassword(
  { catalog, pepper }: PepperedCatalog,
  userId: string,
  input: { current: string; next: string; sessionId: string },
  actor: AuditActor,
): Promise<string> {
  const user = await requireUser(catalog, userId)
  const { email } = user
  const next = await readPassword(catalog.database, input.next, user)
  const account = await findAccount(catalog.database, 'id', userId)
  const attempt = { email, account, password: input.current, stage: 'password_change' }
  const check = await checkPassword(catalog, pepper, attempt, actor)
  if (check.outcome === 'throttled') throw new UserError(`Try again in ${check.seconds} seconds.`, 'throttled')
  if (check.outcome === 'wrong' || !account) throw new UserError('The current password is wrong.', 'password_wrong')
  const hash = await hashPassword(next)
  return catalog.transaction(async (database) => {
    const sql = 'update users set password = ? where id = ? and password = ?'
    const changed = await database.run(sql, [hash, userId, account.password])
    if (changed === 0) throw new UserError('The current password is wrong.', 'password_wrong')
    await database.run('delete from one_time_links where user_id = ?', [userId])
    await endSessions(database, userId, input.sessionId)
    await recordSuccess(database, check.attempt)
    await writeEvent(database, 'password_changed', actor, { userId })
    return renewToken(database, input.sessionId, actor.now)
  }, keepsCachedKeys)
}

export type Confirmation = { outcome: 'confirmed'; token: string } | PasswordRefusal

/** Re-verifies the password before a sensitive action. If the password is correct, the session gets a new token, and
 *  sensitive actions do not ask for the password again for ten minutes. */
export async function confirmPassword(
  { catalog, pepper }: PepperedCatalog,
  session: Session,
  password: string,
  actor: AuditActor,
): Promise<Confirmation> {
  const { id: userId, email } = session.user
  const account = await findAccount(catalog.database, 'id', userId)
  const check = await checkPassword(catalog, pepper, { email, account, password, stage: 'confirmation' }, actor)
  if (check.outcome !== 'right') return check
  const token = await catalog.transaction(async (database) => {
    await recordSuccess(database, check.attempt)
    await writeEvent(database, 'password_confirmed', actor, { userId })
    return renewToken(database, session.id, actor.now)
  }, keepsCachedKeys)
  return { outcome: 'confirmed', token }
}
