// Counts the requests of each key: for its rate limit, and for the chart of its use.

import { type Catalog, keepsCachedKeys } from '../catalog/catalog.ts'
import type { SharedStore } from '../catalog/postgres.ts'
import type { Value } from '../engine/database/database.ts'
import type { Redis } from '../lib/redis.ts'
import {
  type Counter,
  type CountRequest,
  countInMemory,
  countInPostgres,
  countInRedis,
  type WindowCount,
  type WindowCounts,
  type WindowLimits,
} from './rate-limit-stores.ts'
import { addCounts, deleteOldHours, type HourlyUsage, hourMs, mergeCounts, startOf } from './usage-table.ts'

/** A window's state after a request was counted. `resetsAt`: the epoch second at which the window ends.
 *  `exceeded`: the limit that rejects the request, `exceededLimit` its value. */
export type Window = {
  limit: number
  remaining: number
  resetsAt: number
  exceeded: 'key' | 'tenant' | null
  exceededLimit: number
}

export type RateLimit = {
  /** Counts a request with this key; returns undefined if there is no limit. `ownLimit`: the key's own limit per
   *  window; 0 means no limit. A key with its own limit is not subject to the installation's limits, so its requests do
   *  not count toward the tenant's limit. */
  count(keyId: string, tenantId: string, ownLimit?: number | null): Promise<Window | undefined>
}

/** Requests are counted in `redis` if it is set, otherwise in the `shared` table. They are counted in memory if neither
 *  is set or the store is unreachable. `onExceeded`: called for each request that a limit rejects. */
export type RateLimitOptions = {
  redis?: Redis | undefined
  shared?: SharedStore | undefined
  onExceeded?: (limit: 'key' | 'tenant') => void
}

/** `seconds`: the length of a window (§8). Tests use shorter windows. */
export function createRateLimit(limits: WindowLimits, seconds = 60, options: RateLimitOptions = {}): RateLimit {
  const counter = chooseCounter(seconds, options)
  return {
    async count(keyId, tenantId, ownLimit = null) {
      const effectiveLimits = ownLimit === null ? limits : { key: ownLimit, tenant: 0 }
      if (effectiveLimits.key === 0 && effectiveLimits.tenant === 0) return undefined
      const window = windowOf(effectiveLimits, await counter({ keyId, tenantId, limits: effectiveLimits, requests: 1 }))
      if (window.exceeded) options.onExceeded?.(window.exceeded)
      return window
    },
  }
}

function chooseCounter(seconds: number, { redis, shared }: RateLimitOptions): Counter {
  const inMemory = countInMemory(seconds)
  if (!redis && !shared) return inMemory
  const sharedCounter = redis ? countInRedis(seconds, redis) : countInPostgres(seconds, shared!)
  return batchPerTick((request) => sharedCounter(request).catch(() => inMemory(request)))
}

/** Batches all requests of a key within one tick of the event loop into a single call of the counter. Each request
 *  receives the count that applies to its position in the batch. */
function batchPerTick(counter: Counter): Counter {
  const waiting = new Map<string, PromiseWithResolvers<WindowCounts>[]>()

  async function count(request: CountRequest): Promise<void> {
    const batch = waiting.get(request.keyId)!
    waiting.delete(request.keyId)
    try {
      const { key, tenant } = await counter({ ...request, requests: batch.length })
      for (const [position, { resolve }] of batch.entries())
        resolve({ key: offsetBy(position, key), tenant: offsetBy(position, tenant) })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (request) => {
    const result = Promise.withResolvers<WindowCounts>()
    const batch = waiting.get(request.keyId)
    if (batch) batch.push(result)
    else {
      waiting.set(request.keyId, [result])
      setImmediate(count, request)
    }
    return result.promise
  }
}

/** Returns the count for the request at this position in its batch. */
function offsetBy(position: number, count: WindowCount | null): WindowCount | null {
  return count && { ...count, before: count.before + position }
}

/** Returns the tenant's window if the tenant's limit rejects the request or if there is no limit per key; otherwise
 *  returns the key's window. If there is a limit per key, the result's `limit` is always that limit. */
function windowOf(limits: WindowLimits, { key, tenant }: WindowCounts): Window {
  const keyWindow = key && toWindow('key', limits.key, key)
  if (keyWindow?.exceeded || !tenant) return keyWindow!
  const tenantWindow = toWindow('tenant', limits.tenant, tenant)
  if (!keyWindow) return tenantWindow
  return tenantWindow.exceeded ? { ...tenantWindow, limit: keyWindow.limit } : keyWindow
}

function toWindow(subject: 'key' | 'tenant', limit: number, { before, resetsAt }: WindowCount): Window {
  const remaining = Math.max(limit - before - 1, 0)
  return { limit, remaining, resetsAt, exceeded: before >= limit ? subject : null, exceededLimit: limit }
}

/** Requests within an hour. `hour`: the start of the hour (RFC 3339). `limited`: requests that the rate limit rejected;
 *  `errors` does not include them. */
export type HourOfUse = { hour: string; requests: number; errors: number; limited: number }

export type LastUse = { key_id: string; last_used_at: string; last_used_from: string }

const flushIntervalMs = 10_000
/** This is small enough to let other transactions run in between, and to stay within the maximum number of parameters
 *  per statement. */
const maxRowsPerTransaction = 100

export class UsageCounter {
  readonly #catalog: Catalog
  readonly #now: () => Date
  readonly #timer: NodeJS.Timeout
  #counts = new Map<string, HourlyUsage>()
  #hour = 0
  #pendingFlush: HourlyUsage[] = []
  #cleanedUpInHour = 0
  #lastFlush: Promise<void> = Promise.resolve()

  constructor(catalog: Catalog, now: () => Date) {
    this.#catalog = catalog
    this.#now = now
    this.#timer = setInterval(() => this.flush().catch(() => {}), flushIntervalMs).unref()
  }

  /** Counts a request that has been answered. Called for every request, so it must be cheap. */
  count(caller: { id: string; tenant: { id: string } }, status: number, address: string): void {
    const time = this.#now().getTime()
    const hour = Math.floor(time / hourMs)
    if (hour !== this.#hour) this.#rotate()
    this.#hour = hour
    let count = this.#counts.get(caller.id)
    if (!count) {
      count = { keyId: caller.id, tenantId: caller.tenant.id, hour, ...zeroCounts }
      this.#counts.set(caller.id, count)
    }
    count.requests++
    if (status === 429) count.limited++
    else if (status >= 400) count.errors++
    count.lastAt = time
    count.lastFrom = address
  }

  /** Writes the counts to the catalog. Counts that cannot be written stay pending for the next flush. */
  flush(): Promise<void> {
    const written = this.#lastFlush.then(() => this.#write())
    this.#lastFlush = written.catch(() => {})
    return written
  }

  /** Writes the remaining counts if the catalog is reachable. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush().catch(() => {})
  }

  /** Moves all counts to `#pendingFlush`, at the end of an hour and before each write. */
  #rotate(): void {
    this.#pendingFlush.push(...this.#counts.values())
    this.#counts = new Map()
  }

  async #write(): Promise<void> {
    this.#rotate()
    const pending = mergeCounts(this.#pendingFlush) // so that memory does not grow with each failed flush
    this.#pendingFlush = pending
    while (pending.length > 0) {
      const chunk = pending.splice(0, maxRowsPerTransaction)
      try {
        // Merged again: `count` may have added to `pending` during the previous transaction, and one statement must not
        // contain a key and hour twice.
        await this.#catalog.transaction((database) => addCounts(database, mergeCounts(chunk)), keepsCachedKeys)
      } catch (error) {
        // If the commit succeeded and only its reply was lost, the chunk is counted twice, which is better than losing
        // it.
        this.#pendingFlush.push(...chunk)
        throw error
      }
    }
    const hour = Math.floor(this.#now().getTime() / hourMs)
    if (hour !== this.#cleanedUpInHour) await deleteOldHours(this.#catalog, hour)
    this.#cleanedUpInHour = hour
  }
}

const zeroCounts = { requests: 0, errors: 0, limited: 0, lastAt: 0, lastFrom: '' }

/** Lists the hours in which a tenant, a key or the whole installation had requests, earliest first. */
export async function listHours(
  catalog: Catalog,
  input: { tenantId?: string; keyId?: string; since: Date },
): Promise<HourOfUse[]> {
  const since = Math.floor(input.since.getTime() / hourMs)
  const conditions: [sql: string, value: Value][] = [['hour >= ?', startOf(since)]]
  if (input.tenantId !== undefined) conditions.push(['tenant_id = ?', input.tenantId])
  if (input.keyId !== undefined) conditions.push(['key_id = ?', input.keyId])
  const rows = await catalog.database.all<HourOfUse>(
    `select hour, sum(requests) as requests, sum(errors) as errors, sum(limited) as limited from api_key_usage_hourly
     where ${conditions.map(([sql]) => sql).join(' and ')} group by hour order by hour`,
    conditions.map(([, value]) => value),
  )
  return rows.map((row) => ({ ...row }))
}

/** Returns the number of requests by tenant id. Tenants without requests are omitted. */
export async function listRequestsByTenant(catalog: Catalog, since: Date): Promise<Map<string, number>> {
  const rows = await catalog.database.all<{ tenant_id: string; requests: number }>(
    'select tenant_id, sum(requests) as requests from api_key_usage_hourly where hour >= ? group by tenant_id',
    [startOf(Math.floor(since.getTime() / hourMs))],
  )
  return new Map(rows.map(({ tenant_id, requests }) => [tenant_id, Number(requests)]))
}

/** Lists the last use of each of a tenant's keys, latest first. Keys that were never used are omitted. */
export async function listLastUses(catalog: Catalog, tenantId: string): Promise<LastUse[]> {
  const rows = await catalog.database.all<LastUse>(
    'select key_id, last_used_at, last_used_from from api_key_last_use where tenant_id = ? order by last_used_at desc, key_id',
    [tenantId],
  )
  return rows.map((row) => ({ ...row }))
}
