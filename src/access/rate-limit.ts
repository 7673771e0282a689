// The rate limit (§8, contract §11): fixed windows, one per API key and one per tenant. A window opens with its first
// request.

import type { SharedStore } from '../catalog/postgres.ts'
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
