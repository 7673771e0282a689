// The rate limit (§8, contract §11): a fixed window per API key that opens with the key's first request.

import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/** How a key stands after a request was counted. `resetsAt`: the epoch second at which the window ends. */
export type Window = { limit: number; remaining: number; resetsAt: number; isExceeded: boolean }

export type RateLimit = {
  /** Counts a request of this key; undefined when the limit is switched off. */
  count(keyId: string): Promise<Window | undefined>
}

/** `seconds` is 60 (§8); tests shorten it. */
export function createRateLimit(limit: number, seconds = 60): RateLimit {
  if (limit === 0) return { count: async () => undefined }
  const limiter = new RateLimiterMemory({ points: limit, duration: seconds })
  // The limiter tells how long a window still lasts; computed anew each time, its end would waver by a millisecond.
  const ends = new Map<string, number>()

  function toWindow(keyId: string, result: RateLimiterRes): Window {
    if (result.isFirstInDuration) {
      if (ends.size > 100_000) ends.clear()
      ends.set(keyId, Math.ceil((Date.now() + result.msBeforeNext) / 1000))
    }
    return {
      limit,
      remaining: result.remainingPoints,
      resetsAt: ends.get(keyId) ?? Math.ceil((Date.now() + result.msBeforeNext) / 1000),
      isExceeded: result.consumedPoints > limit,
    }
  }

  return {
    async count(keyId) {
      const result = await limiter.consume(keyId).catch((refused: RateLimiterRes) => refused)
      return toWindow(keyId, result)
    },
  }
}
