// CSRF tokens: each form carries a token that is bound to the session or, before sign-in, to the browser.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A random seed for a browser that has not signed in. */
export function newCsrfSeed(): string {
  return randomBytes(18).toString('base64url')
}

/** Returns the CSRF token for a seed, signed with the first key. After sign-in, the seed contains the session id, which
 *  stays the same when the session's token changes. Before sign-in, it contains a random value from the browser's
 *  cookie. */
export function signCsrfToken(keys: readonly Buffer[], seed: string): string {
  return sign(keys[0]!, seed).toString('base64url')
}

/** Whether the token was signed for this seed with any of the keys. Accepting older keys allows key rotation. */
export function isValidCsrfToken(keys: readonly Buffer[], seed: string, token: string | null): boolean {
  const given = Buffer.from(token ?? '', 'base64url')
  return keys.some((key) => {
    const expected = sign(key, seed)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function sign(key: Buffer, seed: string): Buffer {
  return createHmac('sha256', key).update(`form\n${seed}`).digest()
}
