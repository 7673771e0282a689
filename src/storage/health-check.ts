// Finds tenants whose databases do not answer. Checks a few on each visit to the dashboard.

import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../database/database.ts'
import type { Storage, TenantLocation } from './storage.ts'

export type DatabaseHealth = {
  /** The ids of tenants whose database did not answer its last check. Checks some of them again first. */
  unreachableAmong(tenants: TenantLocation[]): Promise<Set<string>>
}

/** Databases checked per visit, since a check opens an idle tenant's file. Unreachable ones come first, then those
 *  checked longest ago, so that in a large installation every visit checks other tenants. */
const checksPerVisit = 25
/** How long a visit waits for a database. */
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
