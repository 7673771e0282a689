// One-time passwords by the clock (RFC 6238: SHA-1, six digits, 30 seconds), as authenticator apps show them.

import { createHmac, timingSafeEqual } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const stepLength = 30_000

/** RFC 4648 base32 without padding. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{1,5}/g, (five) => letters[Number.parseInt(five.padEnd(5, '0'), 2)]!)
}

export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

/** The step of time that a moment is in. */
export function stepOf(now: Date): number {
  return Math.floor(now.getTime() / stepLength)
}

/** The digits of a step (RFC 4226 §5.3). */
export function codeOf(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const number = digest.readUInt32BE(digest[19]! & 15) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step that a code belongs to: the present one or the one before (ASVS 6.5.5), since typing takes time and clocks differ. A
 *  device that is ahead shows a code that counts seconds later. Only steps after `last`: none may be used twice. */
export function matchTimeStep(secret: Buffer, code: string, now: Date, last: number | null): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const present = stepOf(now)
  const matching = [present, present - 1].filter((step) =>
    timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)),
  )
  return matching.find((step) => last === null || step > last)
}
