// Rules for passwords: 12 to 128 characters that are hard to guess. There are no composition rules, as NIST SP 800-63B
// recommends.

import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import type { Database } from '../../engine/database/database.ts'
import { UserError } from '../../lib/user-error.ts'
import type { User } from '../users.ts'

/** Likely guesses for this product, in addition to the list of common passwords. */
const productWords = ['tenantdesk', 'correcthorsebatterystaple', 'login', 'p@ssword']
/** Likely guesses in the panel's languages. */
const localWords = ['willkommen', 'frühling', 'şifre', 'hoşgeldin']

/** Whose email address and tenants a password must not consist of. */
export type PasswordOwner = Pick<User, 'email' | 'role' | 'roles'>

/** Validates a new password and returns the normalized form to hash. Throws UserError. */
export async function readPassword(
  database: Pick<Database, 'all'>,
  text: string,
  owner: PasswordOwner,
): Promise<string> {
  const password = text.normalize('NFKC')
  const length = [...password].length
  if (length < 12 || length > 128) throw new UserError('A password must have 12 to 128 characters.', 'password_length')
  const folded = foldPassword(password)
  const isGuessable =
    isCommonPassword(folded) || new Set(folded).size < 5 || isMostlyWords(folded, await contextWords(database, owner))
  if (!isGuessable) return password
  throw new UserError('This password is too easy to guess. Use several unrelated words.', 'password_plain')
}

/** Returns likely guesses for this account (ASVS 6.2.11): the parts of its email address, and the names of its tenants;
 *  for an administrator, the names of all tenants. */
async function contextWords(database: Pick<Database, 'all'>, { email, role, roles }: PasswordOwner): Promise<string[]> {
  const tenants =
    role === 'administrator'
      ? await database.all<{ slug: string; name: string }>('select slug, name from tenants')
      : roles.map(({ tenant_slug, tenant_name }) => ({ slug: tenant_slug, name: tenant_name }))
  const [name = '', host = ''] = email.split('@')
  const labels = host.split('.').slice(0, -1)
  const texts = [email, name, ...labels, ...tenants.flatMap(({ slug, name }) => [slug, name])]
  return texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).map(foldPassword)
}

/** Whether a password consists of guessable words with fewer than four other letters. */
function isMostlyWords(folded: string, context: string[]): boolean {
  const guessableWords = [...productWords, ...localWords, ...context].filter(
    (word) => word.length > 2 && folded.includes(word),
  )
  const longestFirst = [...new Set(guessableWords)].sort((a, b) => b.length - a.length)
  const remainingLetters = longestFirst
    .reduce((text, word) => text.replaceAll(word, ''), folded)
    .replaceAll(/\P{L}/gu, '')
  return guessableWords.length > 0 && [...remainingLetters].length < 4
}

const path = new URL('./common-passwords.txt.br', import.meta.url)

/** Common passwords (ASVS 6.2.4), which docs/common-passwords.ts generates: folded, sorted, one per line. The list is
 *  loaded on first use, because it takes up 1.4 MB. */
let list: string | undefined

/** If characters were removed from a password and the remaining text is shorter than this, the text is not looked up,
 *  because it would match too many words. */
const minCoreLength = 5

/** Returns the form used for comparison: case, spaces and full-width letters do not make a password harder to guess. */
export function foldPassword(password: string): string {
  return password.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '')
}

/** Whether a folded password is on the list. Also looks up the password without the digits and symbols at its start,
 *  its end or both. Then removes one to four characters from either end of each of these texts, and looks up the
 *  results. */
export function isCommonPassword(folded: string): boolean {
  const [leadingNonLetters, trailingNonLetters] = [/^\P{L}+/u, /\P{L}+$/u]
  const variants = [
    folded,
    folded.replace(leadingNonLetters, ''),
    folded.replace(trailingNonLetters, ''),
    folded.replace(leadingNonLetters, '').replace(trailingNonLetters, ''),
  ]
  const shortened = variants.flatMap((text) =>
    [1, 2, 3, 4].flatMap((count) => [text.slice(count), text.slice(0, -count)]),
  )
  return variants.some(isListed) || shortened.some((text) => text.length >= minCoreLength && isListed(text))
}

/** Uses a binary search in the text, because a Set of the lines would take ten times as much memory. */
function isListed(text: string): boolean {
  list ??= `${brotliDecompressSync(readFileSync(path)).toString('latin1')}\n`
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const start = list.lastIndexOf('\n', middle - 1) + 1
    const end = list.indexOf('\n', start)
    const line = list.slice(start, end)
    if (line === text) return true
    if (line < text) low = end + 1
    else high = start
  }
  return false
}
