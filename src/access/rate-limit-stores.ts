// Counters for the rate limit. They store their counts in this node's memory, in a PostgreSQL table next to the
// catalog, or in Redis. Each counter counts a request both for its API key and for the key's tenant, usually in one
// round trip.

import type { SharedStore } from '../catalog/postgres.ts'
import type { Redis } from '../lib/redis.ts'

/** Maximum requests per window; 0 means no limit. */
export type WindowLimits = { key: number; tenant: number }

/** `requests`: the number of requests to count for this key. Requests are not counted in a window whose limit is 0. */
export type CountRequest = { keyId: string; tenantId: string; limits: WindowLimits; requests: number }

/** `before`: requests counted earlier in the window. `resetsAt`: the epoch second at which the window ends. */
export type WindowCount = { before: number; resetsAt: number }

/** Null means that the requests were not counted. Requests that exceed the key's limit do not count toward the tenant's
 *  limit: otherwise a client that ignores 429 would use up the quota of the tenant's other keys. */
export type WindowCounts = { key: WindowCount | null; tenant: WindowCount | null }

export type Counter = (request: CountRequest) => Promise<WindowCounts>

/** Returns how many of the requests the key's limit admits after `before` earlier ones. */
function countAdmitted({ limits, requests }: CountRequest, before: number): number {
  return limits.key === 0 ? requests : Math.min(Math.max(limits.key - before, 0), requests)
}

/** This node's copy of a window. `endsAt`: milliseconds of the monotonic clock. */
type LocalWindow = { requests: number; resetsAt: number; endsAt: number }

/** Whether a window has not ended yet. It also ends at the `resetsAt` that clients were told, in case the system clock
 *  was set forward. `now`: monotonic milliseconds. */
function isOpen(window: LocalWindow, now: number): boolean {
  return window.endsAt > now && window.resetsAt * 1000 > Date.now()
}

export function countInMemory(seconds: number): Counter {
  const windows = new Map<string, LocalWindow>()
  let nextSweepAt = 0

  function add(subject: string, requests: number, now: number): WindowCount {
    const earlier = windows.get(subject)
    const window = earlier && isOpen(earlier, now) ? earlier : openWindow(now)
    const before = window.requests
    window.requests += requests
    if (window !== earlier) windows.set(subject, window)
    return { before, resetsAt: window.resetsAt }
  }

  function openWindow(now: number): LocalWindow {
    return { requests: 0, resetsAt: Math.ceil(Date.now() / 1000 + seconds), endsAt: now + seconds * 1000 }
  }

  function sweep(now: number): void {
    nextSweepAt = now + seconds * 1000
    for (const [subject, { endsAt }] of windows) if (endsAt <= now) windows.delete(subject)
  }

  return async (request) => {
    const { keyId, tenantId, limits, requests } = request
    const now = performance.now()
    if (now >= nextSweepAt) sweep(now)
    const key = limits.key === 0 ? null : add(`key:${keyId}`, requests, now)
    const counting = limits.tenant === 0 ? 0 : countAdmitted(request, key?.before ?? 0)
    return { key, tenant: counting === 0 ? null : add(`tenant:${tenantId}`, counting, now) }
  }
}

/** Redis decides when a window ends, so that every node reports the same time. A tenant's Redis keys contain the
 *  tenant's id in braces (a hash tag), so that a Redis Cluster stores them on one node. */
const script = `
local function add(window, requests)
  redis.call('set', window, 0, 'EX', ARGV[1], 'NX')
  return redis.call('incrby', window, requests) - requests, redis.call('pexpiretime', window)
end
local requests, key_limit, tenant_limit = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local counting, key_before, key_end, tenant_before, tenant_end = requests, -1, 0, -1, 0
if key_limit > 0 then
  key_before, key_end = add(KEYS[1], requests)
  counting = math.min(math.max(key_limit - key_before, 0), requests)
end
if tenant_limit > 0 and counting > 0 then tenant_before, tenant_end = add(KEYS[2], counting) end
return { key_before, key_end, tenant_before, tenant_end }`

export function countInRedis(seconds: number, redis: Redis): Counter {
  const toCount = (before: number, end: number) => (before < 0 ? null : { before, resetsAt: Math.ceil(end / 1000) })
  return async ({ keyId, tenantId, limits, requests }) => {
    const tenant = `tenantdesk:requests:{${tenantId}}`
    const call = {
      keys: [`${tenant}:${keyId}`, tenant],
      arguments: [seconds, requests, limits.key, limits.tenant].map(String),
    }
    const [keyBefore, keyEnd, tenantBefore, tenantEnd] = (await redis.eval(script, call)) as number[]
    return { key: toCount(keyBefore!, keyEnd!), tenant: toCount(tenantBefore!, tenantEnd!) }
  }
}

/** How often rows for windows that ended more than an hour ago are deleted. */
const cleanupIntervalMs = 5 * 60_000

/** Adds requests to the key's count and to the tenant's count in one statement. Requests are left out if they exceed
 *  the key's limit according to this node's copy of the key's window, which does not include recent requests to other
 *  nodes. If the stored count then shows that the key's limit admits fewer requests, a second statement subtracts the
 *  difference from the tenant's count, at most once per node and window. */
export function countInPostgres(seconds: number, { pool, schema, table }: SharedStore): Counter {
  const localWindows = new Map<string, LocalWindow>()
  const name = `${schema}.${table}`
  const [upsertOne, upsertTwo] = upsertsOf(name, seconds * 1000)
  let nextCleanupAt = performance.now() + cleanupIntervalMs

  function findOpenWindow(keyId: string, now: number): LocalWindow | undefined {
    const window = localWindows.get(keyId)
    return window && isOpen(window, now) ? window : undefined
  }

  function deleteOldRows(now: number): void {
    nextCleanupAt = now + cleanupIntervalMs
    const remove = `delete from ${name} where expire < $1`
    pool.query({ text: remove, values: [Date.now() - 60 * 60_000] }).catch(() => {}) // the next cleanup deletes them
  }

  /** Adds the requests to the windows of one or two subjects. Returns a function that looks up a subject's count. */
  async function add(subjects: string[], requests: number, time: number) {
    const text = subjects.length === 1 ? upsertOne : upsertTwo
    const { rows } = await pool.query({ text, values: [requests, time + seconds * 1000, ...subjects] })
    return (subject: string): (WindowCount & { expire: number }) | null => {
      const row = rows.find(({ key }) => key === subject)
      if (!row) return null
      const expire = Number(row.expire)
      return { before: Number(row.points) - requests, resetsAt: Math.ceil(expire / 1000), expire }
    }
  }

  return async (request) => {
    const { keyId, tenantId, limits } = request
    const [now, time] = [performance.now(), Date.now()]
    if (now >= nextCleanupAt) deleteOldRows(now)
    const window = findOpenWindow(keyId, now)
    const counting = countAdmitted(request, window?.requests ?? 0)
    if (counting === 0) return { key: { before: window!.requests, resetsAt: window!.resetsAt }, tenant: null }
    const [keySubject, tenantSubject] = [`key:${keyId}`, `tenant:${tenantId}`]
    const subjects = [...(limits.key ? [keySubject] : []), ...(limits.tenant ? [tenantSubject] : [])]
    const countOf = await add(subjects, counting, time)
    const [key, tenant] = [countOf(keySubject), countOf(tenantSubject)]
    if (key) {
      if (localWindows.size > 100_000) localWindows.clear()
      localWindows.set(keyId, { ...key, requests: key.before + counting, endsAt: now + key.expire - time })
    }
    const excess = counting - countAdmitted(request, key?.before ?? 0)
    if (tenant && excess > 0) {
      const subtract = `update ${name} set points = points - $1 where key = $2 and expire = $3`
      // If this fails, the tenant's count stays too high until the window ends. This response does not change.
      await pool.query({ text: subtract, values: [excess, tenantSubject, tenant.expire] }).catch(() => {})
    }
    return { key, tenant }
  }
}

/** Returns the upsert statements for one subject and for two subjects. If the clock was set back after a window was
 *  opened, the window's end is too far in the future, so the window is treated as having ended. */
function upsertsOf(table: string, windowMs: number): [one: string, two: string] {
  const isOver = `(w.expire <= excluded.expire - ${windowMs} or w.expire > excluded.expire + ${windowMs})`
  const upsert = (rows: string) => `
    insert into ${table} as w (key, points, expire) values ${rows}
    on conflict (key) do update set
      points = case when ${isOver} then excluded.points else w.points + excluded.points end,
      expire = case when ${isOver} then excluded.expire else w.expire end
    returning key, points, expire`
  return [upsert('($3, $1, $2)'), upsert('($3, $1, $2), ($4, $1, $2)')]
}
