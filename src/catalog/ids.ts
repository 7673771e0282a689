// Slugs, random ids and random tokens. Only the hash of a token is stored.

import { createHash, randomBytes } from 'node:crypto'

/** Returns 100 random bits, in characters that are safe in file names on every system. */
export function newId(): string {
  return Array.from(randomBytes(20), (byte) => '0123456789abcdefghijklmnopqrstuv'[byte % 32]).join('')
}

/** Check this before a query: PostgreSQL rejects text with U+0000. */
export function isId(text: string): boolean {
  return /^[0-9a-v]{20}$/.test(text)
}

/** Returns 256 random bits in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the stored form of a token. Tokens are random, so an unsalted SHA-256 hash cannot be reversed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function isTokenShaped(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

export const maxSlugLength = 40

/** Slugs name tenants in commands: 2 to 40 of the characters a-z, 0-9 and -, starting with a letter. */
export function isSlug(text: string): boolean {
  return /^[a-z][a-z0-9-]{1,39}$/.test(text)
}
