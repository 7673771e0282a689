// Addresses that people sign in with.

import { sanitizeText } from '../catalog/audit-log.ts'
import { UserError } from '../lib/user-error.ts'
import { email as emailShape } from '../resources/validate.ts'

/** An address as it is stored. Throws UserError. */
export function readEmail(given: string): string {
  const email = normalizeEmail(given)
  if (email.length > 190 || !emailShape.test(email))
    throw new UserError(`${JSON.stringify(given)} is not an e-mail address.`, 'email_invalid')
  return email
}

/** Addresses are compared without case. Whatever was typed, it is short enough to be looked for. */
export function normalizeEmail(given: string): string {
  return sanitizeText(given, 1000)!.trim().toLowerCase()
}
