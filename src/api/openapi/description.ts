import type { Config } from '../../config.ts'
import type { Resources } from '../../resources/resource.ts'

/** What a service is like, as far as its document depends on it. `server`: the address of the API, absolute or a path;
 *  `rateLimit`: requests per minute, 0 is no limit; `bodyLimit`: bytes; `hasCors`: whether preflights are answered. */
export type Description = {
  resources: Resources
  server: string
  rateLimit: number
  reuse: 'replay' | 'reject'
  bodyLimit: number
  hasCors: boolean
}

/** The description of a service with these settings. */
export function descriptionOf(config: Config, resources: Resources): Description {
  return {
    resources,
    server: config.PUBLIC_URL + config.API_BASE_PATH || '/',
    rateLimit: config.RATE_LIMIT_PER_MINUTE,
    reuse: config.IDEMPOTENCY_REUSE,
    bodyLimit: config.BODY_LIMIT_BYTES,
    hasCors: config.CORS_ORIGINS.length > 0,
  }
}
