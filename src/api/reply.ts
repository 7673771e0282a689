// Builds parts of responses that several endpoints have in common.

import { type ParsedUrlQuery, stringify } from 'node:querystring'
import { isKnown } from '../http/headers.ts'
import type { Answer, ApiRequest } from './endpoint.ts'

/** Returns 304 if the client already has this version (If-None-Match), otherwise 200 with the body. */
export function unlessNotModified(
  { call }: ApiRequest,
  etag: string,
  body: () => string,
  headers: Record<string, string> = {},
): Answer {
  const isUnchanged = isKnown(etag, call.headers['if-none-match'])
  return isUnchanged
    ? { status: 304, body: '', headers: { ...headers, etag } }
    : { status: 200, body: body(), headers: { ...headers, etag } }
}

/** Returns the `Link` header with the URL of the next page. `query`: the query that selects the next page. */
export function nextLink({ call, services }: ApiRequest, query: ParsedUrlQuery): { link: string } {
  return { link: `<${services.location}${call.path}?${stringify(query)}>; rel="next"` }
}
