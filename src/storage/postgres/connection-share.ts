// Which operation gets a connection next: the tenants take turns in a fair queue, and whoever holds few comes before whoever
// holds many, so that heavy tenants leave connections free for the others.

import { Busy, Unavailable } from '../../database/database.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'

export type ConnectionShare = {
  /** Does the work of a tenant when it is its turn. Throws Busy when that does not come in time; Unavailable where that is
   *  because its database has answered none of the tenant's operations meanwhile. */
  run<T>(tenant: string, isLong: boolean, work: () => Promise<T>): Promise<T>
}

type Waiting = { tenant: string; queuedAt: number; begin: () => void; refuse: (error: Error) => void }

/** A tenant with operations under way. `answeredAt`: when its database last answered one of them. */
type Holder = { connections: number; answeredAt: number }

/** A tenant that holds none gets any connection that is free; another one only while it holds fewer than are free beyond this
 *  part of all. That is a quarter of all where it is alone, and less the more tenants are busy: of 20 connections, ten heavy tenants
 *  leave four. */
const partForIdle = 1 / 2

/** Long reads leave this part of all connections to short operations, of however many tenants they are. */
const partForShort = 1 / 10

export function openConnectionShare(connections: number, queueTimeoutMs: number): ConnectionShare {
  const [short, long] = [createFairQueue<Waiting>(), createFairQueue<Waiting>()]
  const holders = new Map<string, Holder>() // of tenants at work; none for those that sleep
  const [forIdle, forShort] = [connections * partForIdle, Math.ceil(connections * partForShort)]
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

  /** Whether there was one that may begin, where so many connections are left for its kind. */
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
        refuse(isSilent ? new Unavailable('the database does not answer') : new Busy('it waited for too long'))
      }
    }
    beginNext()
  }

  return { run }
}
