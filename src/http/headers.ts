// What every response carries (contract §8), whichever part of the server has made it.

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Shown as a page, a response may load nothing and stand in no frame. Pages have their own policy.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // Holds for what other sites embed; what scripts of CORS_ORIGINS fetch is not its subject (Fetch, "CORP check").
  'cross-origin-resource-policy': 'same-origin',
} as const

/** The headers of every response of a server with this public address. */
export function headersOf(publicUrl: string): Record<string, string> {
  const hasTls = publicUrl.startsWith('https:')
  return { ...commonHeaders, ...(hasTls && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }) }
}

/** 1–128 visible ASCII characters. */
const visible = /^[\x21-\x7e]{1,128}$/

/** X-Request-Id: the caller's own, when it can stand in a header and a log line, else a new one. */
export function requestId(request: { headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && visible.test(given) ? given : randomUUID()
}

/** If-None-Match compares weakly (RFC 9110 §13.1.2): a proxy may have marked our tag as weak. */
export function isKnown(etag: string, ifNoneMatch = ''): boolean {
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
