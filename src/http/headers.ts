// The headers of every response (contract §8), whichever part of the server sends it.

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // If a browser displays a response, it may not load anything or be framed. Pages have a policy of their own.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // Keeps other sites from embedding responses. CORS requests are not affected (Fetch, "CORP check").
  'cross-origin-resource-policy': 'same-origin',
} as const

/** The headers of every response of a server with this public URL. */
export function headersOf(publicUrl: string): Record<string, string> {
  const hasTls = publicUrl.startsWith('https:')
  return { ...commonHeaders, ...(hasTls && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }) }
}

/** 1–128 visible ASCII characters. */
const visible = /^[\x21-\x7e]{1,128}$/

/** The client's X-Request-Id if it is safe in a header and a log line, else a new one. */
export function requestId(request: { headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && visible.test(given) ? given : randomUUID()
}

/** If-None-Match uses weak comparison (RFC 9110 §13.1.2): a proxy may have turned our entity tag into a weak one. */
export function isKnown(etag: string, ifNoneMatch = ''): boolean {
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
