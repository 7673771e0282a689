// CSRF tokens: each form carries a token that is bound to the session, or to the browser before sign-in.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A random seed for a browser that has not signed in. */
export function newCsrfSeed(): string {
  return randomBytes(18).toString('base64url')
}

/** Returns the CSRF token for a seed, signed with the first key. The seed is the id of the session, or before sign-in
 *  the browser's random seed. The id does not change when the session's token does. */
export function signCsrfToken(keys: readonly Buffer[], seed: string): string {
  return sign(keys[0]!, seed).toString('base64url')
}

/** Whether the token matches the seed under any of the keys, so that keys can be rotated. */
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
