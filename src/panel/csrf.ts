// What tells this panel's forms from forged ones: a token that only pages for this session, or this browser, hold.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The text that stands for a browser that has not signed in. */
export function newCsrfSeed(): string {
  return randomBytes(18).toString('base64url')
}

/** The token for forms of `seed`: a session, by its id since its token changes, or a browser's own text. Signed with the first
 *  key. */
export function signCsrfToken(keys: readonly Buffer[], seed: string): string {
  return sign(keys[0]!, seed).toString('base64url')
}

/** Whether a form carries the token of this seed, signed with any of the keys. */
export function isValidCsrfToken(keys: readonly Buffer[], seed: string, token: string | null): boolean {
  const given = Buffer.from(token ?? '', 'base64url')
  return keys.some((key) => {
    const right = sign(key, seed)
    return given.length === right.length && timingSafeEqual(given, right)
  })
}

function sign(key: Buffer, seed: string): Buffer {
  return createHmac('sha256', key).update(`form\n${seed}`).digest()
}
