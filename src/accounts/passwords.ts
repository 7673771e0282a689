// How passwords are kept: Argon2id at the cost that OWASP asks for, as a PHC string.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { UserError } from '../lib/user-error.ts'

/** KiB of memory, passes over it, lanes. A stored hash made with others is made anew at the next sign-in. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }

type Cost = typeof cost

/** Too many passwords are being computed; it may be tried again in a moment. */
export class TooBusy extends UserError {
  static readonly seconds = 5

  constructor() {
    super('Too many people are signing in just now; try again in a few seconds.')
  }
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const hash = await compute(password, nonce, 32, cost, true) // whoever sets a password has proved who they are
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(hash)}`
}

/** Whether a password as it was typed is the one behind a hash. Without a hash it takes as long to say no. `isKnownDevice`:
 *  someone has signed in to the account from there before; see `compute`. */
export async function isPasswordOf(
  stored: string | null | undefined,
  given: string,
  isKnownDevice = false,
): Promise<boolean> {
  const { nonce, hash, ...known } = parse(stored ?? '') ?? { ...cost, nonce: Buffer.alloc(16), hash: Buffer.alloc(32) }
  const computed = await compute(given.normalize('NFKC'), nonce, hash.length, known, isKnownDevice)
  return timingSafeEqual(computed, hash) && Boolean(stored)
}

/** Whether a hash was made at another cost than today's. */
export function isOutdated(stored: string): boolean {
  const known = parse(stored)
  return !known || (Object.keys(cost) as (keyof Cost)[]).some((name) => known[name] !== cost[name])
}

function parse(stored: string): (Cost & { nonce: Buffer; hash: Buffer }) | undefined {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored)
  if (!match) return undefined
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number]
  const [nonce, hash] = match.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer]
  return { memory, passes, parallelism, nonce, hash }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** Computations at once: each takes 19 MiB, and a thread of the four that files and names are read with as well. */
const atOnce = 2
/** More waiting computations than this would be answered too late to be of use. */
const maxWaiting = 50

type Queue = (() => void)[]

let running = 0
const queues: { known: Queue; strangers: Queue } = { known: [], strangers: [] }

/** Known devices have a queue of their own, which goes first: a flood of strangers makes them wait for one computation, and
 *  takes none of their places. Throws TooBusy. */
async function compute(
  message: string,
  nonce: Buffer,
  tagLength: number,
  { ...parameters }: Cost,
  isKnownDevice: boolean,
): Promise<Buffer> {
  if (running >= atOnce) {
    const queue = isKnownDevice ? queues.known : queues.strangers
    if (queue.length >= maxWaiting) throw new TooBusy()
    await new Promise<void>((resolve) => queue.push(resolve)) // the computation that ends hands its place over
  } else running++
  try {
    return await new Promise((resolve, reject) =>
      argon2('argon2id', { message, nonce, tagLength, ...parameters }, (error, hash) =>
        error ? reject(error) : resolve(hash),
      ),
    )
  } finally {
    const next = queues.known.shift() ?? queues.strangers.shift()
    if (next) next()
    else running--
  }
}
