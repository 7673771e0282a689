// Slugs, random ids and random tokens. Only the hash of a token is stored.

import { createHash, randomBytes } from 'node:crypto'

/** 100 random bits, in characters that are safe in file names on every system. */
export function newId(): string {
  return Array.from(randomBytes(20), (byte) => '0123456789abcdefghijklmnopqrstuv'[byte % 32]).join('')
}

/** Anything else cannot exist, and PostgreSQL rejects U+0000, so check this before a query. */
export function isId(text: string): boolean {
  return /^[0-9a-v]{20}$/.test(text)
}

/** 256 random bits in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of a token. Tokens are random, so an unsalted SHA-256 cannot be reversed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function isTokenShaped(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** The name of a tenant in commands: 2 to 40 of a-z, 0-9 and -, starting with a letter. */
export function isSlug(text: string): boolean {
  return /^[a-z][a-z0-9-]{1,39}$/.test(text)
}
