// What the HTTP server serves for the API: the endpoints below the base path, the OpenAPI document, and the reference page.

import type { Config } from '../config.ts'
import type { ApiRoutes } from '../http/api-handler.ts'
import { type Assets, asset, lazily } from '../http/assets.ts'
import { openBodyReader } from '../http/body-reader.ts'
import { commonHeaders } from '../http/headers.ts'
import type { StorageMetrics } from '../storage/metrics.ts'
import { type ApiDependencies, createApi } from './api.ts'
import type { Endpoint } from './endpoint.ts'
import { descriptionOf } from './openapi/description.ts'
import { describe } from './openapi/document.ts'
import { referenceAssets } from './reference/reference.ts'

export type RoutesDependencies = Omit<ApiDependencies, 'location' | 'bodies' | 'reuse'> & {
  config: Config
  metrics: { engine: StorageMetrics }
}

export function createApiRoutes(deps: RoutesDependencies): ApiRoutes {
  const { config, metrics, endpoints } = deps
  const handle = createApi({
    ...deps,
    bodies: openBodyReader(config.BODY_LIMIT_BYTES, metrics.engine),
    reuse: config.IDEMPOTENCY_REUSE,
    location: config.PUBLIC_URL + config.API_BASE_PATH,
  })
  return { basePath: config.API_BASE_PATH, handle, assets: assetsOf(config, endpoints) }
}

/** The paths that need no API key: the OpenAPI document and the reference page. */
function assetsOf(config: Config, endpoints: readonly Endpoint[]): Assets {
  const document = lazily(() => describe(descriptionOf(config, endpoints)))
  const text = lazily(() => asset(commonHeaders['content-type'], JSON.stringify(document())))
  return new Map([[`${config.API_BASE_PATH}/openapi.json`, text], ...referenceAssets(document, config.API_BASE_PATH)])
}
