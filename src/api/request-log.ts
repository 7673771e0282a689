// What is remembered of a request: a line of log and counts.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Usage } from '../tenancy/usage.ts'
import type { Metrics } from './metrics.ts'

/** Not HTTP's, but known in the field: the client has gone away before there was an answer. */
const clientGone = 499

type Records = { log: Logger; metrics: Metrics; usage: Pick<Usage, 'count'> }

/** Records a request when its answer is closed: Fastify's onResponse misses those whose client has gone away. The address is
 *  read now: a connection that has broken has none. */
export function recordOnClose(request: FastifyRequest, reply: FastifyReply, records: Records): void {
  const [start, address] = [performance.now(), request.ip ?? '']
  reply.raw.once('close', () => record(request, reply, performance.now() - start, address, records))
}

/** One line of log (of the addresses of operations only at `debug`, of an outage as a warning) and one count per request, and one
 *  for the key that asked. Never its query or headers: they may hold what is secret. */
function record(
  request: FastifyRequest,
  reply: FastifyReply,
  milliseconds: number,
  address: string,
  { log, metrics, usage }: Records,
): void {
  const caller = request.exchange?.caller
  const status = reply.sent ? reply.statusCode : clientGone
  const path = loggedPath(request.raw.url ?? '')
  metrics.observe(request.method, status, milliseconds)
  if (caller) usage.count(caller, status, address)
  const { code, cause } = reply.problem ?? {}
  log[cause ? 'warn' : request.is404 ? 'info' : 'debug'](
    {
      requestId: request.id,
      method: request.method,
      path,
      status,
      code,
      reason: (cause as Error | undefined)?.message,
      milliseconds: Math.round(milliseconds * 10) / 10,
      address,
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
