// Assigns pooled connections to operations. Tenants take turns in fair queues, and tenants with few connections come before
// tenants with many, so that heavy tenants leave connections free for others. A tenant's writes share one connection.

import { Busy, Unavailable } from '../../database/database.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'

/** An operation that waits for a connection. `queuedAt`: by performance.now(). */
export type Waiting = { tenant: string; queuedAt: number; refuse: (error: Error) => void }

export type ConnectionShare<Write extends Waiting> = {
  /** Runs the work when the tenant gets a connection. Throws Busy on a queue timeout, or Unavailable if the tenant's
   *  database has answered none of its operations in the meantime. */
  read<T>(tenant: string, isLong: boolean, work: () => Promise<T>): Promise<T>
  /** Queues a write for `runWrites`. Refuses it with the errors of `read`, or with what `runWrites` throws. */
  write(write: Write): void
  /** To be called while a long write of the tenant goes on. */
  stepDone(tenant: string): void
}

export type ConnectionShareOptions<Write> = {
  connections: number
  queueTimeoutMs: number
  /** Runs writes of one tenant, in order, on one connection. Returns those that it has not begun. */
  runWrites(tenant: string, writes: Write[]): Promise<Write[]>
}

type Read = Waiting & { begin: () => Promise<void> }

/** A tenant with operations running. `answeredAt`: when its database last answered one of them; `steppedAt`: when one of its long
 *  writes last did a step. */
type Holder = { connections: number; answeredAt: number; steppedAt: number }

/** This share of the connections is kept for tenants that hold none. A tenant without a connection gets any free one. A
 *  tenant that holds some gets another only while it holds fewer than the number of free connections minus this share. A
 *  single heavy tenant thus holds a quarter of all connections, and ten heavy tenants leave 4 of 20 free. */
const idleShare = 1 / 2

/** Share of the connections reserved for short operations. Long reads never use it. */
const shortShare = 1 / 10

/** Behind long writes of their tenant, which go on, writes may wait this many times the queue timeout: with the standard one 20 s,
 *  for a few bulk requests on a slow server. */
const timesLonger = 4

/** How many writes of a tenant get a connection together. */
const maxWritesPerTurn = 64

export function openConnectionShare<Write extends Waiting>({
  connections,
  queueTimeoutMs,
  runWrites,
}: ConnectionShareOptions<Write>): ConnectionShare<Write> {
  const [short, long, writes] = [createFairQueue<Read>(), createFairQueue<Read>(), createFairQueue<Write>()]
  const holders = new Map<string, Holder>() // only tenants with operations running
  const writing = new Set<string>() // tenants whose writes are running
  const [forIdle, forShort] = [connections * idleShare, Math.ceil(connections * shortShare)]
  let free = connections
  let isTimed = false
  let isReadNext = false

  function read<T>(tenant: string, isLong: boolean, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject: refuse } = Promise.withResolvers<T>()
    const begin = async () => resolve(await work())
    const queue = isLong ? long : short
    queue.add(tenant, { tenant, queuedAt: performance.now(), refuse, begin })
    beginNext()
    return promise
  }

  function write(waiting: Write): void {
    writes.add(waiting.tenant, waiting)
    beginNext()
  }

  function beginNext(): void {
    while (beginShort() || beginRead(long, free - forShort)) {}
    if (isTimed || [short, long, writes].every((queue) => queue.isEmpty())) return
    isTimed = true
    setTimeout(onTimer, queueTimeoutMs / 20)
  }

  /** Starts short reads and writes in turn. */
  function beginShort(): boolean {
    isReadNext = !isReadNext
    return isReadNext ? beginRead(short, free) || beginWrites() : beginWrites() || beginRead(short, free)
  }

  /** Starts the next read of the queue that may use one of these connections. Returns false if there is none. `left`: free
   *  connections for this kind of operation. */
  function beginRead(queue: typeof short, left: number): boolean {
    const next = queue.take(1, (tenant) => mayHoldAnother(tenant, left))
    if (next) void hold(next.tenant, next.items, () => next.items[0]!.begin())
    return next !== undefined
  }

  /** Starts a tenant's next writes, if none of its writes is running: on several connections they would only wait for the
   *  lock of their tenant. */
  function beginWrites(): boolean {
    const mayBegin = (tenant: string) => !writing.has(tenant) && mayHoldAnother(tenant, free)
    const next = writes.take(maxWritesPerTurn, mayBegin)
    if (next) void hold(next.tenant, next.items, () => takeTurn(next.tenant, next.items))
    return next !== undefined
  }

  async function takeTurn(tenant: string, items: Write[]): Promise<void> {
    writing.add(tenant)
    try {
      const rest = await runWrites(tenant, items)
      holders.get(tenant)!.answeredAt = performance.now()
      writes.requeue(tenant, rest)
      refuseLate()
    } finally {
      writing.delete(tenant)
    }
  }

  function mayHoldAnother(tenant: string, left: number): boolean {
    const held = holders.get(tenant)?.connections ?? 0
    return held === 0 ? left > 0 : held < left - forIdle
  }

  /** Runs operations of a tenant on one connection. An error refuses those that have no result yet. */
  async function hold(tenant: string, items: Waiting[], work: () => Promise<void>): Promise<void> {
    const holder = holders.get(tenant) ?? { connections: 0, answeredAt: -Infinity, steppedAt: -Infinity }
    holders.set(tenant, holder)
    holder.connections++
    free--
    let hasAnswered = true
    try {
      await work()
    } catch (error) {
      hasAnswered = !(error instanceof Unavailable)
      for (const { refuse } of items) refuse(error as Error)
    }
    free++
    holder.connections--
    if (hasAnswered) holder.answeredAt = performance.now()
    beginNext()
    if (holder.connections === 0) holders.delete(tenant)
  }

  function onTimer(): void {
    isTimed = false
    refuseLate()
    beginNext()
  }

  function refuseLate(): void {
    const now = performance.now()
    const isLate = ({ queuedAt }: Waiting) => queuedAt < now - queueTimeoutMs
    const isLateWrite = ({ tenant, queuedAt }: Waiting) => {
      const waitsSince = Math.max(queuedAt, holders.get(tenant)?.steppedAt ?? 0)
      return waitsSince < now - queueTimeoutMs || queuedAt < now - queueTimeoutMs * timesLonger
    }
    const late: Waiting[] = [...short.remove(isLate), ...long.remove(isLate), ...writes.remove(isLateWrite)]
    for (const { tenant, queuedAt, refuse } of late) {
      const holder = holders.get(tenant)
      const isSilent = holder !== undefined && holder.answeredAt < queuedAt
      refuse(isSilent ? new Unavailable('the database does not answer') : new Busy('it waited too long'))
    }
  }

  function stepDone(tenant: string): void {
    const holder = holders.get(tenant)
    if (holder) holder.answeredAt = holder.steppedAt = performance.now()
  }

  return { read, write, stepDone }
}
