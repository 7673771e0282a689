// The HTTP server: Fastify around the API, the addresses of operations, and the envelope on every way out.

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

export type ServerParts = Omit<ApiDependencies, 'location' | 'bodies' | 'reuse'> & {
  config: Config
  log: Logger
  metrics: Metrics
  usage: Pick<Usage, 'count'>
  /** How many may be open at once. */
  connections: number
  /** Throws Unavailable when the service cannot answer requests at present. */
  checkReadiness: () => Promise<void>
}

/** Response headers that scripts of other origins may read when CORS is on. */
const exposedHeaders = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After', 'X-Request-Id'],
  ...['Location', 'ETag', 'Link', 'Idempotent-Replayed', 'Allow'],
]

/** Builds the server; it listens when its caller says so. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, metrics } = parts
  if (!config.PUBLIC_URL && !/^(localhost|::1|127\..*)$/.test(config.HOST)) {
    parts.log.warn('HOST is open to other machines and PUBLIC_URL is not set: links take their host from each request')
  }
  const api = createApi({
    ...parts,
    bodies: openBodyReader(config.BODY_LIMIT_BYTES, metrics.engine),
    reuse: config.IDEMPOTENCY_REUSE,
    location: config.PUBLIC_URL + config.API_BASE_PATH,
  })
  const door: Routes = { api, assets: assetsOf(parts), base: config.API_BASE_PATH, log: parts.log }
  const headers = headersOf(config.PUBLIC_URL)
  const readForwarded = createForwardedReader(config.TRUST_PROXY, parts.log)
  const prepareReply = (request: FastifyRequest, reply: FastifyReply): void => {
    readForwarded(request.raw.headers)
    recordOnClose(request, reply, parts)
    reply.headers(headers).header('x-request-id', request.id)
  }
  const server = Fastify({
    ...limits,
    loggerInstance: parts.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // request-log.ts writes one line instead of two
    childLoggerFactory: (logger) => logger,
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    genReqId: requestId,
    trustProxy: trustedProxies(config.TRUST_PROXY),
    return503OnClosing: false,
    rewriteUrl: originForm,
    frameworkErrors: (_error, request, reply) => {
      prepareReply(request, reply as FastifyReply) // hooks are passed over for a URL that cannot be routed
      void route(door, request, reply as FastifyReply)
    },
  })
  handleParserErrors(server.server, headers, parts.log)
  limitConnections(server.server, parts.connections, parts.log)
  server.addHook('onRequest', (request, reply, done) => {
    prepareReply(request, reply)
    if (hasOneHost(request)) return done()
    const hint = 'HTTP/1.1 asks for one Host header (RFC 9112 §3.2).'
    send(reply, request, invalidRequest(hint))
  })
  if (config.CORS_ORIGINS.length > 0) await server.register(cors, corsOptions(config))
  // A reply, if given back, would be waited for until it is sent.
  server.addHook('onRequest', (request, reply, done) => (request.is404 ? route(door, request, reply) : done()))
  // Fastify would wait for the end of a body that has ended, see protocol.ts.
  server.addHook('preParsing', (_request, _reply, body, done) => done(null, body.readableEnded ? emptyBody() : body))
  server.addHook('preClose', async () => endConnections(server))
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, parts.log))
  server.get('/healthz', (request, reply) => respond(reply, request, 200, '{"status":"ok"}'))
  server.get('/readyz', async (request, reply) => {
    await parts.checkReadiness()
    return respond(reply, request, 200, '{"status":"ready"}')
  })
  server.get('/metrics', (request, reply) => metricsAnswer(request, reply, config.METRICS_TOKEN, metrics))
  return server
}

/** No route has a schema: requests are checked by validate.ts, records are JSON of the engine's. Fastify would load two compilers
 *  for them all the same, at each start. */
function withoutSchemas(): never {
  throw new Error('a route has a schema, and there is nothing to compile it')
}

function emptyBody(): RequestPayload {
  return Readable.from([])
}

/** What everyone may read. */
function assetsOf({ config, resources }: ServerParts): Assets {
  const document = lazily(() => describe(descriptionOf(config, resources)))
  const text = lazily(() => asset(commonHeaders['content-type'], JSON.stringify(document())))
  return new Map([[`${config.API_BASE_PATH}/openapi.json`, text], ...referenceAssets(document, config.API_BASE_PATH)])
}

/** What a client may still take to send or receive when the server ends. Milliseconds. */
const grace = 5000

/** Fastify closes idle connections. Those in use close after their answer, and all of them when the grace is over: while
 *  it closes, Node no longer watches over time limits. */
function endConnections(server: FastifyInstance): void {
  server.server.keepAliveTimeout = 1
  setTimeout(() => server.server.closeAllConnections(), grace).unref()
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

/** Whatever has no route of its own and lies below the base is the API's. It answers in onRequest: authentication comes
 *  before the body (contract §5), and Fastify would judge Content-Type and body before it calls a handler. */
function route(door: Routes, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const [path, search] = split(request.raw.url!)
  const open = door.assets.get(path)
  if (!open && (path === door.base || path.startsWith(`${door.base}/`)))
    return answerApi(door, request, reply, path.slice(door.base.length), search)
  if (open) sendAsset(open(), request, reply)
  else send(reply, request, new Problem('not_found', { message: 'There is nothing at this address.' }))
  return undefined
}

async function answerApi(
  door: Routes,
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
    const answer = await door.api(call, exchange)
    respond(reply, request, answer.status, answer.body)
  } catch (error) {
    sendError(error, request, reply, door.log)
  }
}

/** The one place where what was thrown becomes an answer: a Problem says itself, anything else is logged whole. An outage
 *  that comes so far is the catalog's; a tenant's is a Problem of that tenant (api.ts). */
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
    .header('content-type', commonHeaders['content-type']) // Fastify takes it away when a handler throws
    .headers(request.exchange?.headers ?? {})
    .send(status === 304 ? undefined : body)
}

/** Checked here, since Node's own refusal would not wear the envelope. Two Host headers come joined by a comma. */
function hasOneHost(request: FastifyRequest): boolean {
  const { httpVersionMinor, headers } = request.raw
  return headers.host === undefined ? httpVersionMinor === 0 : !headers.host.includes(',')
}

function split(url: string): [path: string, search: string] {
  const at = url.indexOf('?')
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** `GET http://host/path` means the same as `GET /path` (RFC 9112 §3.2.2). `OPTIONS *` asks for no page (§3.2.4). */
function originForm(request: { url?: string }): string {
  const url = request.url ?? '/'
  if (url === '*') return '/*'
  if (url.startsWith('/') || !URL.canParse(url)) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}
