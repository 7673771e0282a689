// The routes of the API for the HTTP server: the endpoints below the base path, their list, the OpenAPI document, and
// the reference page.

import type { Config } from '../config.ts'
import type { EngineMetrics } from '../engine/measurements.ts'
import type { ApiRoutes } from '../http/api-handler.ts'
import { type Asset, type Assets, asset, lazily } from '../http/assets.ts'
import { openBodyReader } from '../http/body-reader.ts'
import { commonHeaders } from '../http/headers.ts'
import { type ApiDependencies, createApi } from './api.ts'
import { type Endpoint, routesOf } from './endpoint.ts'
import { buildDocument } from './openapi/document.ts'
import { referenceAssets } from './reference/page.ts'

export type RoutesDependencies = Omit<ApiDependencies, 'location' | 'reference' | 'bodies' | 'bulkBodies'> & {
  metrics: { engine: EngineMetrics }
}

/** Returns how many bytes to reserve for the response to a bulk request. The response can be much larger than the
 *  request: an operation of 60 bytes may return a record of 12 KB. As a result, a process runs at most 16 bulk requests
 *  with hundreds of operations at a time, and a tenant at most four (docs/decisions/0035). */
function bulkResponseBytes(bodyBytes: number): number {
  return Math.min(4 * 2 ** 20, 65_536 + 200 * bodyBytes)
}

export function createApiRoutes(deps: RoutesDependencies): ApiRoutes {
  const { config, metrics, endpoints } = deps
  const handle = createApi({
    ...deps,
    bodies: openBodyReader({ limitBytes: config.BODY_LIMIT_BYTES }, metrics.engine),
    bulkBodies: openBodyReader(
      { limitBytes: config.BULK_BODY_LIMIT_BYTES, responseBytes: bulkResponseBytes },
      metrics.engine,
    ),
    location: config.PUBLIC_URL + config.API_BASE_PATH,
    reference: referenceUrl(config),
  })
  const basePath = config.API_BASE_PATH
  const paths = endpoints.map(({ path }) => basePath + path)
  return { basePath, handle, assets: assetsOf(deps), paths }
}

/** Returns the paths that do not require an API key: the list of endpoints, the OpenAPI document and the reference
 *  page. There is no list of endpoints if the base path is `/`, because that path belongs to the panel. Builds the
 *  document at once, so that a service with a wrong declaration does not start. */
function assetsOf({ config, endpoints, resources }: RoutesDependencies): Assets {
  const document = JSON.stringify(buildDocument(resources, endpoints, config))
  const text = lazily(() => asset(commonHeaders['content-type'], document))
  const list = lazily(() =>
    endpointListAsset(endpoints, config.PUBLIC_URL + config.API_BASE_PATH, referenceUrl(config)),
  )
  return new Map([
    ...(config.API_BASE_PATH === '' ? [] : [[`${config.API_BASE_PATH}/`, list] as const]),
    [`${config.API_BASE_PATH}/openapi.json`, text],
    ...referenceAssets(document, config.API_BASE_PATH),
  ])
}

function referenceUrl({ PUBLIC_URL }: Config): string {
  return `${PUBLIC_URL}/docs`
}

/** Returns the list of endpoints for callers who have only the API's URL (contract §14). `base`: the URL of the API.
 *  `reference`: the URL of the reference page. */
function endpointListAsset(endpoints: readonly Endpoint[], base: string, reference: string): Asset {
  const list = [...routesOf(endpoints)].map(([path, methods]) => ({ url: base + path, methods: [...methods.keys()] }))
  const body = JSON.stringify({ reference, openapi: `${base}/openapi.json`, endpoints: list })
  return asset(commonHeaders['content-type'], body, { 'cache-control': commonHeaders['cache-control'] })
}
