import { type Config, rateLimits } from '../../config.ts'
import type { Endpoint } from '../endpoint.ts'

/** The settings that the OpenAPI document depends on. `server`: the URL of the API, absolute or a path.
 *  `rateLimits`: requests per minute per key and per tenant; 0 means unlimited. `bodyLimit`: in bytes. `bulk`: the
 *  limits of a bulk request. `hasCors`: whether the server answers preflight requests. `hasList`: whether the root
 *  of the API lists the endpoints. */
export type Description = {
  endpoints: readonly Endpoint[]
  server: string
  rateLimits: { key: number; tenant: number }
  reuse: 'replay' | 'reject'
  bodyLimit: number
  bulk: { operations: number; bytes: number }
  hasCors: boolean
  hasList: boolean
}

export function descriptionOf(config: Config, endpoints: readonly Endpoint[]): Description {
  return {
    endpoints,
    server: config.PUBLIC_URL + config.API_BASE_PATH || '/',
    rateLimits: rateLimits(config),
    reuse: config.IDEMPOTENCY_REUSE,
    bodyLimit: config.BODY_LIMIT_BYTES,
    bulk: { operations: config.BULK_LIMIT, bytes: config.BULK_BODY_LIMIT_BYTES },
    hasCors: config.CORS_ORIGINS.length > 0,
    hasList: config.API_BASE_PATH !== '',
  }
}
