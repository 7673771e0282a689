// Limits the operations in flight and rejects the rest at once. An early rejection, which the client can retry, is
// better than a response that comes after the client gave up, and queued operations take memory.

import { Busy } from '../database/database.ts'
import type { StorageMetrics } from './metrics.ts'
import type { Storage } from './storage.ts'
import type { HealthRecord } from './tenant-health.ts'

/** Maximum number of operations queued or running, per tenant and per process. */
export type Limits = { maxPerTenant: number; maxPerProcess: number }

/** A request may take 30 s, and clients give up earlier. Even on a disk that takes 10 ms per commit, or with a server
 *  a round trip away, one tenant gets a thousand responses within a few seconds. Five thousand operations take 20 to
 *  100 MB. */
export const defaultLimits: Limits = { maxPerTenant: 1000, maxPerProcess: 5000 }

/** On either engine, an operation that has been queued this long without starting is rejected. */
export const defaultQueueTimeoutMs = 5000

export type InFlightStorage = Storage & { inFlight(): number }

/** Wraps a storage with these limits, and records how the operations of each tenant end. Throws Busy. */
export function limitInFlight(
  storage: Storage,
  limits: Limits,
  metrics: StorageMetrics,
  health: HealthRecord,
): InFlightStorage {
  const byTenant = new Map<string, number>() // only tenants with operations in flight
  let all = 0

  function enter(tenant: string): Busy | undefined {
    const own = byTenant.get(tenant) ?? 0
    if (own >= limits.maxPerTenant) return reject('tenant')
    if (all >= limits.maxPerProcess) return reject('process')
    byTenant.set(tenant, own + 1)
    all++
    return undefined
  }

  function reject(limit: 'tenant' | 'process'): Busy {
    metrics.rejected(limit)
    return new Busy(`too many operations of this ${limit} are in flight`)
  }

  function leave(tenant: string): void {
    const own = byTenant.get(tenant)! - 1
    if (own === 0) byTenant.delete(tenant)
    else byTenant.set(tenant, own)
    all--
  }

  return {
    inFlight: () => all,
    migrate: (tenant) => storage.migrate(tenant),
    compact: (tenant) => storage.compact(tenant),
    run(tenant, name, input) {
      const busy = enter(tenant.id)
      if (busy) return Promise.reject(busy)
      const result = storage.run(tenant, name, input)
      const onSuccess = () => {
        health.succeeded(tenant.id)
        leave(tenant.id)
      }
      const onFailure = (error: unknown) => {
        health.failed(tenant.id, error)
        if (error instanceof Busy) metrics.rejected('queue')
        leave(tenant.id)
      }
      result.then(onSuccess, onFailure)
      return result
    },
  }
}
