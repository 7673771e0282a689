// The format of API key tokens (§5, contract §4): `tdk_`, 10 characters for the id, 32 for the secret and 6 for the
// checksum. Only a keyed hash of the secret is stored.

import { createHash, createHmac, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Pepper } from '../catalog/pepper/pepper.ts'

/** The two parts of a token: the key's public id, and the secret, which only the key's holder knows. */
export type KeyToken = { id: string; secret: string }

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 10
const secretLength = 32
const shape = /^tdk_[0-9A-Za-z]{48}$/

/** Generates an id and a secret. The id is derived from the idempotency key if there is one, so that a repeated request
 *  gets the same id; otherwise the id is random. */
export function newKeyToken(idempotencyKey?: string): KeyToken {
  return { id: idempotencyKey ? deriveId(idempotencyKey) : randomText(idLength), secret: randomText(secretLength) }
}

export function writeToken({ id, secret }: KeyToken): string {
  return `tdk_${id}${secret}${checksum(id + secret)}`
}

/** Checks the format and the checksum, so that mistyped and made-up tokens are rejected without a catalog query. */
export function isToken(text: string): boolean {
  return shape.test(text) && checksum(text.slice(4, -6)) === text.slice(-6)
}

/** Returns the id in a token. The result is meaningless for text that is not a token. */
export function keyIdIn(token: string): string {
  return token.slice(4, 4 + idLength)
}

export function secretIn(token: string): string {
  return token.slice(4 + idLength, -6)
}

export function isKeyId(text: string): boolean {
  return /^[0-9A-Za-z]{10}$/.test(text)
}

/** Returns the HMAC-SHA-256 of the secret in hexadecimal, keyed with the pepper that has this number. If that pepper is
 *  missing, the result does not match any stored hash. */
export function hashSecret(pepper: Pepper, number: number, secret: string): string {
  const key = pepper.secrets.get(number)
  const digest = createHmac('sha256', key ?? '')
    .update(secret)
    .digest('hex')
  return key === undefined ? '-'.repeat(digest.length) : digest
}

/** Derives an id from an idempotency key. Skips bytes that would introduce modulo bias. */
function deriveId(idempotencyKey: string): string {
  const bytes = [...createHash('sha512').update(idempotencyKey).digest()].filter((byte) => byte < 62 * 4)
  return bytes
    .slice(0, idLength)
    .map((byte) => base62[byte % 62])
    .join('')
}

/** Returns random base62 characters. crypto.randomInt has no modulo bias. */
function randomText(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join('')
}

/** Returns the CRC-32 of a token in base62. */
function checksum(text: string): string {
  let remainder = crc32(`tdk_${text}`)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = base62[remainder % 62] + digits
    remainder = Math.floor(remainder / 62)
  }
  return digits
}
