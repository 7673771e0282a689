// Which tenants' databases do not answer: looked at when someone looks at the dashboard, a few at a time.

import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../database/database.ts'
import type { Storage, TenantLocation } from './storage.ts'

export type DatabaseHealth = {
  /** The ids of those that did not answer when they were looked at last; some of them are looked at now. */
  unreachableAmong(tenants: TenantLocation[]): Promise<Set<string>>
}

/** Looked at by one visit: a quiet tenant's file is opened for it. Those that were silent come first, then those that were
 *  looked at longest ago, so that every visit of a larger installation sees others. */
const lookedAtOnce = 25
/** A visit waits no longer for an answer. Milliseconds. */
const longestWait = 300

export function openDatabaseHealth(storage: Storage): DatabaseHealth {
  const looks = new Map<string, { at: number; isSilent: boolean }>()
  let visits = 0

  async function look(tenant: TenantLocation): Promise<void> {
    const answer = storage.run(tenant, 'ping', null).then(
      () => false,
      (error: Error) => error instanceof Unavailable,
    )
    const isSilent = await Promise.race([answer, wait(longestWait, true, { ref: false })])
    looks.set(tenant.id, { at: visits, isSilent })
  }

  function rank({ id }: TenantLocation): number {
    const known = looks.get(id)
    return known === undefined ? -1 : known.isSilent ? -2 : known.at
  }

  return {
    async unreachableAmong(tenants) {
      visits++
      const chosen = tenants.toSorted((one, other) => rank(one) - rank(other)).slice(0, lookedAtOnce)
      await Promise.all(chosen.map(look))
      const ids = new Set(tenants.map(({ id }) => id))
      for (const id of looks.keys()) if (!ids.has(id)) looks.delete(id)
      return new Set([...looks].filter(([, { isSilent }]) => isSilent).map(([id]) => id))
    },
  }
}
