// GET {base_url}/ (contract §14): the list of endpoints, for callers who have only the API's URL. No API key is
// required.

import { type Asset, asset } from '../http/assets.ts'
import { commonHeaders } from '../http/headers.ts'
import { type Endpoint, routesOf } from './endpoint.ts'

/** `base`: the URL of the API. `reference`: the URL of the reference page. */
export function endpointListAsset(endpoints: readonly Endpoint[], base: string, reference: string): Asset {
  const list = [...routesOf(endpoints)].map(([path, methods]) => ({ url: base + path, methods: [...methods.keys()] }))
  const body = JSON.stringify({ reference, openapi: `${base}/openapi.json`, endpoints: list })
  return asset(commonHeaders['content-type'], body, { 'cache-control': commonHeaders['cache-control'] })
}
