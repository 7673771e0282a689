// The HTTP server: Fastify with the API, the health and metrics endpoints, and the error envelope on every error response.

import { Readable } from 'node:stream'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RequestPayload,
} from 'fastify'
import type { Logger } from 'pino'
import type { Usage } from '../access/usage-counter.ts'
import type { Config } from '../config.ts'
import { Unavailable } from '../database/database.ts'
import { type Assets, asset, lazily, sendAsset } from '../http/assets.ts'
import { openBodyReader } from '../http/body-reader.ts'
import { createForwardedReader, trustedProxies } from '../http/forwarded.ts'
import { commonHeaders, headersOf, requestId } from '../http/headers.ts'
import { type Metrics, metricsAnswer } from '../http/metrics.ts'
import { handleParserErrors, limitConnections, limits } from '../http/parser-errors.ts'
import { envelope, invalidRequest, Problem } from '../problem.ts'
import { type Api, type ApiDependencies, createApi, type ResponseContext } from './api.ts'
import { descriptionOf } from './openapi/description.ts'
import { describe } from './openapi/document.ts'
import { referenceAssets } from './reference/reference.ts'
import { recordOnClose } from './request-log.ts'

export type ServerDependencies = Omit<ApiDependencies, 'location' | 'bodies' | 'reuse'> & {
  config: Config
  log: Logger
  metrics: Metrics
  usage: Pick<Usage, 'count'>
  /** The maximum number of open connections. */
  connections: number
  /** Throws Unavailable when the service cannot answer requests at present. */
  checkReadiness: () => Promise<void>
}

/** Response headers that scripts of other origins may read when CORS is on. */
const exposedHeaders = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After', 'X-Request-Id'],
  ...['Location', 'ETag', 'Link', 'Idempotent-Replayed', 'Allow'],
]

/** Builds the server. The caller starts listening. */
export async function createServer(deps: ServerDependencies): Promise<FastifyInstance> {
  const { config, metrics } = deps
  if (!config.PUBLIC_URL && !/^(localhost|::1|127\..*)$/.test(config.HOST)) {
    deps.log.warn('HOST is open to other machines and PUBLIC_URL is not set: links take their host from each request')
  }
  const api = createApi({
    ...deps,
    bodies: openBodyReader(config.BODY_LIMIT_BYTES, metrics.engine),
    reuse: config.IDEMPOTENCY_REUSE,
    location: config.PUBLIC_URL + config.API_BASE_PATH,
  })
  const routes: Routes = { api, assets: assetsOf(deps), base: config.API_BASE_PATH, log: deps.log }
  const headers = headersOf(config.PUBLIC_URL)
  const readForwarded = createForwardedReader(config.TRUST_PROXY, deps.log)
  const prepareReply = (request: FastifyRequest, reply: FastifyReply): void => {
    readForwarded(request.raw.headers)
    recordOnClose(request, reply, deps)
    reply.headers(headers).header('x-request-id', request.id)
  }
  const server = Fastify({
    ...limits,
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // request-log.ts writes one line instead of two
    childLoggerFactory: (logger) => logger,
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    genReqId: requestId,
    trustProxy: trustedProxies(config.TRUST_PROXY),
    return503OnClosing: false,
    rewriteUrl: originForm,
    frameworkErrors: (_error, request, reply) => {
      prepareReply(request, reply as FastifyReply) // Fastify skips hooks for a URL that it cannot route
      void route(routes, request, reply as FastifyReply)
    },
  })
  handleParserErrors(server.server, headers, deps.log)
  limitConnections(server.server, deps.connections, deps.log)
  server.addHook('onRequest', (request, reply, done) => {
    prepareReply(request, reply)
    if (hasOneHost(request)) return done()
    const hint = 'HTTP/1.1 asks for one Host header (RFC 9112 §3.2).'
    send(reply, request, invalidRequest(hint))
  })
  if (config.CORS_ORIGINS.length > 0) await server.register(cors, corsOptions(config))
  // Must not return the reply: Fastify would wait until it is sent.
  server.addHook('onRequest', (request, reply, done) => (request.is404 ? route(routes, request, reply) : done()))
  // Fastify would wait for the end of a body that has already ended (optimizeEmptyRequests in parser-errors.ts).
  server.addHook('preParsing', (_request, _reply, body, done) => done(null, body.readableEnded ? emptyBody() : body))
  server.addHook('preClose', async () => endConnections(server))
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, deps.log))
  server.get('/healthz', (request, reply) => respond(reply, request, 200, '{"status":"ok"}'))
  server.get('/readyz', async (request, reply) => {
    await deps.checkReadiness()
    return respond(reply, request, 200, '{"status":"ready"}')
  })
  server.get('/metrics', (request, reply) => metricsAnswer(request, reply, config.METRICS_TOKEN, metrics))
  return server
}

/** Replaces Fastify's schema compilers, which it would load at every start. No route has a schema: validate.ts checks
 *  requests, and the database engine produces the JSON of records. */
function withoutSchemas(): never {
  throw new Error('a route has a schema, and there is nothing to compile it')
}

function emptyBody(): RequestPayload {
  return Readable.from([])
}

/** The paths that need no API key: the OpenAPI document and the reference page. */
function assetsOf({ config, resources }: ServerDependencies): Assets {
  const document = lazily(() => describe(descriptionOf(config, resources)))
  const text = lazily(() => asset(commonHeaders['content-type'], JSON.stringify(document())))
  return new Map([[`${config.API_BASE_PATH}/openapi.json`, text], ...referenceAssets(document, config.API_BASE_PATH)])
}

/** How long clients may take to finish a request after shutdown begins. */
const shutdownGraceMs = 5000

/** Fastify closes idle connections. Busy ones close after their response, and all remaining ones after the grace period:
 *  Node no longer enforces request timeouts while the server is closing. */
function endConnections(server: FastifyInstance): void {
  server.server.keepAliveTimeout = 1
  setTimeout(() => server.server.closeAllConnections(), shutdownGraceMs).unref()
}

type Routes = { api: Api; assets: Assets; base: string; log: Logger }

function corsOptions(config: Config): FastifyCorsOptions {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
  return { origin: config.CORS_ORIGINS, methods, exposedHeaders, maxAge: 600, strictPreflight: false }
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange?: ResponseContext
  }
  interface FastifyReply {
    problem?: Problem
  }
}

/** Serves assets, and passes every other path below the base path to the API. Runs in onRequest because authentication
 *  precedes the body (contract §5), while Fastify would check Content-Type and body before it calls a handler. */
function route(routes: Routes, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const [path, search] = split(request.raw.url!)
  const openAsset = routes.assets.get(path)
  if (!openAsset && (path === routes.base || path.startsWith(`${routes.base}/`)))
    return answerApi(routes, request, reply, path.slice(routes.base.length), search)
  if (openAsset) sendAsset(openAsset(), request, reply)
  else send(reply, request, new Problem('not_found', { message: 'There is nothing at this address.' }))
  return undefined
}

async function answerApi(
  routes: Routes,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  search: string,
): Promise<void> {
  const exchange: ResponseContext = { headers: {}, caller: null }
  request.exchange = exchange
  try {
    const { method, headers } = request.raw
    const call = { id: request.id, method: method!, path, search, headers, body: request.raw }
    const { status, body } = await routes.api(call, exchange)
    respond(reply, request, status, body)
  } catch (error) {
    sendError(error, request, reply, routes.log)
  }
}

/** The only place that turns errors into responses. A Problem is sent as it is; any other error is logged with its stack.
 *  An Unavailable that gets this far is an outage of the catalog: api.ts turns a tenant's outage into a Problem. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): FastifyReply {
  if (error instanceof Problem) return send(reply, request, error)
  if (error instanceof Unavailable) {
    log.error({ requestId: request.id, reason: error.message }, 'the catalog cannot be read')
    return send(reply, request, new Problem(request.exchange ? 'tenant_unavailable' : 'service_unavailable'))
  }
  if (request.raw.destroyed && !request.raw.complete) log.debug({ requestId: request.id }, 'the client went away')
  else log.error({ requestId: request.id, err: error }, 'a request failed')
  return send(reply, request, new Problem('internal_error'))
}

function send(reply: FastifyReply, request: FastifyRequest, problem: Problem): FastifyReply {
  reply.problem = problem
  return respond(reply.headers(problem.headers), request, problem.status, envelope(problem))
}

function respond(reply: FastifyReply, request: FastifyRequest, status: number, body: string): FastifyReply {
  return reply
    .code(status)
    .header('content-type', commonHeaders['content-type']) // Fastify removes it when a handler throws
    .headers(request.exchange?.headers ?? {})
    .send(status === 304 ? undefined : body)
}

/** Checked here because Node's own error response lacks the envelope. Node joins two Host headers with a comma. */
function hasOneHost(request: FastifyRequest): boolean {
  const { httpVersionMinor, headers } = request.raw
  return headers.host === undefined ? httpVersionMinor === 0 : !headers.host.includes(',')
}

function split(url: string): [path: string, search: string] {
  const at = url.indexOf('?')
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** `GET http://host/path` is equivalent to `GET /path` (RFC 9112 §3.2.2). `OPTIONS *` concerns the whole server (§3.2.4),
 *  so it gets a path that matches no route. */
function originForm(request: { url?: string }): string {
  const url = request.url ?? '/'
  if (url === '*') return '/*'
  if (url.startsWith('/') || !URL.canParse(url)) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}
