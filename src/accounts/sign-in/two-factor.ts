// Two-factor authentication: a code from an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds), or one of
// ten single-use recovery codes.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import { hashToken } from '../../catalog/ids.ts'
import { decrypt, encrypt, type Pepper, type PepperedCatalog } from '../../catalog/pepper/pepper.ts'
import type { Role } from '../../catalog/roles.ts'
import type { Database } from '../../engine/database/database.ts'
import { UserError } from '../../lib/user-error.ts'
import { recordSuccess } from './login-throttle.ts'
import { type Account, checkPassword, findAccount, type PasswordRefusal } from './password-check.ts'
import { endSessionsOf, renewToken, type Session } from './sessions.ts'

/** Generates a secret for an authenticator app. */
export function newSecret(): string {
  return toBase32(randomBytes(20))
}

/** Returns the content of the secret's QR code. */
export function secretUri(secret: string, email: string): string {
  return `otpauth://totp/Tenantdesk:${encodeURIComponent(email)}?secret=${secret}&issuer=Tenantdesk&algorithm=SHA1&digits=6&period=30`
}

/** Turns two-factor authentication on if the code from the app is correct. Returns the recovery codes, which are stored
 *  only as hashes. Throws UserError. */
export async function turnOnSecondFactor(
  { catalog, pepper }: PepperedCatalog,
  userId: string,
  { secret, code }: { secret: string; code: string },
  actor: AuditActor,
): Promise<string[]> {
  const isSecret = /^[A-Z2-7]{32}$/.test(secret)
  const step = isSecret ? matchTimeStep(fromBase32(secret), normalizeCode(code), actor.now, null) : undefined
  if (step === undefined) throw new UserError("Incorrect code. Check that your device's clock is right.", 'code_wrong')
  const encryptedSecret = encrypt(pepper, secret)
  const codes = Array.from({ length: 10 }, newRecoveryCode)
  await catalog.transaction(async (database) => {
    const sql =
      'update users set encrypted_totp_secret = ?, last_totp_step = ? where id = ? and encrypted_totp_secret is null'
    if ((await database.run(sql, [encryptedSecret, step, userId])) === 0)
      throw new UserError('Two-factor authentication is already on.', 'factor_on')
    await database.run('delete from recovery_codes where user_id = ?', [userId])
    for (const recoveryCode of codes) {
      const values = [userId, hashToken(normalizeCode(recoveryCode))]
      await database.run('insert into recovery_codes (user_id, hash) values (?, ?)', values)
    }
    await writeEvent(database, 'second_factor_on', actor, { userId })
  }, keepsCachedKeys)
  return codes
}

/** Whether REQUIRE_TWO_FACTOR applies to this role. */
export function isSecondFactorRequired(setting: 'none' | 'administrators' | 'all', role: Role): boolean {
  return setting === 'all' || (setting === 'administrators' && role === 'administrator')
}

export async function turnOffSecondFactor(catalog: Catalog, userId: string, actor: AuditActor): Promise<void> {
  await catalog.transaction((database) => removeSecondFactor(database, userId, actor), keepsCachedKeys)
}

/** `token`: the session's new token. */
export type TurnOff = { outcome: 'off'; token: string } | { outcome: 'wrong_code' } | PasswordRefusal

/** Lets a user turn off their own second factor. Whoever has only found an open session must not be able to, so the
 *  password and a code are always required (ASVS 7.5.1), and the user's other sessions end. A wrong code counts as a
 *  failed attempt, as at sign-in. */
export async function turnOffOwnSecondFactor(
  { catalog, pepper }: PepperedCatalog,
  session: Session,
  { password, code }: { password: string; code: string },
  actor: AuditActor,
): Promise<TurnOff> {
  const { id, email } = session.user
  const account = await findAccount(catalog.database, 'id', id)
  const check = await checkPassword(catalog, pepper, { email, account, password, stage: 'confirmation' }, actor)
  if (check.outcome !== 'right') return check
  return catalog.transaction(async (database): Promise<TurnOff> => {
    const current = await findAccount(database, 'id', id)
    if (current?.password !== account?.password) return { outcome: 'wrong' } // since changed or deleted
    const factor = current && (await checkCode(database, current, { pepper, code, stage: 'confirmation' }, actor))
    if (factor === 'wrong') return { outcome: 'wrong_code' }
    await recordSuccess(database, check.attempt)
    await removeSecondFactor(database, id, actor)
    await endSessionsOf(database, id, actor, session.id)
    return { outcome: 'off', token: await renewToken(database, session.id, actor.now) }
  }, keepsCachedKeys)
}

export async function removeSecondFactor(database: Database, userId: string, actor: AuditActor): Promise<void> {
  await database.run('delete from recovery_codes where user_id = ?', [userId])
  const sql =
    'update users set encrypted_totp_secret = null, last_totp_step = null where id = ? and encrypted_totp_secret is not null'
  if ((await database.run(sql, [userId])) > 0) await writeEvent(database, 'second_factor_off', actor, { userId })
}

/** Verifies the code of an account with a second factor, marks it as used and records a wrong one, in the transaction
 *  of the sign-in or confirmation. Returns the code's kind; undefined if the account has no second factor. */
export async function checkCode(
  database: Database,
  account: Account,
  { pepper, code, stage }: { pepper: Pepper; code: string; stage: 'sign_in' | 'confirmation' },
  actor: AuditActor,
): Promise<'totp' | 'recovery_code' | 'wrong' | undefined> {
  const { id, encrypted_totp_secret: secret } = account
  if (secret === null) return undefined
  const normalizedCode = normalizeCode(code)
  const lastStep = await readLastStep(database, account, actor.now)
  const step = matchTimeStep(fromBase32(decrypt(pepper, secret)), normalizedCode, actor.now, lastStep)
  if (step !== undefined) {
    await database.run('update users set last_totp_step = ? where id = ?', [step, id])
    return 'totp'
  }
  const sql = 'delete from recovery_codes where user_id = ? and hash = ?'
  if ((await database.run(sql, [id, hashToken(normalizedCode)])) > 0) {
    await writeEvent(database, 'recovery_code_used', actor, { userId: id })
    return 'recovery_code'
  }
  await writeEvent(database, `${stage}_failed`, actor, { userId: id, detail: { stage: 'second_factor' } })
  return 'wrong'
}

/** Returns the time step of the last accepted code. If a node's clock was ahead, that step may lie more than one step
 *  in the future. It is then reset to the next step: codes up to the next step stay invalid, because they may have been
 *  used, and later codes work again. */
async function readLastStep(database: Database, user: Account, now: Date): Promise<number | null> {
  const latest = stepOf(now) + 1
  if (user.last_totp_step === null || user.last_totp_step <= latest) return user.last_totp_step
  await database.run('update users set last_totp_step = ? where id = ?', [latest, user.id])
  return latest
}

/** Returns 120 random bits in groups that are easy to copy. With at least 112 bits (ASVS 6.5.2), an unsalted hash
 *  cannot be reversed. */
function newRecoveryCode(): string {
  return toBase32(randomBytes(15)).toLowerCase().match(/.{4}/g)!.join('-')
}

/** Converts a code to lower case without spaces and hyphens. */
function normalizeCode(code: string): string {
  return code.slice(0, 100).replaceAll(/[\s-]/g, '').toLowerCase()
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const stepMs = 30_000

/** RFC 4648 base32 without padding. */
export function toBase32(bytes: Uint8Array): string {
  const groups = regroup(bytes, 8, 5, 'pad')
  return groups.map((group) => alphabet[group]).join('')
}

export function fromBase32(text: string): Buffer {
  const groups = Array.from(text, (letter) => alphabet.indexOf(letter))
  return Buffer.from(regroup(groups, 5, 8, 'drop'))
}

/** Splits groups of `from` bits into groups of `to` bits. `rest`: whether an incomplete last group is padded or
 *  dropped. */
function regroup(groups: Iterable<number>, from: number, to: number, rest: 'pad' | 'drop'): number[] {
  const regrouped: number[] = []
  let [buffer, bits] = [0, 0]
  for (const group of groups) {
    buffer = (buffer << from) | group
    for (bits += from; bits >= to; bits -= to) regrouped.push((buffer >> (bits - to)) & (2 ** to - 1))
    buffer &= 2 ** bits - 1
  }
  if (rest === 'pad' && bits > 0) regrouped.push(buffer << (to - bits))
  return regrouped
}

/** Returns the time step's number (RFC 6238 §4.2). */
export function stepOf(now: Date): number {
  return Math.floor(now.getTime() / stepMs)
}

/** Returns the code for a time step (RFC 4226 §5.3). */
export function codeOf(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const number = digest.readUInt32BE(digest[19]! & 15) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** Returns the code's time step if the code is valid. Accepts the codes for the current and the previous step (ASVS
 *  6.5.5), because typing takes time and clocks differ; if a device's clock is ahead, its code becomes valid when the
 *  code's step begins. Accepts only steps after `lastStep`, so that no code works twice. */
function matchTimeStep(secret: Buffer, code: string, now: Date, lastStep: number | null): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const current = stepOf(now)
  const matching = [current, current - 1].filter((step) =>
    timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)),
  )
  return matching.find((step) => lastStep === null || step > lastStep)
}
