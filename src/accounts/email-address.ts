// Validates and normalizes users' email addresses.

import { sanitizeText } from '../catalog/audit/audit-log.ts'
import { emailPattern } from '../domain/fields/field-values.ts'
import { UserError } from '../lib/user-error.ts'

/** Validates an email address and returns its stored form. Throws UserError. */
export function readEmail(given: string): string {
  const email = normalizeEmail(given)
  if (email.length > 190 || !emailPattern.test(email))
    throw new UserError(`${JSON.stringify(given)} is not an email address.`, 'email_invalid')
  return email
}

/** Returns the lower-case form used in queries. Truncates the input and replaces characters that a query cannot
 *  contain. */
export function normalizeEmail(given: string): string {
  return sanitizeText(given, 1000)!.trim().toLowerCase()
}
