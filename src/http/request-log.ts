// Records each request: one log line, metrics, and the API key's usage.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { UsageCounter } from '../access/request-counts.ts'
import type { Metrics } from './metrics.ts'

/** The fields that the panel adds to a request's log line. None of these fields is secret. */
export type PanelLogFields = {
  user?: string
  /** The session's id, which is not its token. */
  session?: string
  /** The slug of the tenant that the page shows. */
  tenant?: string
  /** Why the request was rejected. */
  refusal?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    panelLogFields?: PanelLogFields
  }
}

/** The non-standard status that nginx logs if a client closes the connection before the response. */
const clientClosedRequest = 499

type RecorderDependencies = {
  log: Logger
  metrics: Metrics
  usage: Pick<UsageCounter, 'count'>
  /** The API's paths and those of its assets. */
  apiPaths: ReadonlySet<string>
}

/** Records a request when its response closes, because Fastify's onResponse does not run if the client disconnects.
 *  Reads the client's address immediately, because a broken connection no longer has an address. */
export function recordOnClose(reply: FastifyReply, deps: RecorderDependencies): void {
  const [startedAt, address] = [performance.now(), reply.request.ip ?? '']
  // The event occurs once. `once` would remove the listener for each request, which costs as much as recording it.
  reply.raw.on('close', () => record(reply, performance.now() - startedAt, address, deps))
}

/** The log line never contains the query or the headers, because they may contain secrets. */
function record(
  reply: FastifyReply,
  milliseconds: number,
  address: string,
  { log, metrics, usage, apiPaths }: RecorderDependencies,
): void {
  const { request } = reply
  const caller = request.apiContext?.caller
  const status = reply.sent ? reply.statusCode : clientClosedRequest
  const [path = ''] = (request.raw.url ?? '').split('?', 1)
  metrics.observe({ method: request.method, route: routeOf(request, path, apiPaths), status, milliseconds })
  if (caller) usage.count(caller, status, address)
  const { code, cause } = reply.problem ?? {}
  const level = levelOf(request, path, status, cause)
  if (!log.isLevelEnabled(level)) return
  const { user, session, tenant, refusal } = request.panelLogFields ?? {}
  const { traceId, spanId, parentId } = request.trace ?? {}
  log[level](
    {
      requestId: request.id,
      method: request.method,
      path: loggedPath(path),
      status,
      code: code ?? refusal,
      reason: cause instanceof Error ? cause.message : undefined,
      milliseconds: Math.round(milliseconds * 10) / 10,
      address,
      tenant: caller?.tenant.slug ?? tenant,
      key: caller?.id,
      user,
      session,
      trace_id: traceId, // the names that OpenTelemetry specifies for logs
      span_id: spanId,
      parent_span_id: parentId,
    },
    'request',
  )
}

/** Returns the declared path of a request. Returns `other` for every other path, so that made-up paths do not each
 *  create a time series in the metrics. */
function routeOf(request: FastifyRequest, path: string, apiPaths: ReadonlySet<string>): string {
  if (apiPaths.has(path)) return path // checked first, because Fastify creates its `routeOptions` each time
  return request.routeOptions?.url ?? 'other'
}

/** Matches the paths that probes poll and the assets that pages load. */
const routinePath = /^\/(healthz|readyz|metrics|(panel|docs)\/[\w.-]+)$/

/** Problems with a cause, such as an outage of the tenant's database, are logged at `warn`. Successful requests for
 *  routine paths are logged at `debug`, and all other requests at `info`. */
function levelOf(request: FastifyRequest, path: string, status: number, cause: unknown): 'warn' | 'info' | 'debug' {
  if (cause) return 'warn'
  return status < 400 && !request.apiContext && routinePath.test(path) ? 'debug' : 'info'
}

/** Truncates long paths and long path segments, because a client may have put an API key into the path, in any
 *  encoding. */
function loggedPath(path: string): string {
  return path.length < 24 ? path : path.slice(0, 200).replaceAll(/([^/]{4})[^/]{20,}/g, '$1…')
}
