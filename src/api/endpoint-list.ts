// GET {base_url}/ (contract §14): for someone who has only the address of the API. It needs no key.

import { type Asset, asset } from '../http/assets.ts'
import { commonHeaders } from '../http/headers.ts'
import { type Endpoint, routesOf } from './endpoint.ts'

/** `base`: URL of the API. `reference`: URL of the reference page. */
export function endpointListAsset(endpoints: readonly Endpoint[], base: string, reference: string): Asset {
  const list = [...routesOf(endpoints)].map(([path, methods]) => ({ url: base + path, methods: [...methods.keys()] }))
  const body = JSON.stringify({ reference, openapi: `${base}/openapi.json`, endpoints: list })
  return asset(commonHeaders['content-type'], body, { 'cache-control': commonHeaders['cache-control'] })
}
