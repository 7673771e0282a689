// What is remembered of a request: a line of log and counts.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Usage } from '../access/usage-counter.ts'
import type { Metrics } from '../http/metrics.ts'
import type {} from '../http/visitor.ts'

/** Not HTTP's, but known in the field: the client has gone away before there was an answer. */
const clientGone = 499

type Records = { log: Logger; metrics: Metrics; usage: Pick<Usage, 'count'> }

/** Records a request when its answer is closed: Fastify's onResponse misses those whose client has gone away. The address is
 *  read now: a connection that has broken has none. */
export function recordOnClose(request: FastifyRequest, reply: FastifyReply, records: Records): void {
  const [start, address] = [performance.now(), request.ip ?? '']
  reply.raw.once('close', () => record(request, reply, performance.now() - start, address, records))
}

/** Writes one line of log per request (see `levelOf`), and counts it, also for the key that asked. The line never holds the query or
 *  headers: they may be secret. */
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
  const { user, session, tenant, refusal } = request.visitor ?? {}
  log[levelOf(request, path, status, cause)](
    {
      requestId: request.id,
      method: request.method,
      path,
      status,
      code: code ?? refusal,
      reason: (cause as Error | undefined)?.message,
      milliseconds: Math.round(milliseconds * 10) / 10,
      address,
      tenant: caller?.tenant.slug ?? tenant,
      key: caller?.id,
      user,
      session,
    },
    'request',
  )
}

/** What probes ask for every second, and what pages load. */
const routine = /^\/(healthz|readyz|metrics|(panel|docs)\/[\w.-]+)$/

/** An outage is a warning. Successful requests for `routine` paths are only logged at debug; every other request at info. */
function levelOf(request: FastifyRequest, path: string, status: number, cause: unknown): 'warn' | 'info' | 'debug' {
  if (cause) return 'warn'
  return status < 400 && !request.exchange && routine.test(path) ? 'debug' : 'info'
}

/** A key that someone put into the path, however encoded, stays out of the log: long parts are cut. */
function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.length < 24 ? path : path.slice(0, 200).replaceAll(/([^/]{4})[^/]{20,}/g, '$1…')
}
