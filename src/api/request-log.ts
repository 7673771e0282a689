// What is remembered of a request: a line of log and counts.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Usage } from '../tenancy/usage.ts'
import type { Metrics } from './metrics.ts'

/** One line of log (of the addresses of operations only at `debug`) and one count per request, and one for the key that
 *  asked. Never its query or headers: they may hold what is secret. */
export function recordRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: { log: Logger; metrics: Metrics; usage: Pick<Usage, 'count'> },
): void {
  const caller = request.exchange?.caller
  const path = loggedPath(request.raw.url ?? '')
  parts.metrics.observe(request.method, reply.statusCode, reply.elapsedTime)
  if (caller) parts.usage.count(caller, reply.statusCode, request.ip)
  parts.log[request.is404 ? 'info' : 'debug'](
    {
      requestId: request.id,
      method: request.method,
      path,
      status: reply.statusCode,
      code: reply.problem,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      address: request.ip,
      tenant: caller?.tenant.slug,
      key: caller?.id,
    },
    'request',
  )
}

/** A key that someone put into the path, however encoded, stays out of the log: long parts are cut. */
function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.length < 24 ? path : path.slice(0, 200).replaceAll(/([^/]{4})[^/]{20,}/g, '$1…')
}
