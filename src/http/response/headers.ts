// The headers that every response has (contract §8), request ids, and the comparison of entity tags.

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // A browser that displays a response must not load anything else, and no page may frame the response. HTML pages have
  // a different policy.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // Prevents other sites from embedding responses. CORS requests are not affected (Fetch, "CORP check").
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Returns the headers that every response has if the server has this public URL. */
export function headersOf(publicUrl: string): Record<string, string> {
  const hasTls = publicUrl.startsWith('https:')
  return { ...commonHeaders, ...(hasTls && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }) }
}

/** A request id consists of 1 to 128 visible ASCII characters. */
const validRequestId = /^[\x21-\x7e]{1,128}$/

/** Returns the client's X-Request-Id if it is safe in a header and a log line, otherwise a new id. */
export function requestId(request: { headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && validRequestId.test(given) ? given : randomUUID()
}

/** Whether the client already has the version with this entity tag. The comparison is weak (RFC 9110 §13.1.2), because
 *  a proxy may have turned the ETag into a weak one. */
export function isKnown(etag: string, ifNoneMatch = ''): boolean {
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
