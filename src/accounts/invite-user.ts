// Lets a tenant's manager invite a user.

import { type AuditActor, recordEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../catalog/catalog.ts'
import type { TenantRole } from '../catalog/roles.ts'
import { UserError } from '../lib/user-error.ts'
import { beginAttempt, undoAttempt } from './sign-in/login-throttle.ts'
import { createUser, type User } from './users.ts'

/** `refused`: the address cannot be invited. `seconds`: how long to wait after too many refusals. */
export type Invitation =
  | { outcome: 'invited'; user: User; token: string }
  | { outcome: 'refused' }
  | { outcome: 'throttled'; seconds: number }

/** An address that already has an account, in whatever tenant, is refused. Each refusal is recorded, and they are
 *  throttled like failed sign-ins, so that a manager cannot find out which addresses have accounts. Throws UserError. */
export async function inviteByEmail(
  catalog: Catalog,
  { email, name, role, slug }: { email: string; name: string; role: TenantRole; slug: string },
  actor: AuditActor,
): Promise<Invitation> {
  const attempt = await beginAttempt(catalog, throttleName(actor), { address: null, now: actor.now })
  if ('seconds' in attempt) return { outcome: 'throttled', seconds: attempt.seconds }
  const forget = () => catalog.transaction((database) => undoAttempt(database, attempt), keepsCachedKeys)
  try {
    const invited = await createUser(catalog, { email, name, role, slugs: [slug] }, actor)
    await forget()
    return { outcome: 'invited', ...invited }
  } catch (error) {
    if (error instanceof UserError && error.reason === 'email_taken') {
      await recordEvent(catalog, 'invite_refused', actor, { detail: { slug } })
      return { outcome: 'refused' }
    }
    await forget()
    throw error
  }
}

/** The name is not a valid email address, so a real account is never throttled because of refused invitations. */
function throttleName({ by }: AuditActor): string {
  return `\ninvite ${by}`
}
