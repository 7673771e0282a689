// Two-factor authentication: a code from an authenticator app, or one of ten single-use recovery codes.

import { randomBytes } from 'node:crypto'
import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import { hashToken } from '../../catalog/ids.ts'
import { decrypt, encrypt, type Pepper } from '../../catalog/pepper/pepper.ts'
import type { Role } from '../../catalog/roles.ts'
import type { Database } from '../../engine/database/database.ts'
import { UserError } from '../../lib/user-error.ts'
import { fromBase32, matchTimeStep, stepOf, toBase32 } from './totp.ts'

/** Generates a secret for an authenticator app. `uri` returns the QR code's content. */
export function newSecret(): { secret: string; uri(email: string): string } {
  const secret = toBase32(randomBytes(20))
  return { secret, uri: (email) => secretUri(secret, email) }
}

export function secretUri(secret: string, email: string): string {
  return `otpauth://totp/Tenantdesk:${encodeURIComponent(email)}?secret=${secret}&issuer=Tenantdesk&algorithm=SHA1&digits=6&period=30`
}

/** Turns two-factor authentication on if the code from the app is correct. Returns the recovery codes, which are stored
 *  only as hashes. Throws UserError. */
export async function turnOnSecondFactor(
  catalog: Catalog,
  pepper: Pepper,
  userId: string,
  secret: string,
  code: string,
  actor: AuditActor,
): Promise<string[]> {
  const isSecret = /^[A-Z2-7]{32}$/.test(secret)
  const step = isSecret ? matchTimeStep(fromBase32(secret), normalizeCode(code), actor.now, null) : undefined
  if (step === undefined) throw new UserError("Incorrect code. Check that your device's clock is right.", 'code_wrong')
  const sealed = encrypt(pepper, secret)
  const codes = Array.from({ length: 10 }, newRecoveryCode)
  await catalog.transaction(async (database) => {
    const sql =
      'update users set encrypted_totp_secret = ?, last_totp_step = ? where id = ? and encrypted_totp_secret is null'
    if ((await database.run(sql, [sealed, step, userId])) === 0)
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

export async function removeSecondFactor(database: Database, userId: string, actor: AuditActor): Promise<void> {
  await database.run('delete from recovery_codes where user_id = ?', [userId])
  const sql =
    'update users set encrypted_totp_secret = null, last_totp_step = null where id = ? and encrypted_totp_secret is not null'
  if ((await database.run(sql, [userId])) > 0) await writeEvent(database, 'second_factor_off', actor, { userId })
}

/** Counts the unused recovery codes. */
export async function countRecoveryCodes(catalog: Catalog, userId: string): Promise<number> {
  const sql = 'select count(*) as codes from recovery_codes where user_id = ?'
  return (await catalog.database.get(sql, [userId]))!.codes as number
}

/** Verifies a code and marks it as used, in the sign-in's transaction. Returns the code's kind, or undefined if
 *  the code is wrong. */
export async function useCode(
  database: Database,
  pepper: Pepper,
  user: { id: string; encrypted_totp_secret: string; last_totp_step: number | null },
  given: string,
  actor: AuditActor,
): Promise<'totp' | 'recovery_code' | undefined> {
  const code = normalizeCode(given)
  const lastStep = await readLastStep(database, user, actor.now)
  const step = matchTimeStep(fromBase32(decrypt(pepper, user.encrypted_totp_secret)), code, actor.now, lastStep)
  if (step !== undefined) {
    await database.run('update users set last_totp_step = ? where id = ?', [step, user.id])
    return 'totp'
  }
  const sql = 'delete from recovery_codes where user_id = ? and hash = ?'
  if ((await database.run(sql, [user.id, hashToken(code)])) === 0) return undefined
  await writeEvent(database, 'recovery_code_used', actor, { userId: user.id })
  return 'recovery_code'
}

/** Returns the time step of the last accepted code. If a node's clock was ahead, that step may lie more than one step
 *  in the future. It is then reset to the next step: codes up to the next step stay invalid, because they may have been
 *  used, and later codes work again. */
async function readLastStep(
  database: Database,
  user: { id: string; last_totp_step: number | null },
  now: Date,
): Promise<number | null> {
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
