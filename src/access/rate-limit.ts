// The rate limit (§8, contract §11): fixed windows, one per API key and one per tenant. A window opens with its first request.

import type { SharedStore } from '../catalog/postgres.ts'
import type { Redis } from '../lib/redis.ts'
import {
  type Counter,
  type CountRequest,
  countInMemory,
  countInPostgres,
  countInRedis,
  type Limits,
  type WindowCount,
  type WindowCounts,
} from './rate-limit-stores.ts'

/** The state of a window after a request was counted. `resetsAt`: the epoch second at which the window ends. `exceeded`: which
 *  limit rejects the request. */
export type Window = { limit: number; remaining: number; resetsAt: number; exceeded: 'key' | 'tenant' | null }

export type RateLimit = {
  /** Counts a request of this key; undefined when there is no limit. `ownLimit`: requests per window of a key with a limit of
   *  its own (0: none), which replaces the installation's limits: the tenant's limit neither counts nor rejects its requests. */
  count(keyId: string, tenantId: string, ownLimit?: number | null): Promise<Window | undefined>
}

/** Requests are counted in Redis if it is set, otherwise in the shared table, otherwise in memory. While a shared store is
 *  unreachable, each node counts in its own memory. `onExceeded`: called for each request that a limit rejects. */
export type RateLimitOptions = {
  redis?: Redis
  shared?: SharedStore
  onExceeded?: (limit: 'key' | 'tenant') => void
}

/** `seconds`: length of a window (§8); tests shorten it. */
export function createRateLimit(limits: Limits, seconds = 60, options: RateLimitOptions = {}): RateLimit {
  const counter = chooseCounter(seconds, options)
  return {
    async count(keyId, tenantId, ownLimit = null) {
      const applied = ownLimit === null ? limits : { key: ownLimit, tenant: 0 }
      if (applied.key === 0 && applied.tenant === 0) return undefined
      const window = windowOf(applied, await counter({ keyId, tenantId, limits: applied, requests: 1 }))
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

/** Counts all requests of a key within one tick of the event loop in a single call; each request gets its own position. */
function batchPerTick(counter: Counter): Counter {
  const waiting = new Map<string, PromiseWithResolvers<WindowCounts>[]>()

  async function count(request: CountRequest): Promise<void> {
    const batch = waiting.get(request.keyId)!
    waiting.delete(request.keyId)
    try {
      const { key, tenant } = await counter({ ...request, requests: batch.length })
      for (const [at, { resolve }] of batch.entries()) resolve({ key: offsetBy(at, key), tenant: offsetBy(at, tenant) })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (request) => {
    const own = Promise.withResolvers<WindowCounts>()
    const batch = waiting.get(request.keyId)
    if (batch) batch.push(own)
    else {
      waiting.set(request.keyId, [own])
      setImmediate(count, request)
    }
    return own.promise
  }
}

/** The count for the request at this position in its batch. */
function offsetBy(position: number, count: WindowCount | null): WindowCount | null {
  return count && { ...count, before: count.before + position }
}

/** The key's window, or the tenant's if it rejects the request or there is no limit per key. */
function windowOf(limits: Limits, { key, tenant }: WindowCounts): Window {
  const ofKey = key && toWindow('key', limits.key, key)
  if (ofKey?.exceeded || !tenant) return ofKey!
  const ofTenant = toWindow('tenant', limits.tenant, tenant)
  if (!ofKey) return ofTenant
  return ofTenant.exceeded ? { ...ofTenant, limit: ofKey.limit } : ofKey
}

function toWindow(limited: 'key' | 'tenant', limit: number, { before, resetsAt }: WindowCount): Window {
  const remaining = Math.max(limit - before - 1, 0)
  return { limit, remaining, resetsAt, exceeded: before >= limit ? limited : null }
}
