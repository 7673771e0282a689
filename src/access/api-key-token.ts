// Tokens of API keys (§5, contract §4): tdk_ + 10 of id + 32 of secret + 6 of checksum. Only a keyed hash of the secret is stored.

import { createHash, createHmac, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Pepper } from '../catalog/pepper.ts'

/** What a token says: which key it is, and what only its holder knows. */
export type KeyToken = { id: string; secret: string }

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 10
const secretLength = 32
const shape = /^tdk_[0-9A-Za-z]{48}$/

/** A new key. Its id is random, or the one that `once`, a random text, always leads to. */
export function newKeyToken(once?: string): KeyToken {
  return { id: once ? idOf(once) : randomText(idLength), secret: randomText(secretLength) }
}

export function writeToken({ id, secret }: KeyToken): string {
  return `tdk_${id}${secret}${checksum(id + secret)}`
}

/** Not what is mistyped or invented: its checksum tells, without a look at the catalog. */
export function isToken(text: string): boolean {
  return shape.test(text) && checksum(text.slice(4, -6)) === text.slice(-6)
}

/** Where a token has its id; of anything else, any text. */
export function idIn(token: string): string {
  return token.slice(4, 4 + idLength)
}

/** Where a token has its secret. */
export function secretIn(token: string): string {
  return token.slice(4 + idLength, -6)
}

export function isKeyId(text: string): boolean {
  return /^[0-9A-Za-z]{10}$/.test(text)
}

/** HMAC-SHA-256 in hexadecimal, with the pepper of this number. A key whose pepper is no longer there matches nothing. */
export function hashSecret(pepper: Pepper, number: number, secret: string): string {
  const key = pepper.secrets.get(number)
  const digest = createHmac('sha256', key ?? '')
    .update(secret)
    .digest('hex')
  return key === undefined ? '-'.repeat(digest.length) : digest
}

/** As evenly spread as any id: bytes that would favour some letters are passed over. */
function idOf(once: string): string {
  const bytes = [...createHash('sha512').update(once).digest()].filter((byte) => byte < 62 * 4)
  return bytes
    .slice(0, idLength)
    .map((byte) => base62[byte % 62])
    .join('')
}

/** crypto.randomInt has no modulo bias. */
function randomText(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join('')
}

/** CRC-32 in base62. */
function checksum(text: string): string {
  let rest = crc32(`tdk_${text}`)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
