// Verifies an account's password. Attempts are throttled, failures are recorded, and the check takes the same time for
// unknown accounts.

import type { AuditActor } from '../../catalog/audit/audit-log.ts'
import { writeLimitedEvent } from '../../catalog/audit/limited-events.ts'
import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import type { Pepper } from '../../catalog/pepper/pepper.ts'
import type { Database } from '../../engine/database/database.ts'
import { isPasswordOf, TooBusy } from '../passwords/passwords.ts'
import { findDevice } from './device-cookies.ts'
import { type Attempt, beginAttempt, undoAttempt } from './login-throttle.ts'

export type Account = {
  id: string
  email: string
  password: string | null
  encrypted_totp_secret: string | null
  last_totp_step: number | null
}

/** `seconds`: how long to wait before the next attempt. */
export type PasswordRefusal = { outcome: 'wrong' } | { outcome: 'throttled'; seconds: number }

/** If the outcome is `right`, `attempt` counts as failed until the caller records its result. */
export type PasswordCheck = { outcome: 'right'; attempt: Attempt } | PasswordRefusal

/** Verifies a password unless the attempt is throttled. Counts each failure and records it in the audit log. Also
 *  records the first throttled attempt after a failure. */
export async function checkPassword(
  catalog: Catalog,
  pepper: Pepper,
  credentials: { email: string; account: Account | undefined; password: string; stage: string },
  actor: AuditActor,
): Promise<PasswordCheck> {
  const { email, account, stage } = credentials
  const subject = account ? { userId: account.id } : { email: loggableEmail(email) }
  const device = findDevice(pepper, account, actor.deviceCookie, actor.now)
  const attempt = await beginAttempt(catalog, email, actor, device)
  if ('seconds' in attempt) {
    const write = (database: Database) => writeLimitedEvent(database, `${stage}_throttled`, actor, subject)
    if (attempt.isFirst) await catalog.transaction(write, keepsCachedKeys)
    return { outcome: 'throttled', seconds: attempt.seconds }
  }
  try {
    const isRight = await isPasswordOf(account?.password, credentials.password, attempt.isKnownDevice)
    if (isRight) return { outcome: 'right', attempt }
    const failure = { ...subject, detail: { stage: 'password' } }
    const write = (database: Database) => writeLimitedEvent(database, `${stage}_failed`, actor, failure)
    await catalog.transaction(write, keepsCachedKeys)
    return { outcome: 'wrong' }
  } catch (error) {
    if (!(error instanceof TooBusy)) throw error
    await catalog.transaction((database) => undoAttempt(database, attempt), keepsCachedKeys)
    return { outcome: 'throttled', seconds: TooBusy.seconds }
  }
}

export async function findAccount(
  database: Pick<Database, 'get'>,
  column: 'id' | 'email',
  value: string,
): Promise<Account | undefined> {
  const sql = `select id, email, password, encrypted_totp_secret, last_totp_step from users where ${column} = ?`
  return database.get<Account>(sql, [value])
}

/** Returns `?` for text that does not look like an address: users sometimes type a password into the email field. */
function loggableEmail(email: string): string {
  return email.length <= 190 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : '?'
}
