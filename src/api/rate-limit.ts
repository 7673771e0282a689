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
  if (window.exceeded) throw rateLimited(window)
  return window
}

function headersOf(window: Window): Record<string, string> {
  return {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetsAt),
  }
}

function rateLimited({ exceeded, exceededLimit, resetsAt }: Window): Problem {
  const subject = exceeded === 'key' ? 'This API key' : "All of this tenant's API keys together"
  const end = new Date(resetsAt * 1000).toISOString().replace('.000', '')
  const message = `${subject} may send ${exceededLimit} requests a minute. The current window ends at ${end}.`
  return new Problem('rate_limited', { headers: { 'retry-after': '60' }, message })
}
