// Authentication (§5): reads the API key in the Authorization header and finds its tenant.

import { isUsable } from '../access/api-keys.ts'
import type { Authenticator, Caller } from '../access/authenticator.ts'
import { Problem } from '../problem.ts'
import { isActive } from '../tenants/tenants.ts'

/** Throws `unauthorized`, `invalid_key_format`, `invalid_key`, `key_revoked` or `tenant_suspended`; the checks run in
 *  this order. */
export async function authenticate(
  authenticator: Authenticator,
  authorization: string | undefined,
  now: Date,
): Promise<Caller> {
  const token = bearerToken(authorization)
  if (!token.startsWith('tdk_') || token.length < 40) throw new Problem('invalid_key_format')
  const caller = await authenticator.find(token)
  if (!caller) throw new Problem('invalid_key')
  if (!isUsable(caller, now)) throw new Problem('key_revoked')
  if (!isActive(caller.tenant, now)) throw new Problem('tenant_suspended')
  return caller
}

/** The scheme's name is case-insensitive (RFC 9110 §11.1). */
function bearerToken(authorization: string | undefined): string {
  const match = /^bearer(?: +(.*))?$/i.exec(authorization ?? '')
  if (!match) throw new Problem('unauthorized')
  return match[1] ?? ''
}
