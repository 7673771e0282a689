// Where requests are counted: in the memory of this node, in a table of the catalog's server, in Redis. Each counts a request of a
// key and of its tenant in one round trip.

import type { SharedStore } from '../catalog/postgres.ts'
import type { Redis } from '../lib/redis.ts'

/** Requests in a window; 0 is no limit. */
export type Limits = { key: number; tenant: number }

/** So many requests of one key. Where a limit is 0, its window is not counted. */
export type CountRequest = { keyId: string; tenantId: string; limits: Limits; requests: number }

/** A window: the requests in it `before` these, and the epoch second at which it ends. */
export type WindowCount = { before: number; resetsAt: number }

/** Null: not counted. Requests that the key's limit refuses are not counted for the tenant, else one client that does not wait
 *  would shut out the tenant's other keys. */
export type WindowCounts = { key: WindowCount | null; tenant: WindowCount | null }

export type Counter = (ask: CountRequest) => Promise<WindowCounts>

/** How many of these requests the key's limit lets through, when so many were counted before. */
function admitted({ limits, requests }: CountRequest, before: number): number {
  return limits.key === 0 ? requests : Math.min(Math.max(limits.key - before, 0), requests)
}

/** A window as this node knows it. `endsAt`: milliseconds, of a clock that no correction of the time of day changes. */
type KnownWindow = { requests: number; resetsAt: number; endsAt: number }

/** The end that callers were told ends a window too, when the clock has been put forward. `now`: milliseconds. */
function isOpen(window: KnownWindow, now: number): boolean {
  return window.endsAt > now && window.resetsAt * 1000 > Date.now()
}

export function countInMemory(seconds: number): Counter {
  const windows = new Map<string, KnownWindow>()
  let sweepAt = 0

  function add(subject: string, requests: number, now: number): WindowCount {
    const known = windows.get(subject)
    const window = known && isOpen(known, now) ? known : openWindow(now)
    const before = window.requests
    window.requests += requests
    if (window !== known) windows.set(subject, window)
    return { before, resetsAt: window.resetsAt }
  }

  function openWindow(now: number): KnownWindow {
    return { requests: 0, resetsAt: Math.ceil(Date.now() / 1000 + seconds), endsAt: now + seconds * 1000 }
  }

  function sweep(now: number): void {
    sweepAt = now + seconds * 1000
    for (const [subject, { endsAt }] of windows) if (endsAt <= now) windows.delete(subject)
  }

  return async (ask) => {
    const { keyId, tenantId, limits, requests } = ask
    const now = performance.now()
    if (now >= sweepAt) sweep(now)
    const key = limits.key === 0 ? null : add(`key:${keyId}`, requests, now)
    const counting = limits.tenant === 0 ? 0 : admitted(ask, key?.before ?? 0)
    return { key, tenant: counting === 0 ? null : add(`tenant:${tenantId}`, counting, now) }
  }
}

/** The ends are by the clock of Redis: the same at every node and request. The keys of a tenant have its id in braces, so that a
 *  cluster keeps them on one node. */
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
  const counted = (before: number, end: number) => (before < 0 ? null : { before, resetsAt: Math.ceil(end / 1000) })
  return async ({ keyId, tenantId, limits, requests }) => {
    const tenant = `tenantdesk:requests:{${tenantId}}`
    const call = {
      keys: [`${tenant}:${keyId}`, tenant],
      arguments: [seconds, requests, limits.key, limits.tenant].map(String),
    }
    const [keyBefore, keyEnd, tenantBefore, tenantEnd] = (await redis.eval(script, call)) as number[]
    return { key: counted(keyBefore!, keyEnd!), tenant: counted(tenantBefore!, tenantEnd!) }
  }
}

/** Rows of windows that are long over are removed this often. Milliseconds. */
const tidyEvery = 5 * 60_000

/** One statement counts both windows, so it counts for the tenant without knowing what the key's window admits. Requests that
 *  cannot be admitted, as far as this node knows that window, are left out of it. What other nodes had admitted meanwhile is taken
 *  back from the tenant's count: a second statement, once for each node and window. */
export function countInPostgres(seconds: number, { pool, schema, table }: SharedStore): Counter {
  const known = new Map<string, KnownWindow>()
  const name = `${schema}.${table}`
  const [upsertOne, upsertTwo] = upsertsOf(name, seconds * 1000)
  let tidyAt = performance.now() + tidyEvery

  function knownWindow(keyId: string, now: number): KnownWindow | undefined {
    const window = known.get(keyId)
    return window && isOpen(window, now) ? window : undefined
  }

  function tidy(now: number): void {
    tidyAt = now + tidyEvery
    const remove = `delete from ${name} where expire < $1`
    pool.query({ text: remove, values: [Date.now() - 60 * 60_000] }).catch(() => {}) // there is a next time
  }

  /** Adds to the windows of these subjects, one or two. */
  async function add(subjects: string[], requests: number, time: number) {
    const text = subjects.length === 1 ? upsertOne : upsertTwo
    const { rows } = await pool.query({ text, values: [requests, time + seconds * 1000, ...subjects] })
    return (subject: string): (WindowCount & { expire: number }) | null => {
      const row = rows.find(({ key }) => key === subject) as { points: number; expire: number } | undefined
      if (!row) return null
      return { before: row.points - requests, resetsAt: Math.ceil(row.expire / 1000), expire: row.expire }
    }
  }

  return async (ask) => {
    const { keyId, tenantId, limits } = ask
    const [now, time] = [performance.now(), Date.now()]
    if (now >= tidyAt) tidy(now)
    const window = knownWindow(keyId, now)
    const counting = admitted(ask, window?.requests ?? 0)
    if (counting === 0) return { key: { before: window!.requests, resetsAt: window!.resetsAt }, tenant: null }
    const [ofKey, ofTenant] = [`key:${keyId}`, `tenant:${tenantId}`]
    const counted = await add([...(limits.key ? [ofKey] : []), ...(limits.tenant ? [ofTenant] : [])], counting, time)
    const [key, tenant] = [counted(ofKey), counted(ofTenant)]
    if (key) {
      if (known.size > 100_000) known.clear()
      known.set(keyId, { ...key, requests: key.before + counting, endsAt: now + key.expire - time })
    }
    const refused = counting - admitted(ask, key?.before ?? 0)
    if (tenant && refused > 0) {
      const takeBack = `update ${name} set points = points - $1 where key = $2 and expire = $3`
      await pool.query({ text: takeBack, values: [refused, ofTenant, tenant.expire] }).catch(() => {}) // refused all the same
    }
    return { key, tenant }
  }
}

/** The statements for one subject and for two. A window that ends later than any can was opened before a clock was put back. */
function upsertsOf(table: string, length: number): [one: string, two: string] {
  const isOver = `(w.expire <= excluded.expire - ${length} or w.expire > excluded.expire + ${length})`
  const upsert = (rows: string) => `
    insert into ${table} as w (key, points, expire) values ${rows}
    on conflict (key) do update set
      points = case when ${isOver} then excluded.points else w.points + excluded.points end,
      expire = case when ${isOver} then excluded.expire else w.expire end
    returning key, points, expire`
  return [upsert('($3, $1, $2)'), upsert('($3, $1, $2), ($4, $1, $2)')]
}
