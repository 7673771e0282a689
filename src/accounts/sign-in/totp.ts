// Time-based one-time passwords (TOTP, RFC 6238: SHA-1, six digits, 30 seconds), as shown by authenticator apps.

import { createHmac, timingSafeEqual } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const stepMs = 30_000

/** RFC 4648 base32 without padding. */
export function toBase32(bytes: Uint8Array): string {
  const groups = regroup(bytes, 8, 5, 'pad')
  return groups.map((group) => alphabet[group]).join('')
}

export function fromBase32(text: string): Buffer {
  const groups = Array.from(text, (letter) => alphabet.indexOf(letter))
  return Buffer.from(regroup(groups, 5, 8, 'drop'))
}

/** Splits groups of `from` bits into groups of `to` bits. `rest`: whether an incomplete last group is padded or
 *  dropped. */
function regroup(groups: Iterable<number>, from: number, to: number, rest: 'pad' | 'drop'): number[] {
  const regrouped: number[] = []
  let [buffer, bits] = [0, 0]
  for (const group of groups) {
    buffer = (buffer << from) | group
    for (bits += from; bits >= to; bits -= to) regrouped.push((buffer >> (bits - to)) & (2 ** to - 1))
    buffer &= 2 ** bits - 1
  }
  if (rest === 'pad' && bits > 0) regrouped.push(buffer << (to - bits))
  return regrouped
}

/** Returns the time step's number (RFC 6238 §4.2). */
export function stepOf(now: Date): number {
  return Math.floor(now.getTime() / stepMs)
}

/** Returns the code for a time step (RFC 4226 §5.3). */
export function codeOf(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const number = digest.readUInt32BE(digest[19]! & 15) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** Returns the code's time step if the code is valid. Accepts the codes for the current and the previous step (ASVS
 *  6.5.5), because typing takes time and clocks differ; if a device's clock is ahead, its code becomes valid when the
 *  code's step begins. Accepts only steps after `lastStep`, so that no code works twice. */
export function matchTimeStep(secret: Buffer, code: string, now: Date, lastStep: number | null): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const current = stepOf(now)
  const matching = [current, current - 1].filter((step) =>
    timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)),
  )
  return matching.find((step) => lastStep === null || step > lastStep)
}
