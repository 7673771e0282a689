// The rate limit (§8, contract §11): a fixed window per API key that opens with the key's first request.

import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Pool } from '../storage/postgres/connection.ts'

/** How a key stands after a request was counted. `resetsAt`: the epoch second at which the window ends. */
export type Window = { limit: number; remaining: number; resetsAt: number; isExceeded: boolean }

export type RateLimit = {
  /** Counts a request of this key; undefined when the limit is switched off. */
  count(keyId: string): Promise<Window | undefined>
}

/** Where nodes count together; `table` has the columns key, points, expire. */
export type SharedCount = { pool: Pool; schema: string; table: string }

/** `seconds` is 60 (§8); tests shorten it. Without `shared` a node counts in its memory, and so it does with it while the
 *  store is away. */
export function createRateLimit(limit: number, seconds = 60, shared?: SharedCount): RateLimit {
  if (limit === 0) return { count: async () => undefined }
  // The limiter tells how long a window still lasts; computed anew each time, its end would waver by a millisecond.
  const ends = new Map<string, number>()
  const limiter = createLimiter(limit, seconds, shared && tellingEnds(shared, remember))

  function remember(keyId: string, end: number): void {
    if (ends.size > 100_000) ends.clear()
    ends.set(keyId, end)
  }

  function windowEnd(keyId: string, result: RateLimiterRes): number {
    const computed = Math.ceil((Date.now() + result.msBeforeNext) / 1000)
    const known = ends.get(keyId)
    const isKnown = shared !== undefined || !result.isFirstInDuration
    if (known !== undefined && isKnown && Math.abs(known - computed) <= 1) return known
    remember(keyId, computed)
    return computed
  }

  return {
    async count(keyId) {
      const result = await limiter.consume(keyId).catch((refused: RateLimiterRes) => refused)
      return {
        limit,
        remaining: result.remainingPoints,
        resetsAt: windowEnd(keyId, result),
        isExceeded: result.consumedPoints > limit,
      }
    },
  }
}

/** The store holds the end of a window to the millisecond: the same for every node, whatever each would compute. */
function tellingEnds(shared: SharedCount, tell: (keyId: string, end: number) => void): SharedCount {
  const query: Pool['query'] = async (statement) => {
    const result = await shared.pool.query(statement)
    const { values: [key] = [] } = statement
    const expire = result.rows[0]?.expire
    if (typeof expire === 'number') tell(String(key).slice(keyPrefix.length + 1), Math.ceil(expire / 1000))
    return result
  }
  return { ...shared, pool: { ...shared.pool, query } }
}

const keyPrefix = 'key'

function createLimiter(points: number, duration: number, shared?: SharedCount) {
  const memory = new RateLimiterMemory({ points, duration })
  if (!shared) return memory
  return new RateLimiterPostgres({
    points,
    duration,
    storeClient: shared.pool,
    storeType: 'pool',
    schemaName: shared.schema,
    tableName: shared.table,
    tableCreated: true,
    keyPrefix,
    insuranceLimiter: memory,
  })
}
