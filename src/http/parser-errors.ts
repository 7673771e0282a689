// Limits requests and connections, and sends the standard error envelope for input that never reaches Fastify (contract
// §5).

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { envelope, Problem } from '../problem.ts'
import { requestId } from './headers.ts'

/** Importing node:http would also load its WebSocket client, which takes about 70 ms of CPU time at each start. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Time limits (milliseconds) and size limits (bytes) of a request. `requestTimeout`: long enough for 50 MB at 0.5
 *  Mbit/s; body-reader.ts aborts slower requests earlier. `joinDuplicateHeaders`: joins repeated headers with a comma,
 *  so that none of these values is trusted alone. `requireHostHeader`: off, because server.ts reports a missing Host.
 *  `optimizeEmptyRequests`: the body stream of a request without a body has already ended when the handler runs, which
 *  makes reads 10% faster. */
export const limits = {
  requestTimeout: 15 * 60_000,
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  http: {
    headersTimeout: 15_000,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16_384,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    requireHostHeader: false,
  },
} as const

/** The minimum interval between warnings about dropped connections, so that a flood does not fill the log. */
const dropWarningIntervalMs = 60_000

/** Drops new connections beyond the limit: otherwise they would use up the file descriptors that are required for
 *  tenant databases. */
export function limitConnections(server: Server, maxConnections: number, log: Logger): void {
  let warnedAt = Number.NEGATIVE_INFINITY
  server.maxConnections = maxConnections
  server.on('drop', () => {
    if (performance.now() - warnedAt < dropWarningIntervalMs) return
    warnedAt = performance.now()
    log.warn(
      { connections: maxConnections },
      'connections are rejected: the limit on open files (ulimit -n) does not allow more',
    )
  })
}

/** Responds to input that Node does not pass on as a request: malformed, slow or oversized input, an unsupported Expect
 *  header, or CONNECT. `common`: the headers in every response. */
export function handleParserErrors(server: Server, common: Record<string, string>, log: Logger): void {
  const headersOf = (id: string) => ({ ...common, 'x-request-id': id, connection: 'close' })
  server.removeAllListeners('clientError')
  const failedSockets = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    if (failedSockets.has(socket)) return // further errors caused by the same malformed input
    failedSockets.add(socket)
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const problem = problemOf(error.code)
    log.info({ status: problem.status, reason: error.code }, 'a malformed request was rejected')
    afterPendingResponse(socket, () => refuse(socket, problem, headersOf(randomUUID())))
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const problem = parserRefusal(417, 'The only supported value of Expect is 100-continue.')
    response.writeHead(problem.status, headersOf(requestId(request))).end(envelope(problem))
  })
  server.on('connect', (request: IncomingMessage, stream) => {
    refuse(
      stream as Socket,
      parserRefusal(400, 'CONNECT is only for proxies; this server is not a proxy.'),
      headersOf(requestId(request)),
    )
  })
}

/** Maps an error code of Node's HTTP parser to a problem. */
function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return parserRefusal(408, 'The request took too long to arrive; send it again without pauses.')
    default:
      return parserRefusal(400, 'The request is not valid HTTP/1.1.')
  }
}

function parserRefusal(status: number, message: string): Problem {
  return new Problem('invalid_request', { status, message })
}

/** If a complete request preceded the malformed input, calls `callback` after the response to that request; otherwise
 *  calls it immediately. */
function afterPendingResponse(socket: Socket, callback: () => void): void {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null }
  if (response?.req.complete && !response.writableFinished) response.once('close', callback)
  else callback()
}

/** How long further input is discarded after an error response. Closing a connection with unread input would reset
 *  it, and the client would lose the response. */
const lingerMs = 1000

/** Sends an error response and closes the socket. Handles timeouts and errors, because Node no longer manages this
 *  socket. */
function refuse(socket: Socket, problem: Problem, headers: Record<string, string>): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.on('error', () => socket.destroy())
  socket.once('end', () => socket.destroySoon())
  socket.once('close', () => clearTimeout(timer))
  socket.end(rawResponse(problem, headers))
  socket.resume()
}

function rawResponse(problem: Problem, common: Record<string, string>): string {
  const body = envelope(problem)
  const length = String(Buffer.byteLength(body))
  const headers = { ...common, 'content-length': length, date: new Date().toUTCString() }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...lines, '', body].join('\r\n')
}
