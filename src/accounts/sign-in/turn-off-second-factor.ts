// Lets a user turn off their own second factor. Whoever has only found an open session must not be able to, so the
// password and a code are always required (ASVS 7.5.1), and the user's other sessions end.

import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import type { Pepper } from '../../catalog/pepper/pepper.ts'
import { recordSuccess } from './login-throttle.ts'
import { checkPassword, findAccount, type PasswordRefusal } from './password-check.ts'
import { endSessionsOf, renewToken, type Session } from './sessions.ts'
import { removeSecondFactor, useCode } from './two-factor.ts'

/** `token`: the session's new token. */
export type TurnOff = { outcome: 'off'; token: string } | { outcome: 'wrong_code' } | PasswordRefusal

/** A wrong code counts as a failed attempt, as at sign-in. */
export async function turnOffOwnSecondFactor(
  { catalog, pepper }: { catalog: Catalog; pepper: Pepper },
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
    const secret = current?.encrypted_totp_secret ?? null
    if (secret !== null) {
      const factor = await useCode(database, pepper, { ...current!, encrypted_totp_secret: secret }, code, actor)
      if (factor === undefined) {
        await writeEvent(database, 'confirmation_failed', actor, { userId: id, detail: { stage: 'second_factor' } })
        return { outcome: 'wrong_code' }
      }
    }
    await recordSuccess(database, check.attempt)
    await removeSecondFactor(database, id, actor)
    await endSessionsOf(database, id, actor, session.id)
    return { outcome: 'off', token: await renewToken(database, session.id, actor.now) }
  }, keepsCachedKeys)
}
