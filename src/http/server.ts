// The HTTP server: Fastify with the health and metrics endpoints, the API's routes, and the error envelope. The panel
// registers its pages and its own error pages on this server.

import { Readable } from 'node:stream'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { UsageCounter } from '../access/request-counts.ts'
import type { Config } from '../config.ts'
import { Unavailable } from '../engine/database/database.ts'
import { envelope, invalidRequest, Problem } from '../problem.ts'
import type { ApiRoutes, ResponseContext } from './api-handler.ts'
import { type Asset, sendAsset } from './assets.ts'
import { bodyCheckIntervalMs, watchBodies } from './body-reader.ts'
import {
  commonHeaders,
  type ForwardedReader,
  formatTraceparent,
  headersOf,
  readTraceparent,
  requestId,
  trustedProxies,
} from './headers.ts'
import type { Readiness } from './health.ts'
import { type Metrics, sendMetrics } from './metrics.ts'
import { handleParserErrors, limitConnections, limits } from './parser-errors.ts'
import { recordOnClose } from './request-log.ts'
import { sendBody, varyByEncoding } from './send-body.ts'
import { measureRequests } from './server-timing.ts'

export type ServerDependencies = {
  config: Config
  api: ApiRoutes
  log: Logger
  metrics: Metrics
  usage: Pick<UsageCounter, 'count'>
  /** Once the shutdown has begun, /readyz fails, and each connection is closed after its next response, so that proxies
   *  do not reuse it. */
  shutdown: { hasBegun: boolean }
  connections: number
  readiness: Readiness
  forwarded: ForwardedReader
  /** For tests. */
  bodyCheckIntervalMs?: number | undefined
}

/** Response headers that scripts from other origins may read when CORS is on. */
const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  'Location',
  'ETag',
  'Link',
  'Idempotent-Replayed',
  'Idempotency-Mismatch',
  'Change-Set',
  'Allow',
  'Content-Disposition',
  'WWW-Authenticate',
]

/** Builds the server, which does not listen yet. */
export async function createServer(deps: ServerDependencies): Promise<FastifyInstance> {
  const { config, api, log } = deps
  warnWithoutPublicUrl(config, log)
  const headers = headersOf(config.PUBLIC_URL)
  const recorder = { ...deps, apiPaths: new Set([...api.paths, ...api.assets.keys()]) }
  const prepareReply = (request: FastifyRequest, reply: FastifyReply): void => {
    deps.forwarded.read(request.raw.headers)
    recordOnClose(reply, recorder)
    const isForApi = api.basePath !== '' && isApiPath(api, request.raw.url!) // pages may also be below an empty base path
    reply.headers(isForApi ? headers.ofApi : headers.ofOthers).header('x-request-id', request.id)
    if (deps.shutdown.hasBegun) reply.header('connection', 'close')
    const trace = readTraceparent(request.raw.headers.traceparent)
    if (trace) request.trace = trace
    if (trace) reply.header('traceparent', formatTraceparent(trace))
  }
  const server = Fastify({
    ...limits,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // request-log.ts writes one line instead of two
    childLoggerFactory: (logger) => logger,
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    genReqId: requestId,
    trustProxy: trustedProxies(config.TRUST_PROXY),
    return503OnClosing: false,
    rewriteUrl: toOriginForm,
    frameworkErrors: (_error, request, rawReply) => {
      const reply = rawReply as FastifyReply
      prepareReply(request, reply) // Fastify skips hooks for a URL that it cannot route
      void route(api, reply)
    },
  })
  handleParserErrors(server.server, headers.ofOthers, log)
  limitConnections(server.server, deps.connections, log)
  const watchBody = watchBodies(server.server, deps.bodyCheckIntervalMs ?? bodyCheckIntervalMs)
  server.addHook('onRequest', (request, reply, done) => {
    prepareReply(request, reply)
    watchBody(request.raw)
    if (hasOneHost(request)) return done()
    const message = 'HTTP/1.1 requires exactly one Host header (RFC 9112 §3.2).'
    void sendProblem(reply, invalidRequest(message))
  })
  measureRequests(server, config)
  if (config.CORS_ORIGINS.length > 0) await server.register(cors, corsOptions(config))
  // The hook must not return the reply: Fastify would wait until the reply is sent.
  server.addHook('onRequest', (request, reply, done) =>
    request.is404 && !isForPanel(api, request) ? route(api, reply) : done(),
  )
  // Fastify would wait for the end of a body that has already ended (optimizeEmptyRequests in parser-errors.ts).
  server.addHook('preParsing', (_request, _reply, body, done) =>
    done(null, body.readableEnded ? Readable.from([]) : body),
  )
  server.addHook('preClose', async () => closeConnections(server))
  server.setErrorHandler((error, _request, reply) => sendError(error, reply))
  addOperatorRoutes(server, deps)
  return server
}

function warnWithoutPublicUrl({ PUBLIC_URL, HOST }: Config, log: Logger): void {
  if (PUBLIC_URL || /^(localhost|::1|127\..*)$/.test(HOST)) return
  log.warn(
    'HOST accepts connections from other machines but PUBLIC_URL is not set: links use the Host header of each request',
  )
}

/** Replaces the schema compilers, which Fastify would load at every start. No route has a schema: validate.ts checks
 *  requests, and the database engine produces the JSON of records. */
function withoutSchemas(): never {
  throw new Error('routes must not have a schema: no schema compiler is loaded')
}

/** How long clients may take to finish a request after shutdown begins. */
const shutdownGraceMs = 5000

/** Fastify closes idle connections. Busy connections close after their response, or after the grace period, because
 *  Node does not enforce request timeouts while the server is closing. */
function closeConnections(server: FastifyInstance): void {
  server.server.keepAliveTimeout = 1
  setTimeout(() => server.server.closeAllConnections(), shutdownGraceMs).unref()
}

function corsOptions(config: Config): FastifyCorsOptions {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
  return { origin: config.CORS_ORIGINS, methods, exposedHeaders, maxAge: 600, strictPreflight: false }
}

/** Adds the endpoints that load balancers and Prometheus request. */
function addOperatorRoutes(server: FastifyInstance, deps: ServerDependencies): void {
  server.get('/healthz', (_request, reply) => respond(reply, 200, '{"status":"ok"}'))
  server.get('/readyz', async (_request, reply) => {
    if (deps.shutdown.hasBegun) throw new Problem('service_unavailable', { message: 'Not ready: shutting down.' })
    const components = await deps.readiness.check()
    const failed = components.filter(({ status }) => status === 'error').map(({ component }) => component)
    if (failed.length > 0) {
      const message = `Not ready: ${failed.join(', ')}.`
      throw new Problem('service_unavailable', { message, members: { components } })
    }
    return respond(reply, 200, JSON.stringify({ status: 'ready', components }))
  })
  server.get('/metrics', (_request, reply) => sendMetrics(reply, deps.config.METRICS_TOKEN, deps.metrics))
}

declare module 'fastify' {
  interface FastifyRequest {
    apiContext?: ResponseContext
  }
  interface FastifyReply {
    problem?: Problem
  }
}

/** Whether the panel answers a request for an unknown URL: somebody has mistyped a page's URL in a browser. Other
 *  clients get the error envelope (contract §5). */
function isForPanel(api: ApiRoutes, { method, headers, raw }: FastifyRequest): boolean {
  const [path] = splitUrl(raw.url!)
  if (api.assets.has(path) || isApiPath(api, path)) return false
  return ['GET', 'HEAD'].includes(method) && (headers.accept ?? '').includes('text/html')
}

function isApiPath({ basePath }: ApiRoutes, path: string): boolean {
  return path.startsWith(basePath) && (path.length === basePath.length || path[basePath.length] === '/')
}

/** Serves assets, passes every other path below the base path to the API, and rejects all other requests. Runs in
 *  onRequest, because authentication precedes reading the body (contract §5): Fastify would check Content-Type and body
 *  before it calls a handler. */
function route(api: ApiRoutes, reply: FastifyReply): Promise<void> | undefined {
  const [path, search] = splitUrl(reply.request.raw.url!)
  const openAsset = api.assets.get(path)
  if (openAsset) return answerAsset(openAsset(), reply)
  if (isApiPath(api, path)) return answerApi(api, reply, path.slice(api.basePath.length), search)
  return sendProblem(reply, new Problem('not_found', { message: 'There is nothing at this URL.' }))
}

/** Sends errors itself, because the error handler of unknown URLs is the panel's. */
function answerAsset(asset: Asset, reply: FastifyReply): Promise<void> | undefined {
  try {
    return void sendAsset(asset, reply)
  } catch (error) {
    return sendError(error, reply)
  }
}

async function answerApi(api: ApiRoutes, reply: FastifyReply, path: string, search: string): Promise<void> {
  const { request } = reply
  const apiContext: ResponseContext = { headers: {}, caller: null }
  request.apiContext = apiContext
  try {
    const { method, headers } = request.raw
    const onClose = (listener: () => void) => (reply.raw.closed ? listener() : void reply.raw.once('close', listener))
    const call = { id: request.id, method: method!, path, search, headers, body: request.raw, onClose }
    const { status, body } = await api.handle(call, apiContext)
    await respond(reply, status, body)
    if (typeof body !== 'string') await untilClosed(reply)
  } catch (error) {
    await sendError(error, reply)
  }
}

/** Prevents Fastify from sending its own 404 while the stream is being sent or after it has failed. */
async function untilClosed(reply: FastifyReply): Promise<void> {
  await new Promise<void>((resolve) => reply.raw.once('close', resolve))
  reply.hijack()
}

/** Converts errors to responses, for all routes except the panel's. Sends a Problem, and logs any other error. Here,
 *  Unavailable means an outage of the catalog, because api.ts converts a tenant's outage to a Problem. */
function sendError(error: unknown, reply: FastifyReply): Promise<void> | undefined {
  if (error instanceof Problem) return sendProblem(reply, error)
  const { request, log } = reply
  if (error instanceof Unavailable) {
    log.error({ requestId: request.id, reason: error.message }, 'the catalog is unreachable')
    return sendProblem(reply, new Problem(request.apiContext ? 'tenant_unavailable' : 'service_unavailable'))
  }
  if (request.raw.destroyed && !request.raw.complete) log.debug({ requestId: request.id }, 'the client disconnected')
  else log.error({ requestId: request.id, err: error }, 'a request failed')
  return sendProblem(reply, new Problem('internal_error'))
}

function sendProblem(reply: FastifyReply, problem: Problem): Promise<void> | undefined {
  reply.problem = problem
  return respond(reply.headers(problem.headers), problem.status, envelope(problem))
}

function respond(reply: FastifyReply, status: number, body: string | Readable): Promise<void> | undefined {
  reply
    .code(status)
    .header('content-type', commonHeaders['content-type']) // Fastify removes this header when a handler throws
    .headers(reply.request.apiContext?.headers ?? {})
  if (status === 304) return void varyByEncoding(reply).send()
  return sendBody(reply, body)
}

/** Node joins two Host headers with a comma. Node could check this itself, but its error response would not have the
 *  standard envelope. */
function hasOneHost(request: FastifyRequest): boolean {
  const { httpVersionMinor, headers } = request.raw
  return headers.host === undefined ? httpVersionMinor === 0 : !headers.host.includes(',')
}

function splitUrl(url: string): [path: string, search: string] {
  const position = url.indexOf('?')
  return position === -1 ? [url, ''] : [url.slice(0, position), url.slice(position + 1)]
}

/** Converts `GET http://host/path` to the equivalent `GET /path` (RFC 9112 §3.2.2), and `OPTIONS *`, which addresses
 *  the whole server (§3.2.4), to a path that matches no route. */
function toOriginForm(request: { url?: string | undefined }): string {
  const url = request.url ?? '/'
  if (url === '*') return '/*'
  if (url.startsWith('/') || !URL.canParse(url)) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}
