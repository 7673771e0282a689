// X-Request-Id (contract §8): the caller's own, when it can stand in a header and a log line, else a new one.

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** 1–128 visible ASCII characters. */
const visible = /^[\x21-\x7e]{1,128}$/

export function requestId(request: { headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && visible.test(given) ? given : randomUUID()
}
