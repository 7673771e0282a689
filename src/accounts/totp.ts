// Time-based one-time passwords (TOTP, RFC 6238: SHA-1, six digits, 30 seconds), as shown by authenticator apps.

import { createHmac, timingSafeEqual } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const stepMs = 30_000

/** RFC 4648 base32 without padding. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{1,5}/g, (five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]!)
}

export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

/** The number of the time step (RFC 6238 §4.2). */
export function stepOf(now: Date): number {
  return Math.floor(now.getTime() / stepMs)
}

/** The code of a time step (RFC 4226 §5.3). */
export function codeOf(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const number = digest.readUInt32BE(digest[19]! & 15) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The time step of a valid code: the current one or the one before (ASVS 6.5.5), since typing takes time and clocks differ. A
 *  code from a device whose clock is ahead becomes valid seconds later. Only accepts steps after `last`, so that no code works
 *  twice. */
export function matchTimeStep(secret: Buffer, code: string, now: Date, last: number | null): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const current = stepOf(now)
  const matching = [current, current - 1].filter((step) =>
    timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)),
  )
  return matching.find((step) => last === null || step > last)
}
