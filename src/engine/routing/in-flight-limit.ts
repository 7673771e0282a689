// Limits how many operations are in flight, and immediately rejects any others, because queued operations take memory.
// A client can retry a rejected request, but would give up on a late response.

import { Busy } from '../database/database.ts'
import type { StorageMetrics } from '../measurements.ts'
import type { Storage } from '../storage.ts'
import type { HealthRecord } from '../tenant-health.ts'

/** Maximum number of operations queued or running, per tenant and per process. */
export type Limits = { maxPerTenant: number; maxPerProcess: number }

/** A request may take 30 s, but clients give up earlier. Even on a disk that takes 10 ms per commit, or with PostgreSQL
 *  on another machine, a tenant's 1000 operations finish within a few seconds. 5000 operations take 20 to 100 MB of
 *  memory. */
export const defaultLimits: Limits = { maxPerTenant: 1000, maxPerProcess: 5000 }

/** On either engine, an operation that has waited this long in a queue is rejected. */
export const defaultQueueTimeoutMs = 5000

export type InFlightStorage = Storage & { inFlight(): number }

/** Wraps a storage: `run` throws Busy above these limits, and records whether each tenant's operations succeed. */
export function limitInFlight(
  storage: Storage,
  limits: Limits,
  metrics: StorageMetrics,
  health: HealthRecord,
): InFlightStorage {
  const byTenant = new Map<string, number>() // only tenants with operations in flight
  let total = 0

  function enter(tenant: string): Busy | undefined {
    const count = byTenant.get(tenant) ?? 0
    if (count >= limits.maxPerTenant) return countRejection('tenant')
    if (total >= limits.maxPerProcess) return countRejection('process')
    byTenant.set(tenant, count + 1)
    total++
    return undefined
  }

  function countRejection(limit: 'tenant' | 'process'): Busy {
    metrics.rejected(limit)
    return new Busy(`too many operations of this ${limit} are in flight`)
  }

  function leave(tenant: string): void {
    const count = byTenant.get(tenant)! - 1
    if (count === 0) byTenant.delete(tenant)
    else byTenant.set(tenant, count)
    total--
  }

  return {
    inFlight: () => total,
    migrate: (tenant) => storage.migrate(tenant),
    compact: (tenant) => storage.compact(tenant),
    run(tenant, operation, input) {
      const busy = enter(tenant.id)
      if (busy) return Promise.reject(busy)
      const result = storage.run(tenant, operation, input)
      const onSuccess = () => {
        health.recordSuccess(tenant.id)
        leave(tenant.id)
      }
      const onFailure = (error: unknown) => {
        health.recordFailure(tenant.id, error)
        if (error instanceof Busy) metrics.rejected('queue')
        leave(tenant.id)
      }
      result.then(onSuccess, onFailure)
      return result
    },
  }
}
