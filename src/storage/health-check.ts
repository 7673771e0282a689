// Finds tenants whose databases do not respond. Each request of the dashboard checks a few of them.

import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../database/database.ts'
import type { Storage, TenantLocation } from './storage.ts'

export type DatabaseHealth = {
  /** Checks some databases, and returns the ids of the tenants whose last check failed. */
  unreachableAmong(tenants: TenantLocation[]): Promise<Set<string>>
}

/** Databases checked per request, because a check opens an idle tenant's file. Unreachable ones come first, then those
 *  checked longest ago, so that in a large installation each request checks other tenants. */
const checksPerVisit = 25
/** How long a request waits for a database. */
const checkTimeoutMs = 300

export function openDatabaseHealth(storage: Storage): DatabaseHealth {
  const lastChecks = new Map<string, { at: number; isSilent: boolean }>()
  let visits = 0

  async function checkDatabase(tenant: TenantLocation): Promise<void> {
    const answer = storage.run(tenant, 'ping', null).then(
      () => false,
      (error: Error) => error instanceof Unavailable,
    )
    const isSilent = await Promise.race([answer, wait(checkTimeoutMs, true, { ref: false })])
    lastChecks.set(tenant.id, { at: visits, isSilent })
  }

  function rank({ id }: TenantLocation): number {
    const known = lastChecks.get(id)
    return known === undefined ? -1 : known.isSilent ? -2 : known.at
  }

  return {
    async unreachableAmong(tenants) {
      visits++
      const chosen = tenants.toSorted((one, other) => rank(one) - rank(other)).slice(0, checksPerVisit)
      await Promise.all(chosen.map(checkDatabase))
      const ids = new Set(tenants.map(({ id }) => id))
      for (const id of lastChecks.keys()) if (!ids.has(id)) lastChecks.delete(id)
      return new Set([...lastChecks].filter(([, { isSilent }]) => isSilent).map(([id]) => id))
    },
  }
}
