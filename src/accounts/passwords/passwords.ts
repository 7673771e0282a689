// Password hashing: Argon2id with the parameters that OWASP recommends, stored as a PHC string.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createSemaphore, QueueFull } from '../../lib/concurrency.ts'
import { UserError } from '../../lib/user-error.ts'

const argon2Async = promisify(argon2)

/** `memory` is in KiB. A stored hash with other parameters is replaced at the next sign-in. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }

type Cost = typeof cost

/** Too many password hashes are queued. `seconds`: how long to wait before trying again. */
export class TooBusy extends UserError {
  static readonly seconds = 5

  constructor() {
    super('Too many people are signing in. Try again in a few seconds.')
  }
}

/** `isKnownDevice`: the account has signed in from this device before. */
type Hashing = { nonce: Buffer; length: number; cost: Cost; isKnownDevice: boolean }

/** `password`: already normalized to NFKC, as `readPassword` returns it. Throws TooBusy. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  // A user who sets a password is already authenticated.
  const hash = await computeHash(password, { nonce, length: 32, cost, isKnownDevice: true })
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toUnpaddedBase64(nonce)}$${toUnpaddedBase64(hash)}`
}

/** Verifies a password. If there is no stored hash, takes just as long to return false, so that the duration does not
 *  reveal whether the account exists. `isKnownDevice`: see `computeHash`. */
export async function isPasswordOf(
  stored: string | null | undefined,
  password: string,
  isKnownDevice = false,
): Promise<boolean> {
  const { nonce, hash, ...storedCost } = parse(stored ?? '') ?? {
    ...cost,
    nonce: Buffer.alloc(16),
    hash: Buffer.alloc(32),
  }
  const settings = { nonce, length: hash.length, cost: storedCost, isKnownDevice }
  const computed = await computeHash(password.normalize('NFKC'), settings)
  return timingSafeEqual(computed, hash) && Boolean(stored)
}

/** Whether a hash was computed with parameters other than the current ones. */
export function isOutdated(stored: string): boolean {
  const { memory, passes, parallelism } = parse(stored) ?? {}
  return memory !== cost.memory || passes !== cost.passes || parallelism !== cost.parallelism
}

function parse(stored: string): (Cost & { nonce: Buffer; hash: Buffer }) | undefined {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored)
  if (!match) return undefined
  const [, memory, passes, parallelism, nonce = '', hash = ''] = match
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return { ...cost, nonce: Buffer.from(nonce, 'base64'), hash: Buffer.from(hash, 'base64') }
}

function toUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** The maximum number of concurrent hashes. Each uses 19 MiB and one of libuv's four threads, which are also needed for
 *  file I/O and DNS. */
const maxConcurrent = 2
/** The maximum queue length per priority. In a longer queue, users would give up before they get a response. */
const maxWaiting = 50

const hashing = createSemaphore(maxConcurrent, { priorities: 2, maxWaiting })

/** Known devices have priority and a separate queue: during a flood of sign-ins from unknown devices, they wait for at
 *  most one running hash. Throws TooBusy. */
async function computeHash(message: string, { nonce, length, cost, isKnownDevice }: Hashing): Promise<Buffer> {
  const hash = () => argon2Async('argon2id', { message, nonce, tagLength: length, ...cost })
  try {
    return await hashing.run(hash, isKnownDevice ? 0 : 1)
  } catch (error) {
    throw error instanceof QueueFull ? new TooBusy() : error
  }
}
