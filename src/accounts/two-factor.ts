// The second factor of a sign-in: a code of an authenticator app, or one of ten recovery codes, each good for once.

import { randomBytes } from 'node:crypto'
import { type AuditActor, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import { hashToken } from '../catalog/ids.ts'
import { decrypt, encrypt, type Pepper } from '../catalog/pepper.ts'
import type { Role } from '../catalog/roles.ts'
import type { Database } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { fromBase32, matchTimeStep, stepOf, toBase32 } from './totp.ts'

/** A secret to be shown to an authenticator app; `uri` is what its QR code holds. */
export function newSecret(): { secret: string; uri(email: string): string } {
  const secret = toBase32(randomBytes(20))
  return { secret, uri: (email) => secretUri(secret, email) }
}

export function secretUri(secret: string, email: string): string {
  return `otpauth://totp/Tenantdesk:${encodeURIComponent(email)}?secret=${secret}&issuer=Tenantdesk&algorithm=SHA1&digits=6&period=30`
}

/** Turns the second factor on, once the app has shown a right code; the recovery codes, which are shown this once. Throws
 *  Refusal. */
export async function turnOnSecondFactor(
  catalog: Catalog,
  pepper: Pepper,
  userId: string,
  secret: string,
  code: string,
  actor: AuditActor,
): Promise<string[]> {
  const isSecret = /^[A-Z2-7]{32}$/.test(secret)
  const step = isSecret ? matchTimeStep(fromBase32(secret), plain(code), actor.now, null) : undefined
  if (step === undefined)
    throw new UserError('The code is not the one that the app shows now; check the clock of the device.', 'code_wrong')
  const sealed = encrypt(pepper, secret)
  const codes = Array.from({ length: 10 }, newRecoveryCode)
  await catalog.transaction(async (database) => {
    const sql = 'update users set sealed_secret = ?, last_step = ? where id = ? and sealed_secret is null'
    if ((await database.run(sql, [sealed, step, userId])) === 0)
      throw new UserError('The second factor is on already.', 'factor_on')
    await database.run('delete from recovery_codes where user_id = ?', [userId])
    for (const each of codes) {
      const values = [userId, hashToken(plain(each))]
      await database.run('insert into recovery_codes (user_id, hash) values (?, ?)', values)
    }
    await writeEvent(database, 'second_factor_on', actor, { userId })
  }, keepsKeys)
  return codes
}

/** Whether the setting REQUIRE_TWO_FACTOR applies to people of this role. */
export function isSecondFactorRequired(setting: 'none' | 'administrators' | 'all', role: Role): boolean {
  return setting === 'all' || (setting === 'administrators' && role === 'administrator')
}

/** The password alone signs in from now on. */
export async function turnOffSecondFactor(catalog: Catalog, userId: string, actor: AuditActor): Promise<void> {
  await catalog.transaction(async (database) => {
    await database.run('delete from recovery_codes where user_id = ?', [userId])
    const sql = 'update users set sealed_secret = null, last_step = null where id = ? and sealed_secret is not null'
    if ((await database.run(sql, [userId])) > 0) await writeEvent(database, 'second_factor_off', actor, { userId })
  }, keepsKeys)
}

/** How many recovery codes a user has left. */
export async function countRecoveryCodes(catalog: Catalog, userId: string): Promise<number> {
  const sql = 'select count(*) as codes from recovery_codes where user_id = ?'
  return (await catalog.database.get(sql, [userId]))!.codes as number
}

/** Which kind of code it is, if it is right; it is used up by that. In the transaction of the sign-in. */
export async function useCode(
  database: Database,
  pepper: Pepper,
  user: { id: string; sealed_secret: string; last_step: number | null },
  given: string,
  actor: AuditActor,
): Promise<'totp' | 'recovery_code' | undefined> {
  const code = plain(given)
  const last = await readLastStep(database, user, actor.now)
  const step = matchTimeStep(fromBase32(decrypt(pepper, user.sealed_secret)), code, actor.now, last)
  if (step !== undefined) {
    await database.run('update users set last_step = ? where id = ?', [step, user.id])
    return 'totp'
  }
  const used = 'delete from recovery_codes where user_id = ? and hash = ?'
  if ((await database.run(used, [user.id, hashToken(code)])) === 0) return undefined
  await writeEvent(database, 'recovery_code_used', actor, { userId: user.id })
  return 'recovery_code'
}

/** The step of the last code. One that a clock ahead has left becomes the next step, once and for good: codes of the present
 *  moment may have been used and stay refused, those a minute later work. Clocks of nodes may be one step apart. */
async function readLastStep(
  database: Database,
  user: { id: string; last_step: number | null },
  now: Date,
): Promise<number | null> {
  const latest = stepOf(now) + 1
  if (user.last_step === null || user.last_step <= latest) return user.last_step
  await database.run('update users set last_step = ? where id = ?', [latest, user.id])
  return latest
}

/** 120 random bits (ASVS 6.5.2 asks for 112), so that their plain hash cannot be turned back; in groups, to be copied by hand. */
function newRecoveryCode(): string {
  return toBase32(randomBytes(15)).toLowerCase().match(/.{4}/g)!.join('-')
}

/** As it was made, however it was typed. */
function plain(code: string): string {
  return code.slice(0, 100).replaceAll(/[\s-]/g, '').toLowerCase()
}
