// Signing in. Every failure gives the same answer after the same time, whether or not the account exists.

import { type AuditActor, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import { writeLimitedEvent } from '../catalog/limited-events.ts'
import type { Pepper } from '../catalog/pepper.ts'
import type { Database, Row } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { findDevice, writeDeviceCookie } from './device-cookies.ts'
import { normalizeEmail } from './email-address.ts'
import { type Attempt, beginAttempt, recordSuccess, undoAttempt } from './login-throttle.ts'
import { readPassword } from './password-rules.ts'
import { hashPassword, isOutdated, isPasswordOf, TooBusy } from './passwords.ts'
import { endSessions, insertSession, renewToken, type Session } from './sessions.ts'
import { useCode } from './two-factor.ts'
import { requireUser, type User } from './users.ts'

export type SignIn =
  | { outcome: 'signed_in'; token: string; user: User }
  /** The password is correct; a code is required as well. */
  | { outcome: 'second_factor' }
  | { outcome: 'refused' }
  | { outcome: 'throttled'; seconds: number }

type Account = {
  id: string
  email: string
  password: string | null
  sealed_secret: string | null
  last_step: number | null
}

/** Signs in with a password and, if two-factor authentication is on, a code from the authenticator app or a recovery code. */
export async function signIn(
  catalog: Catalog,
  pepper: Pepper,
  input: { email: string; password: string; code?: string },
  actor: AuditActor,
): Promise<SignIn> {
  const email = normalizeEmail(input.email)
  const account = await findAccount(catalog.database, 'email', email)
  const about = { email, account, password: input.password, stage: 'sign_in' }
  const checked = await checkPassword(catalog, pepper, about, actor)
  if ('throttledFor' in checked) return { outcome: 'throttled', seconds: checked.throttledFor }
  if (!account || !checked.isRight) return { outcome: 'refused' }
  if (account.sealed_secret !== null && !input.code?.trim()) {
    await catalog.transaction((database) => undoAttempt(database, checked.attempt), keepsKeys)
    return { outcome: 'second_factor' }
  }
  const passwordHash = isOutdated(account.password!)
    ? await hashPassword(input.password.normalize('NFKC'))
    : account.password!
  const token = await catalog.transaction(async (database) => {
    const current = await findAccount(database, 'id', account.id)
    if (current?.password !== account.password) return undefined // changed or deleted in the meantime
    const { sealed_secret } = current
    const code = input.code ?? ''
    const second =
      sealed_secret === null ? null : await useCode(database, pepper, { ...current, sealed_secret }, code, actor)
    if (second === undefined) {
      await writeEvent(database, 'sign_in_failed', actor, { userId: account.id, detail: { stage: 'second_factor' } })
      return undefined
    }
    const sql = 'update users set password = ?, last_signed_in_at = ? where id = ?'
    await database.run(sql, [passwordHash, actor.now.toISOString(), account.id])
    await recordSuccess(database, checked.attempt)
    return beginSession(database, account.id, second === null ? ['password'] : ['password', second], actor)
  }, keepsKeys)
  if (token === undefined) return { outcome: 'refused' }
  return { outcome: 'signed_in', token, user: await requireUser(catalog, account.id) }
}

/** Creates a session for a user who has just chosen a password through a link. With two-factor authentication on, the user has
 *  to sign in instead. Throws UserError. */
export async function startSession(catalog: Catalog, userId: string, actor: AuditActor): Promise<string> {
  return catalog.transaction(async (database) => {
    const account = await findAccount(database, 'id', userId)
    if (!account?.password || account.sealed_secret !== null) throw new UserError('Sign in to go on.', 'sign_in')
    const sql = 'update users set last_signed_in_at = ? where id = ?'
    await database.run(sql, [actor.now.toISOString(), userId])
    return beginSession(database, userId, ['link'], actor)
  }, keepsKeys)
}

/** The device cookie for a browser in which this user has just entered the password, see device-cookies.ts. */
export async function issueDeviceCookie(
  catalog: Catalog,
  pepper: Pepper,
  userId: string,
  actor: AuditActor,
): Promise<string | undefined> {
  const account = await findAccount(catalog.database, 'id', userId)
  return account && writeDeviceCookie(pepper, account, actor.deviceCookie, actor.now)
}

/** Changes the password, ends all other sessions of the user and returns the new token of this one. Throws UserError. */
export async function changePassword(
  catalog: Catalog,
  pepper: Pepper,
  userId: string,
  input: { current: string; next: string; sessionId: string },
  actor: AuditActor,
): Promise<string> {
  const user = await requireUser(catalog, userId)
  const { email } = user
  const next = await readPassword(catalog.database, input.next, user)
  const account = await findAccount(catalog.database, 'id', userId)
  const about = { email, account, password: input.current, stage: 'password_change' }
  const checked = await checkPassword(catalog, pepper, about, actor)
  if ('throttledFor' in checked) throw new UserError(`Try again in ${checked.throttledFor} seconds.`, 'throttled')
  if (!account || !checked.isRight) throw new UserError('The current password is not right.', 'password_wrong')
  const hash = await hashPassword(next)
  return catalog.transaction(async (database) => {
    const sql = 'update users set password = ? where id = ? and password = ?'
    const changed = await database.run(sql, [hash, userId, account.password])
    if (changed === 0) throw new UserError('The current password is not right.', 'password_wrong')
    await database.run('delete from links where user_id = ?', [userId])
    await endSessions(database, userId, input.sessionId)
    await recordSuccess(database, checked.attempt)
    await writeEvent(database, 'password_changed', actor, { userId })
    return renewToken(database, input.sessionId, actor.now)
  }, keepsKeys)
}

/** Verifies the password again before a sensitive action. The session counts as confirmed for ten minutes and gets a new
 *  token. */
export async function confirmPassword(
  catalog: Catalog,
  pepper: Pepper,
  session: Session,
  password: string,
  actor: AuditActor,
): Promise<{ token: string } | 'refused' | { throttledFor: number }> {
  const { id: userId, email } = session.user
  const account = await findAccount(catalog.database, 'id', userId)
  const checked = await checkPassword(catalog, pepper, { email, account, password, stage: 'confirmation' }, actor)
  if ('throttledFor' in checked) return checked
  if (!checked.isRight) return 'refused'
  const token = await catalog.transaction(async (database) => {
    await recordSuccess(database, checked.attempt)
    await writeEvent(database, 'password_confirmed', actor, { userId })
    return renewToken(database, session.id, actor.now)
  }, keepsKeys)
  return { token }
}

type PasswordCheck = { isRight: boolean; attempt: Attempt } | { throttledFor: number }

/** Verifies a password unless the attempt is throttled. Counts and records a failure. A success also counts as a failure until
 *  the caller records the final result. */
async function checkPassword(
  catalog: Catalog,
  pepper: Pepper,
  about: { email: string; account: Account | undefined; password: string; stage: string },
  actor: AuditActor,
): Promise<PasswordCheck> {
  const { email, account, stage } = about
  const subject = account ? { userId: account.id } : { email: loggableEmail(email) }
  const device = findDevice(pepper, account, actor.deviceCookie, actor.now)
  const attempt = await beginAttempt(catalog, email, actor, device)
  if ('seconds' in attempt) {
    const write = (database: Database) => writeLimitedEvent(database, `${stage}_throttled`, actor, subject)
    if (attempt.isFirst) await catalog.transaction(write, keepsKeys)
    return { throttledFor: attempt.seconds }
  }
  try {
    const isRight = await isPasswordOf(account?.password, about.password, attempt.isKnownDevice)
    const failure = { ...subject, detail: { stage: 'password' } }
    const write = (database: Database) => writeLimitedEvent(database, `${stage}_failed`, actor, failure)
    if (!isRight) await catalog.transaction(write, keepsKeys)
    return { isRight, attempt }
  } catch (error) {
    if (!(error instanceof TooBusy)) throw error
    await catalog.transaction((database) => undoAttempt(database, attempt), keepsKeys)
    return { throttledFor: TooBusy.seconds }
  }
}

/** `factors`: how the user authenticated, for the audit log (ASVS 16.3.1). */
async function beginSession(database: Database, userId: string, factors: string[], actor: AuditActor): Promise<string> {
  await writeEvent(database, 'signed_in', actor, { userId, detail: { factors } })
  return insertSession(database, userId, actor)
}

async function findAccount(
  database: Pick<Database, 'get'>,
  column: 'id' | 'email',
  value: string,
): Promise<Account | undefined> {
  const sql = `select id, email, password, sealed_secret, last_step from users where ${column} = ?`
  return (await database.get(sql, [value])) as Row | undefined as Account | undefined
}

/** Users sometimes type a password into the email field, so only text that looks like an address is recorded. */
function loggableEmail(email: string): string {
  return email.length <= 190 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : '?'
}
