// How many operations may be on their way at once. Those beyond are refused at once: to be told to come back is better than
// to wait for an answer that comes when nobody waits for it any more, and what waits takes memory.

import { Busy } from '../database/database.ts'
import type { StorageMetrics } from './metrics.ts'
import type { Storage } from './storage.ts'

/** Operations that were begun or wait, of one tenant and of the process. */
export type Limits = { maxPerTenant: number; maxPerProcess: number }

/** A request may take 30 s, and clients lose patience earlier. Even one tenant on a disk that needs 10 ms for a commit, or on a
 *  server that is a round trip away, has a thousand answered in a few seconds. Five thousand take 20 to 100 MB. */
export const defaultLimits: Limits = { maxPerTenant: 1000, maxPerProcess: 5000 }

/** Every operation that has waited for so long to be begun is refused as well, on either engine. */
export const defaultQueueTimeoutMs = 5000

/** The storage, with no more than so many operations in it. Throws Busy. */
export function limitInFlight(
  storage: Storage,
  limits: Limits,
  figures: StorageMetrics,
): Storage & { waiting(): number } {
  const waiting = new Map<string, number>() // of tenants that have any
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
    figures.refused(limit)
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
        if (error instanceof Busy) figures.refused('queue')
        leave(tenant.id)
      })
      return answer
    },
  }
}
