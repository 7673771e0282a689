// Builds parts of responses that several endpoints have in common.

import { type ParsedUrlQuery, stringify } from 'node:querystring'
import { tagOf } from '../engine/responses/stored-response.ts'
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

/** Returns the answer with this value as JSON, whose ETag is that of the text. */
export function answerJson(request: ApiRequest, value: object, headers: Record<string, string> = {}): Answer {
  const text = JSON.stringify(value)
  return unlessNotModified(request, tagOf(text), () => text, headers)
}

/** Answers with a page of a list whose cursor is the id of the page's last entry. `entries`: at most `limit`, and one
 *  more if there is another page. */
export function answerPage<Entry extends { id: unknown }>(
  request: ApiRequest,
  limit: number,
  entries: readonly Entry[],
  toJson: (entry: Entry) => object = (entry) => entry,
): Answer {
  const data = entries.slice(0, limit)
  const next = entries.length > limit ? String(data.at(-1)?.id) : null
  const page = { limit, has_more: next !== null, next_cursor: next }
  const headers = next === null ? {} : nextLink(request, { ...request.query, cursor: next })
  return answerJson(request, { data: data.map(toJson), page }, headers)
}

/** Returns the `Link` header with the URL of the next page. `query`: the query that selects the next page. */
export function nextLink({ call, services }: ApiRequest, query: ParsedUrlQuery): { link: string } {
  return { link: `<${services.location}${call.path}?${stringify(query)}>; rel="next"` }
}
