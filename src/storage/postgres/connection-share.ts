// Assigns pooled connections to operations. Tenants take turns in a fair queue, and tenants with few connections come
// before tenants with many, so that heavy tenants leave connections free for others.

import { Busy, Unavailable } from '../../database/database.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'

export type ConnectionShare = {
  /** Runs the work when the tenant gets a connection. Throws Busy on a queue timeout, or Unavailable if the tenant's
   *  database has answered none of its operations in the meantime. */
  run<T>(tenant: string, isLong: boolean, work: () => Promise<T>): Promise<T>
}

type Waiting = { tenant: string; queuedAt: number; begin: () => void; refuse: (error: Error) => void }

/** A tenant with operations running. `answeredAt`: when its database last answered one of them. */
type Holder = { connections: number; answeredAt: number }

/** This share of the connections is kept for tenants that hold none. A tenant without a connection gets any free one. A
 *  tenant that holds some gets another only while it holds fewer than the number of free connections minus this share. A
 *  single heavy tenant thus holds a quarter of all connections, and ten heavy tenants leave 4 of 20 free. */
const idleShare = 1 / 2

/** Share of the connections reserved for short operations. Long reads never use it. */
const shortShare = 1 / 10

export function openConnectionShare(connections: number, queueTimeoutMs: number): ConnectionShare {
  const [short, long] = [createFairQueue<Waiting>(), createFairQueue<Waiting>()]
  const holders = new Map<string, Holder>() // only tenants with operations running
  const [forIdle, forShort] = [connections * idleShare, Math.ceil(connections * shortShare)]
  let free = connections
  let isTimed = false

  async function run<T>(tenant: string, isLong: boolean, work: () => Promise<T>): Promise<T> {
    await enter(tenant, isLong)
    let hasAnswered = true
    try {
      return await work()
    } catch (error) {
      hasAnswered = !(error instanceof Unavailable)
      throw error
    } finally {
      leave(tenant, hasAnswered)
    }
  }

  function enter(tenant: string, isLong: boolean): Promise<void> {
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>()
    const queue = isLong ? long : short
    queue.add(tenant, { tenant, queuedAt: performance.now(), begin, refuse })
    beginNext()
    return promise
  }

  function leave(tenant: string, hasAnswered: boolean): void {
    const holder = holders.get(tenant)!
    free++
    holder.connections--
    if (hasAnswered) holder.answeredAt = performance.now()
    beginNext()
    if (holder.connections === 0) holders.delete(tenant)
  }

  function beginNext(): void {
    while (beginOne(short, free) || beginOne(long, free - forShort)) {}
    if (isTimed || (short.isEmpty() && long.isEmpty())) return
    isTimed = true
    setTimeout(refuseLate, queueTimeoutMs / 20)
  }

  /** Starts the next operation of the queue that may use one of these connections. Returns false if there is none. `left`:
   *  free connections for this kind of operation. */
  function beginOne(queue: typeof short, left: number): boolean {
    const next = queue.take(1, (tenant) => {
      const held = holders.get(tenant)?.connections ?? 0
      return held === 0 ? left > 0 : held < left - forIdle
    })
    if (!next) return false
    const holder = holders.get(next.tenant) ?? { connections: 0, answeredAt: -Infinity }
    holders.set(next.tenant, holder)
    holder.connections++
    free--
    next.items[0]!.begin()
    return true
  }

  function refuseLate(): void {
    isTimed = false
    const queuedBefore = performance.now() - queueTimeoutMs
    for (const queue of [short, long]) {
      for (const { tenant, queuedAt, refuse } of queue.remove(({ queuedAt }) => queuedAt < queuedBefore)) {
        const holder = holders.get(tenant)
        const isSilent = holder !== undefined && holder.answeredAt < queuedAt
        refuse(isSilent ? new Unavailable('the database does not answer') : new Busy('it waited too long'))
      }
    }
    beginNext()
  }

  return { run }
}
