// Signs users in. Every failure produces the same response after the same time, whether or not the account exists.

import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import type { Pepper } from '../../catalog/pepper/pepper.ts'
import type { Database } from '../../engine/database/database.ts'
import { UserError } from '../../lib/user-error.ts'
import { hashPassword, isOutdated } from '../passwords/passwords.ts'
import { normalizeEmail, requireUser, type User } from '../users.ts'
import { writeDeviceCookie } from './device-cookies.ts'
import { type Attempt, recordSuccess, undoAttempt } from './login-throttle.ts'
import { type Account, checkPassword, findAccount } from './password-check.ts'
import { insertSession } from './sessions.ts'
import { checkCode } from './two-factor.ts'

export type SignIn =
  | { outcome: 'signed_in'; token: string; user: User }
  /** The password is correct, but a code is also required. */
  | { outcome: 'second_factor' }
  | { outcome: 'refused' }
  | { outcome: 'throttled'; seconds: number }

/** Signs in with a password and, if two-factor authentication is on, a code from the authenticator app or a recovery
 *  code. */
export async function signIn(
  catalog: Catalog,
  pepper: Pepper,
  input: { email: string; password: string; code?: string },
  actor: AuditActor,
): Promise<SignIn> {
  const email = normalizeEmail(input.email)
  const account = await findAccount(catalog.database, 'email', email)
  const attempt = { email, account, password: input.password, stage: 'sign_in' }
  const check = await checkPassword(catalog, pepper, attempt, actor)
  if (check.outcome === 'throttled') return check
  if (check.outcome === 'wrong' || !account) return { outcome: 'refused' }
  if (account.encrypted_totp_secret !== null && !input.code?.trim()) {
    await catalog.transaction((database) => undoAttempt(database, check.attempt), keepsCachedKeys)
    return { outcome: 'second_factor' }
  }
  const checked: CheckedAccount = {
    ...account,
    attempt: check.attempt,
    newHash: await renewOutdatedHash(account, input.password),
  }
  const completed = await catalog.transaction(
    (database) => completeSignIn(database, checked, { pepper, code: input.code ?? '' }, actor),
    keepsCachedKeys,
  )
  if (completed.outcome === 'refused') return completed
  return { ...completed, user: await requireUser(catalog, account.id) }
}

/** An account with a verified password. `newHash`: the password hash to store. */
type CheckedAccount = Account & { attempt: Attempt; newHash: string | null }

/** Returns the stored hash, or a new one if it was computed with outdated parameters. */
async function renewOutdatedHash({ password: stored }: Account, typed: string): Promise<string | null> {
  return stored !== null && isOutdated(stored) ? hashPassword(typed.normalize('NFKC')) : stored
}

/** Checks the second factor if the account has one, and creates the session. */
async function completeSignIn(
  database: Database,
  { id, password, attempt, newHash }: CheckedAccount,
  { pepper, code }: { pepper: Pepper; code: string },
  actor: AuditActor,
): Promise<{ outcome: 'signed_in'; token: string } | { outcome: 'refused' }> {
  const account = await findAccount(database, 'id', id)
  if (account?.password !== password) return { outcome: 'refused' } // since changed or deleted
  const factor = await checkCode(database, account, { pepper, code, stage: 'sign_in' }, actor)
  if (factor === 'wrong') return { outcome: 'refused' }
  const sql = 'update users set password = ?, last_signed_in_at = ? where id = ?'
  await database.run(sql, [newHash, actor.now.toISOString(), id])
  await recordSuccess(database, attempt)
  const factors = factor ? ['password', factor] : ['password']
  return { outcome: 'signed_in', token: await beginSession(database, id, factors, actor) }
}

/** Creates a session for a user who has just chosen a password through a link. Throws UserError if the account has
 *  two-factor authentication: the user must sign in instead. */
export async function startSession(catalog: Catalog, userId: string, actor: AuditActor): Promise<string> {
  return catalog.transaction(async (database) => {
    const account = await findAccount(database, 'id', userId)
    if (!account?.password || account.encrypted_totp_secret !== null)
      throw new UserError('Sign in to continue.', 'sign_in')
    const sql = 'update users set last_signed_in_at = ? where id = ?'
    await database.run(sql, [actor.now.toISOString(), userId])
    return beginSession(database, userId, ['link'], actor)
  }, keepsCachedKeys)
}

/** Returns the device cookie for a browser in which this user has just entered the password, see device-cookies.ts. */
export async function issueDeviceCookie(
  catalog: Catalog,
  pepper: Pepper,
  userId: string,
  actor: AuditActor,
): Promise<string | undefined> {
  const account = await findAccount(catalog.database, 'id', userId)
  return account && writeDeviceCookie(pepper, account, actor.deviceCookie, actor.now)
}

/** `factors`: how the user authenticated, for the audit log (ASVS 16.3.1). */
async function beginSession(database: Database, userId: string, factors: string[], actor: AuditActor): Promise<string> {
  await writeEvent(database, 'signed_in', actor, { userId, detail: { factors } })
  return insertSession(database, userId, actor)
}
