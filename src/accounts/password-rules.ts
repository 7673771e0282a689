// Rules for passwords. As NIST SP 800-63B recommends, length counts and there are no composition rules.

import type { Database } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { foldPassword, isCommonPassword } from './common-passwords.ts'
import type { User } from './users.ts'

/** Likely guesses for this product and in the panel's languages, in addition to the list of common passwords. */
const productWords = ['tenantdesk', 'correcthorsebatterystaple', 'login', 'p@ssword']
const localWords = ['willkommen', 'frühling', 'şifre', 'hoşgeldin']

/** Validates a new password and returns it in the form that is hashed. Throws UserError. */
export async function readPassword(
  database: Pick<Database, 'all'>,
  given: string,
  owner: Pick<User, 'email' | 'role' | 'roles'>,
): Promise<string> {
  const password = given.normalize('NFKC')
  const length = [...password].length
  if (length < 12 || length > 128) throw new UserError('A password must have 12 to 128 characters.', 'password_length')
  const folded = foldPassword(password)
  const isGuessable =
    isCommonPassword(folded) || new Set(folded).size < 5 || isMostly(folded, await contextWords(database, owner))
  if (!isGuessable) return password
  throw new UserError('This password is too easy to guess. Use several unrelated words.', 'password_plain')
}

/** Likely guesses for this account (ASVS 6.2.11): the parts of its email address and the names of its tenants, or of all tenants
 *  for an administrator. */
async function contextWords(
  database: Pick<Database, 'all'>,
  { email, role, roles }: Pick<User, 'email' | 'role' | 'roles'>,
): Promise<string[]> {
  const tenants =
    role === 'administrator'
      ? await database.all('select slug, name from tenants', [])
      : roles.map(({ tenant_slug, tenant_name }) => ({ slug: tenant_slug, name: tenant_name }))
  const [name = '', host = ''] = email.split('@')
  const labels = host.split('.').slice(0, -1)
  const texts = [email, name, ...labels, ...tenants.flatMap((tenant) => [tenant.slug as string, tenant.name as string])]
  return texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).map(foldPassword)
}

/** Whether a password consists of guessable words and fewer than four other letters. */
function isMostly(folded: string, context: string[]): boolean {
  const found = [...productWords, ...localWords, ...context].filter((word) => word.length > 2 && folded.includes(word))
  const longestFirst = [...new Set(found)].sort((a, b) => b.length - a.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ''), folded).replaceAll(/\P{L}/gu, '')
  return found.length > 0 && [...rest].length < 4
}
