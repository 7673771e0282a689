// What every response carries (contract §8).

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

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
