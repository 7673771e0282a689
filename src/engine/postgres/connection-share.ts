// Assigns pooled connections to operations. Tenants take turns in fair queues. The more connections a tenant holds, the
// more connections must be free before the tenant gets another. Heavy tenants therefore leave some connections for
// other tenants. A tenant's writes share one connection.

import { createFairQueue, type FairQueue } from '../../lib/concurrency.ts'
import { Busy, Unavailable } from '../database/database.ts'

/** An operation that waits for a connection. `queuedAt`: from performance.now(). */
export type WaitingOperation = { tenant: string; queuedAt: number; refuse: (error: Error) => void }

export type ConnectionShareOptions<Write> = {
  connections: number
  queueTimeoutMs: number
  /** Runs a tenant's writes, in order, on a single connection. Returns the writes that it has not started. */
  runWrites(tenant: string, writes: Write[]): Promise<Write[]>
}

type Read = WaitingOperation & { begin: () => Promise<void> }

/** A tenant with operations running. `answeredAt`: when the tenant's database last answered one of these operations.
 *  `steppedAt`: when one of the tenant's long writes last completed a step. */
type Holder = { connections: number; answeredAt: number; steppedAt: number }

/** The share of the connections that is kept for tenants that do not hold one yet. Such a tenant can use any free
 *  connection. A tenant that already holds connections gets another only if it holds fewer than the number of free
 *  connections minus this share. A single heavy tenant thus holds a quarter of all connections, and ten heavy tenants
 *  leave 4 of 20 free. */
const idleShare = 1 / 2

/** The share of the connections that is reserved for short operations. Long reads never use this share. */
const shortShare = 1 / 10

/** While the same tenant's long writes make progress, a write may wait this many times the queue timeout. By default
 *  that is 20 s, enough for a few bulk requests on a slow server. */
const maxQueueTimeouts = 4

/** At most this many of a tenant's writes run in a row on one connection. */
const maxWritesPerTurn = 64

export class ConnectionShare<Write extends WaitingOperation> {
  readonly #queueTimeoutMs: number
  readonly #runWrites: ConnectionShareOptions<Write>['runWrites']
  readonly #short = createFairQueue<Read>()
  readonly #long = createFairQueue<Read>()
  readonly #writes = createFairQueue<Write>()
  readonly #holders = new Map<string, Holder>() // only tenants with operations running
  readonly #writing = new Set<string>() // tenants whose writes are running
  readonly #reservedForIdle: number
  readonly #reservedForShort: number
  #free: number
  #hasTimer = false
  #isReadNext = false

  constructor({ connections, queueTimeoutMs, runWrites }: ConnectionShareOptions<Write>) {
    this.#queueTimeoutMs = queueTimeoutMs
    this.#runWrites = runWrites
    this.#reservedForIdle = connections * idleShare
    this.#reservedForShort = Math.ceil(connections * shortShare)
    this.#free = connections
  }

  /** Runs `work` when the tenant gets a connection. After the queue timeout, throws Busy, or Unavailable if the tenant
   *  has operations running and its database has not answered any of them during the wait. */
  read<T>(tenant: string, isLong: boolean, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject: refuse } = Promise.withResolvers<T>()
    const begin = async () => resolve(await work())
    const queue = isLong ? this.#long : this.#short
    queue.add(tenant, { tenant, queuedAt: performance.now(), refuse, begin })
    this.#beginNext()
    return promise
  }

  /** Queues a write for `runWrites`. The write is refused with the errors that `read` throws, or with an error that
   *  `runWrites` throws. */
  write(waiting: Write): void {
    this.#writes.add(waiting.tenant, waiting)
    this.#beginNext()
  }

  /** Call this after each step of one of the tenant's long writes. */
  noteStep(tenant: string): void {
    const holder = this.#holders.get(tenant)
    if (holder) holder.answeredAt = holder.steppedAt = performance.now()
  }

  #beginNext(): void {
    while (this.#beginShort() || this.#beginRead(this.#long, this.#free - this.#reservedForShort)) {}
    const isWaiting = ![this.#short, this.#long, this.#writes].every((queue) => queue.isEmpty())
    if (this.#hasTimer || !isWaiting) return
    this.#hasTimer = true
    setTimeout(() => this.#onTimer(), this.#queueTimeoutMs / 20)
  }

  /** Starts a short read or a tenant's writes, alternating between them. Returns false if neither can start. */
  #beginShort(): boolean {
    this.#isReadNext = !this.#isReadNext
    const read = () => this.#beginRead(this.#short, this.#free)
    return this.#isReadNext ? read() || this.#beginWrites() : this.#beginWrites() || read()
  }

  /** Starts the next read in the queue that may use one of the `available` connections. Returns false if there is no
   *  such read. */
  #beginRead(queue: FairQueue<Read>, available: number): boolean {
    const next = queue.take(1, (tenant) => this.#mayHoldAnother(tenant, available))
    if (next) void this.#hold(next.tenant, next.items, () => next.items[0]!.begin())
    return next !== undefined
  }

  /** Starts the next writes of a tenant that has no writes running, because a second connection would only wait for the
   *  tenant's lock. Returns false if there are no such writes. */
  #beginWrites(): boolean {
    const mayBegin = (tenant: string) => !this.#writing.has(tenant) && this.#mayHoldAnother(tenant, this.#free)
    const next = this.#writes.take(maxWritesPerTurn, mayBegin)
    if (next) void this.#hold(next.tenant, next.items, () => this.#runTurn(next.tenant, next.items))
    return next !== undefined
  }

  async #runTurn(tenant: string, items: Write[]): Promise<void> {
    this.#writing.add(tenant)
    try {
      const rest = await this.#runWrites(tenant, items)
      this.#holders.get(tenant)!.answeredAt = performance.now()
      this.#writes.requeue(tenant, rest)
      this.#refuseLate()
    } finally {
      this.#writing.delete(tenant)
    }
  }

  #mayHoldAnother(tenant: string, available: number): boolean {
    const connections = this.#holders.get(tenant)?.connections ?? 0
    return connections === 0 ? available > 0 : connections < available - this.#reservedForIdle
  }

  /** Runs a tenant's operations on a single connection. After an error, refuses the operations that have no result
   *  yet. */
  async #hold(tenant: string, items: WaitingOperation[], work: () => Promise<void>): Promise<void> {
    const holder = this.#holders.get(tenant) ?? { connections: 0, answeredAt: -Infinity, steppedAt: -Infinity }
    this.#holders.set(tenant, holder)
    holder.connections++
    this.#free--
    let hasAnswered = true
    try {
      await work()
    } catch (error) {
      hasAnswered = !(error instanceof Unavailable)
      for (const { refuse } of items) refuse(error as Error)
    }
    this.#free++
    holder.connections--
    if (hasAnswered) holder.answeredAt = performance.now()
    this.#beginNext()
    if (holder.connections === 0) this.#holders.delete(tenant)
  }

  #onTimer(): void {
    this.#hasTimer = false
    this.#refuseLate()
    this.#beginNext()
  }

  #refuseLate(): void {
    const lateBefore = performance.now() - this.#queueTimeoutMs
    const tooLateBefore = performance.now() - this.#queueTimeoutMs * maxQueueTimeouts
    const isLate = ({ queuedAt }: WaitingOperation) => queuedAt < lateBefore
    const isLateWrite = ({ tenant, queuedAt }: WaitingOperation) => {
      const waitsSince = Math.max(queuedAt, this.#holders.get(tenant)?.steppedAt ?? 0)
      return waitsSince < lateBefore || queuedAt < tooLateBefore
    }
    const late = [...this.#short.remove(isLate), ...this.#long.remove(isLate), ...this.#writes.remove(isLateWrite)]
    for (const { tenant, queuedAt, refuse } of late) {
      const holder = this.#holders.get(tenant)
      const isSilent = holder !== undefined && holder.answeredAt < queuedAt
      refuse(isSilent ? new Unavailable('the database does not answer') : new Busy('the operation waited too long'))
    }
  }
}
