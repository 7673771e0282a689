// The catalog rows that record API key usage: one per key and hour, and one per key for its last use.

import { sanitizeText } from '../catalog/audit/audit-log.ts'
import { type Catalog, runStatement } from '../catalog/catalog.ts'
import type { Database } from '../engine/database/database.ts'

/** Usage of one key in one hour. `hour`: hours since the epoch. `lastAt`: epoch milliseconds of the last request. */
export type HourlyUsage = {
  keyId: string
  tenantId: string
  hour: number
  requests: number
  errors: number
  limited: number
  lastAt: number
  lastFrom: string
}

export const hourMs = 3_600_000
/** How long usage is kept: 90 days. */
const retentionHours = 90 * 24

/** Adds the counts to the stored ones, which all nodes share, and updates the time of each key's last use. Skips keys
 *  that have since been deleted. */
export async function addCounts(database: Database, counts: HourlyUsage[]): Promise<void> {
  const ids = [...new Set(counts.map(({ keyId }) => keyId))]
  const rows = await database.all(`select id from api_keys where id in (${ids.map(() => '?').join(', ')})`, ids)
  const existing = new Set(rows.map((row) => row.id))
  const countsOfKeys = counts.filter(({ keyId }) => existing.has(keyId))
  if (countsOfKeys.length === 0) return
  await database.run(
    `insert into api_key_usage_hourly (key_id, tenant_id, hour, requests, errors, limited)
     values ${countsOfKeys.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}
     on conflict (key_id, hour) do update set requests = api_key_usage_hourly.requests + excluded.requests,
       errors = api_key_usage_hourly.errors + excluded.errors, limited = api_key_usage_hourly.limited + excluded.limited`,
    countsOfKeys.flatMap((each) => [
      each.keyId,
      each.tenantId,
      startOf(each.hour),
      each.requests,
      each.errors,
      each.limited,
    ]),
  )
  const last = new Map(countsOfKeys.toSorted((a, b) => a.lastAt - b.lastAt).map((count) => [count.keyId, count]))
  await database.run(
    `insert into api_key_last_use (key_id, tenant_id, last_used_at, last_used_from)
     values ${[...last].map(() => '(?, ?, ?, ?)').join(', ')}
     on conflict (key_id) do update set last_used_at = excluded.last_used_at, last_used_from = excluded.last_used_from
     where excluded.last_used_at > api_key_last_use.last_used_at`,
    [...last.values()].flatMap(({ keyId, tenantId, lastAt, lastFrom }) => [
      keyId,
      tenantId,
      new Date(lastAt).toISOString(),
      sanitizeText(lastFrom, 100),
    ]),
  )
}

/** Deletes counts that are older than the retention period. Each node calls this once an hour. */
export async function deleteOldHours(catalog: Catalog, currentHour: number): Promise<void> {
  const oldest = startOf(currentHour - retentionHours)
  if (!(await catalog.database.get('select 1 as found from api_key_usage_hourly where hour < ? limit 1', [oldest])))
    return
  await runStatement(catalog, 'delete from api_key_usage_hourly where hour < ?', [oldest])
}

/** Merges counts for the same key and hour. There can be several, because after a failed flush, both the old and the
 *  new counts are pending. */
export function mergeCounts(counts: HourlyUsage[]): HourlyUsage[] {
  const byHour = new Map<string, HourlyUsage>()
  for (const count of counts) {
    const name = `${count.keyId} ${count.hour}`
    const before = byHour.get(name)
    const [earlier, later] = before && before.lastAt > count.lastAt ? [count, before] : [before, count]
    byHour.set(name, {
      ...later,
      requests: (earlier?.requests ?? 0) + later.requests,
      errors: (earlier?.errors ?? 0) + later.errors,
      limited: (earlier?.limited ?? 0) + later.limited,
    })
  }
  return [...byHour.values()]
}

/** Returns the stored form of an hour: its start as an RFC 3339 time. */
export function startOf(hour: number): string {
  return new Date(hour * hourMs).toISOString()
}
