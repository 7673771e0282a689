// How keys are used: requests per hour, and when and from where last. Counted in memory, written down every ten seconds.

import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import type { Row, Value } from '../database/database.ts'
import { addCounts, forgetOldHours, type HourlyUsage, hourMs, merged, startOf } from './usage-table.ts'

/** Requests of an hour (RFC 3339, its beginning). Those that the rate limit refused are no errors. */
export type HourOfUse = { hour: string; requests: number; errors: number; limited: number }

export type LastUse = { key_id: string; last_used_at: string; last_used_from: string }

export type Usage = {
  /** Counts one answered request of a key. Cheap: it is on the way of every request. */
  count(caller: { id: string; tenant: { id: string } }, status: number, address: string): void
  /** Writes down what was counted. What cannot be written is kept for the next time. */
  flush(): Promise<void>
  /** Writes down the rest, if the catalog can be reached. */
  close(): Promise<void>
}

const flushEvery = 10_000
/** Counts written in one transaction: others get in between, and no statement has too many values. */
const together = 100

export function openUsage(catalog: Catalog, now: () => Date): Usage {
  let counts = new Map<string, HourlyUsage>()
  let hour = 0
  let pendingFlush: HourlyUsage[] = []
  let tidiedIn = 0
  let turn: Promise<void> = Promise.resolve()

  /** What was counted in hours that are over, or is being written, is not looked up by key any more. */
  function rotate(): void {
    pendingFlush.push(...counts.values())
    counts = new Map()
  }

  async function write(): Promise<void> {
    rotate()
    pendingFlush = merged(pendingFlush) // while the catalog is away, it grows with keys and hours only
    while (pendingFlush.length > 0) {
      const chunk = pendingFlush.splice(0, together)
      try {
        await catalog.transaction((database) => addCounts(database, merged(chunk)), keepsKeys)
      } catch (error) {
        pendingFlush.push(...chunk) // should only the answer of the commit be lost, these count twice: better than not at all
        throw error
      }
    }
    const present = Math.floor(now().getTime() / hourMs)
    if (present !== tidiedIn) await forgetOldHours(catalog, present)
    tidiedIn = present
  }

  function flush(): Promise<void> {
    const written = turn.then(write)
    turn = written.catch(() => {})
    return written
  }

  const timer = setInterval(() => flush().catch(() => {}), flushEvery).unref()

  return {
    count(caller, status, address) {
      const time = now().getTime()
      const present = Math.floor(time / hourMs)
      if (present !== hour) rotate()
      hour = present
      let count = counts.get(caller.id)
      if (!count) {
        count = {
          keyId: caller.id,
          tenantId: caller.tenant.id,
          hour,
          requests: 0,
          errors: 0,
          limited: 0,
          lastAt: 0,
          lastFrom: '',
        }
        counts.set(caller.id, count)
      }
      count.requests++
      if (status === 429) count.limited++
      else if (status >= 400) count.errors++
      count.lastAt = time
      count.lastFrom = address
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush().catch(() => {})
    },
  }
}

/** Requests of each hour in which there were any, the earliest first: of a tenant, of a key, or of all. */
export async function listHours(
  catalog: Catalog,
  input: { tenantId?: string; keyId?: string; since: Date },
): Promise<HourOfUse[]> {
  const since = Math.floor(input.since.getTime() / hourMs)
  const conditions: [sql: string, value: Value][] = [['hour >= ?', startOf(since)]]
  if (input.tenantId !== undefined) conditions.push(['tenant_id = ?', input.tenantId])
  if (input.keyId !== undefined) conditions.push(['key_id = ?', input.keyId])
  const rows: Row[] = await catalog.database.all(
    `select hour, sum(requests) as requests, sum(errors) as errors, sum(limited) as limited from key_hours
     where ${conditions.map(([sql]) => sql).join(' and ')} group by hour order by hour`,
    conditions.map(([, value]) => value),
  )
  return rows.map((row) => ({ ...row })) as HourOfUse[]
}

/** When and from where each key of a tenant was last used, as far as it was. */
export async function listLastUses(catalog: Catalog, tenantId: string): Promise<LastUse[]> {
  const rows: Row[] = await catalog.database.all(
    'select key_id, last_used_at, last_used_from from key_uses where tenant_id = ? order by last_used_at desc, key_id',
    [tenantId],
  )
  return rows.map((row) => ({ ...row })) as LastUse[]
}
