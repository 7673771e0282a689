// Applies the rate limit to HTTP requests (§8, contract §11).

import type { Caller } from '../access/authenticator.ts'
import type { RateLimit, Window } from '../access/rate-limit.ts'
import type { ResponseContext } from '../http/api-handler.ts'
import { Problem } from '../problem.ts'

/** Counts a request and adds the rate-limit headers to its response. Returns the window; undefined if there is no
 *  limit. Throws `rate_limited`. */
export async function countRequest(
  rateLimit: RateLimit,
  caller: Caller,
  response: ResponseContext,
): Promise<Window | undefined> {
  const window = await rateLimit.count(caller.id, caller.tenant.id, caller.rate_limit)
  if (!window) return undefined
  Object.assign(response.headers, headersOf(window))
  if (window.exceeded) throw rateLimited(window.exceeded)
  return window
}

function headersOf(window: Window): Record<string, string> {
  return {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetsAt),
  }
}

function rateLimited(exceeded: 'key' | 'tenant'): Problem {
  const headers = { 'retry-after': '60' }
  if (exceeded === 'key') return new Problem('rate_limited', { headers })
  const message = 'Too many requests from the API keys of this tenant together. Wait until the window resets.'
  return new Problem('rate_limited', { headers, message })
}
