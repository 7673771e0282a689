import { type Config, rateLimits } from '../../config.ts'
import type { Resources } from '../../resources/resource.ts'

/** What a service is like, as far as its document depends on it. `server`: the address of the API, absolute or a path;
 *  `rateLimits`: requests per minute of a key and of a tenant, 0 is no limit; `bodyLimit`: bytes; `hasCors`: whether preflights are answered. */
export type Description = {
  resources: Resources
  server: string
  rateLimits: { key: number; tenant: number }
  reuse: 'replay' | 'reject'
  bodyLimit: number
  hasCors: boolean
}

/** The description of a service with these settings. */
export function descriptionOf(config: Config, resources: Resources): Description {
  return {
    resources,
    server: config.PUBLIC_URL + config.API_BASE_PATH || '/',
    rateLimits: rateLimits(config),
    reuse: config.IDEMPOTENCY_REUSE,
    bodyLimit: config.BODY_LIMIT_BYTES,
    hasCors: config.CORS_ORIGINS.length > 0,
  }
}

/** Whether requests are limited at all: then there are rate-limit headers, and 429. */
export function isLimited({ rateLimits: { key, tenant } }: Description): boolean {
  return key > 0 || tenant > 0
}
