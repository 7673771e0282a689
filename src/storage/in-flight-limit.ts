// Limits the operations in flight and rejects the rest at once. An early rejection, which the client can retry, is
// better than a response that comes after the client gave up, and queued operations take memory.

import { Busy } from '../database/database.ts'
import type { StorageMetrics } from './metrics.ts'
import type { Storage } from './storage.ts'

/** Maximum number of operations queued or running, per tenant and per process. */
export type Limits = { maxPerTenant: number; maxPerProcess: number }

/** A request may take 30 s, and clients give up earlier. Even on a disk that takes 10 ms per commit, or with a server
 *  a round trip away, one tenant gets a thousand responses within a few seconds. Five thousand operations take 20 to
 *  100 MB. */
export const defaultLimits: Limits = { maxPerTenant: 1000, maxPerProcess: 5000 }

/** On either engine, an operation that has been queued this long without starting is rejected. */
export const defaultQueueTimeoutMs = 5000

/** Wraps a storage with these limits. Throws Busy. */
export function limitInFlight(
  storage: Storage,
  limits: Limits,
  metrics: StorageMetrics,
): Storage & { waiting(): number } {
  const waiting = new Map<string, number>() // only tenants with operations in flight
  let all = 0

  function enter(tenant: string): Busy | undefined {
    const own = waiting.get(tenant) ?? 0
    if (own >= limits.maxPerTenant) return refuse('tenant')
    if (all >= limits.maxPerProcess) return refuse('process')
    waiting.set(tenant, own + 1)
    all++
    return undefined
  }

  function refuse(limit: 'tenant' | 'process'): Busy {
    metrics.refused(limit)
    return new Busy(`too many operations of this ${limit} wait`)
  }

  function leave(tenant: string): void {
    const own = waiting.get(tenant)! - 1
    if (own === 0) waiting.delete(tenant)
    else waiting.set(tenant, own)
    all--
  }

  return {
    waiting: () => all,
    migrate: storage.migrate,
    run(tenant, name, input) {
      const refused = enter(tenant.id)
      if (refused) return Promise.reject(refused)
      const answer = storage.run(tenant, name, input)
      const over = () => leave(tenant.id)
      answer.then(over, (error: unknown) => {
        if (error instanceof Busy) metrics.refused('queue')
        leave(tenant.id)
      })
      return answer
    },
  }
}
