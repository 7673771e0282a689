// The rate limit (§8, contract §11): fixed windows, one per API key and one per tenant, each opening with its first request.

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

/** How a caller stands after a request was counted. `resetsAt`: the epoch second at which the window ends. `exceeded`: whose
 *  limit refuses the request. */
export type Window = { limit: number; remaining: number; resetsAt: number; exceeded: 'key' | 'tenant' | null }

export type RateLimit = {
  /** Counts a request of this key; undefined when there is no limit. */
  count(keyId: string, tenantId: string): Promise<Window | undefined>
}

/** Where requests are counted: in Redis, else in the table, else in the memory of this node. While a store is away, each
 *  node counts in its memory. */
export type Stores = { redis?: Redis; shared?: SharedStore }

/** `seconds` is 60 (§8); tests shorten it. */
export function createRateLimit(limits: Limits, seconds = 60, stores: Stores = {}): RateLimit {
  if (limits.key === 0 && limits.tenant === 0) return { count: async () => undefined }
  const counter = chooseCounter(seconds, stores)
  return {
    async count(keyId, tenantId) {
      return windowOf(limits, await counter({ keyId, tenantId, limits, requests: 1 }))
    },
  }
}

function chooseCounter(seconds: number, { redis, shared }: Stores): Counter {
  const inMemory = countInMemory(seconds)
  if (!redis && !shared) return inMemory
  const together = redis ? countInRedis(seconds, redis) : countInPostgres(seconds, shared!)
  return batchPerTurn((ask) => together(ask).catch(() => inMemory(ask)))
}

/** Counts the requests of a key that come in one turn of the event loop at once; each gets its own number. */
function batchPerTurn(counter: Counter): Counter {
  const waiting = new Map<string, PromiseWithResolvers<WindowCounts>[]>()

  async function count(ask: CountRequest): Promise<void> {
    const batch = waiting.get(ask.keyId)!
    waiting.delete(ask.keyId)
    try {
      const { key, tenant } = await counter({ ...ask, requests: batch.length })
      for (const [at, { resolve }] of batch.entries()) resolve({ key: behind(key, at), tenant: behind(tenant, at) })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (ask) => {
    const own = Promise.withResolvers<WindowCounts>()
    const batch = waiting.get(ask.keyId)
    if (batch) batch.push(own)
    else {
      waiting.set(ask.keyId, [own])
      setImmediate(count, ask)
    }
    return own.promise
  }
}

/** The count of a request that has `others` of its batch before it. */
function behind(counted: WindowCount | null, others: number): WindowCount | null {
  return counted && { ...counted, before: counted.before + others }
}

/** The key's window, unless the tenant's refuses the request or there is no other. */
function windowOf(limits: Limits, { key, tenant }: WindowCounts): Window {
  const ofKey = key && standing('key', limits.key, key)
  if (ofKey?.exceeded || !tenant) return ofKey!
  const ofTenant = standing('tenant', limits.tenant, tenant)
  if (!ofKey) return ofTenant
  return ofTenant.exceeded ? { ...ofTenant, limit: ofKey.limit } : ofKey
}

function standing(whose: 'key' | 'tenant', limit: number, { before, resetsAt }: WindowCount): Window {
  const remaining = Math.max(limit - before - 1, 0)
  return { limit, remaining, resetsAt, exceeded: before >= limit ? whose : null }
}
