// The rate limit (§8, contract §11): a fixed window per API key that opens with the key's first request.

import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Pool } from '../storage/postgres/connection.ts'
import type { Redis } from './redis.ts'

/** How a key stands after a request was counted. `resetsAt`: the epoch second at which the window ends. */
export type Window = { limit: number; remaining: number; resetsAt: number; isExceeded: boolean }

export type RateLimit = {
  /** Counts a request of this key; undefined when the limit is switched off. */
  count(keyId: string): Promise<Window | undefined>
}

/** Where nodes count together; `table` has the columns key, points, expire. */
export type SharedCount = { pool: Pool; schema: string; table: string }

/** Where requests are counted: in Redis, else in the table, else in the memory of this node. While a store is away, each
 *  node counts in its memory. */
export type Stores = { redis?: Redis; shared?: SharedCount }

/** `seconds` is 60 (§8); tests shorten it. */
export function createRateLimit(limit: number, seconds = 60, stores: Stores = {}): RateLimit {
  if (limit === 0) return { count: async () => undefined }
  const counter = chooseCounter({ points: limit, duration: seconds }, stores)
  return {
    async count(keyId) {
      const { requests, resetsAt } = await counter(keyId)
      return { limit, remaining: Math.max(limit - requests, 0), resetsAt, isExceeded: requests > limit }
    },
  }
}

/** What the limiters of the library are told. */
type Limit = { points: number; duration: number }

/** The requests of the window so far, and its end as in Window. */
type Count = { requests: number; resetsAt: number }

/** Counts one request, or so many at once. */
type Counter = (keyId: string, requests?: number) => Promise<Count>

type Limiter = { consume(keyId: string, points: number): Promise<RateLimiterRes> }

function chooseCounter(limit: Limit, { redis, shared }: Stores): Counter {
  const memory = new RateLimiterMemory(limit)
  if (redis) return countTogether(countInRedis(limit, redis, countWith(memory)))
  return shared ? countTogether(countInPostgres(limit, shared, memory)) : countWith(memory)
}

/** The requests of a key that come in one turn of the event loop are counted at once, and each gets its own number. */
function countTogether(counter: Counter): Counter {
  const waiting = new Map<string, PromiseWithResolvers<Count>[]>()

  async function count(keyId: string): Promise<void> {
    const together = waiting.get(keyId)!
    waiting.delete(keyId)
    try {
      const { requests, resetsAt } = await counter(keyId, together.length)
      const before = requests - together.length
      for (const [at, { resolve }] of together.entries()) resolve({ requests: before + at + 1, resetsAt })
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  return (keyId) => {
    const own = Promise.withResolvers<Count>()
    const together = waiting.get(keyId)
    if (together) together.push(own)
    else {
      waiting.set(keyId, [own])
      setImmediate(count, keyId)
    }
    return own.promise
  }
}

function countInPostgres(limit: Limit, { pool, schema, table }: SharedCount, memory: RateLimiterMemory): Counter {
  const ends: Ends = new Map()
  const keyPrefix = 'key'
  // The row has the end of a window to the millisecond: the same for every node, whatever each would compute.
  const query: Pool['query'] = async (statement) => {
    const result = await pool.query(statement)
    const key = String(statement.values?.[0]).slice(keyPrefix.length + 1)
    const expire = result.rows[0]?.expire
    if (typeof expire === 'number') remember(ends, key, Math.ceil(expire / 1000))
    return result
  }
  const limiter = new RateLimiterPostgres({
    ...limit,
    storeClient: { ...pool, query },
    storeType: 'pool',
    schemaName: schema,
    tableName: table,
    tableCreated: true,
    keyPrefix,
    insuranceLimiter: memory,
  })
  return countWith(limiter, ends)
}

/** The epoch seconds at which the windows of keys end. */
type Ends = Map<string, number>

/** The limiter tells how long a window still lasts; computed anew each time, its end would waver by a millisecond. `told`:
 *  ends that a store tells. */
function countWith(limiter: Limiter, told?: Ends): Counter {
  const ends: Ends = told ?? new Map()

  function windowEnd(keyId: string, result: RateLimiterRes): number {
    const computed = Math.ceil((Date.now() + result.msBeforeNext) / 1000)
    const known = ends.get(keyId)
    const isOfThisWindow = told !== undefined || !result.isFirstInDuration
    if (known !== undefined && isOfThisWindow && Math.abs(known - computed) <= 1) return known
    remember(ends, keyId, computed)
    return computed
  }

  return async (keyId, requests = 1) => {
    const result = await consume(limiter, keyId, requests)
    return { requests: result.consumedPoints, resetsAt: windowEnd(keyId, result) }
  }
}

function remember(ends: Ends, keyId: string, end: number): void {
  if (ends.size > 100_000) ends.clear()
  ends.set(keyId, end)
}

/** Tells the end of the window, by the clock of Redis, where the library's own script tells what is left of it: so the
 *  end is the same at every node and request. */
const script = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
return { redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pexpiretime', KEYS[1]) }`

function countInRedis(limit: Limit, redis: Redis, meanwhile: Counter): Counter {
  const limiter = new RateLimiterRedis({
    ...limit,
    storeClient: redis,
    useRedisPackage: true,
    customIncrTtlLuaScript: script,
    keyPrefix: 'tenantdesk:requests',
  })
  return async (keyId, requests = 1) => {
    const result = await consume(limiter, keyId, requests).catch(() => undefined)
    if (!result) return meanwhile(keyId, requests)
    return { requests: result.consumedPoints, resetsAt: Math.ceil(result.msBeforeNext / 1000) }
  }
}

/** A refusal is a result too. */
async function consume(limiter: Limiter, keyId: string, points: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(keyId, points)
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}
