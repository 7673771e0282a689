// Names and random texts: slugs, ids, and tokens that open something once or for a time, of which only a hash is stored.

import { createHash, randomBytes } from 'node:crypto'

/** 100 random bits in the letters and digits a file name may hold on any system. Never used again. */
export function newId(): string {
  return Array.from(randomBytes(20), (byte) => '0123456789abcdefghijklmnopqrstuv'[byte % 32]).join('')
}

/** What is asked for by anything else is not there; PostgreSQL would not even take U+0000. */
export function isId(text: string): boolean {
  return /^[0-9a-v]{20}$/.test(text)
}

/** 256 random bits in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token: it is random, so that a plain SHA-256 cannot be turned back. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function isTokenShaped(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** What names a tenant: 2 to 40 of a-z, 0-9 and -, starting with a letter. */
export function isSlug(text: string): boolean {
  return /^[a-z][a-z0-9-]{1,39}$/.test(text)
}
