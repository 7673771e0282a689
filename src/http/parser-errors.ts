// What happens below Fastify: requests that Node's HTTP parser refuses leave in the envelope too (contract §5).

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { envelope, Problem } from '../problem.ts'
import { requestId } from './headers.ts'

/** An import of node:http would load its WebSocket client as well: some 70 ms of processor time at each start. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Time and size of a request. A header given twice is joined with a comma, so that neither of the two is believed.
 *  A missing Host is refused in server.ts. The body of a request that says nothing of one has ended before anyone can listen for
 *  its end: that takes a tenth of a read's time away. Milliseconds and bytes. */
export const limits = {
  requestTimeout: 30_000,
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

/** How often the log may say that connections are refused. Milliseconds. */
const tellEvery = 60_000

/** Closes connections beyond `most` as they come: idle ones would take the descriptors that tenants' databases need. */
export function limitConnections(server: Server, most: number, log: Logger): void {
  let toldAt = Number.NEGATIVE_INFINITY
  server.maxConnections = most
  server.on('drop', () => {
    if (performance.now() - toldAt < tellEvery) return
    toldAt = performance.now()
    log.warn(
      { connections: most },
      'connections are refused: no more are allowed by the limit on open files (ulimit -n)',
    )
  })
}

/** Answers what never becomes a request: malformed, too slow, too large, an Expect nobody meets, CONNECT. `common`: the
 *  headers of every response. */
export function handleParserErrors(server: Server, common: Record<string, string>, log: Logger): void {
  const headersOf = (id: string) => ({ ...common, 'x-request-id': id, connection: 'close' })
  server.removeAllListeners('clientError')
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    if (refused.has(socket)) return // what is left of the same bad input
    refused.add(socket)
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const problem = problemOf(error.code)
    log.info({ status: problem.status, reason: error.code }, 'not a request')
    afterAnswer(socket, () => refuse(socket, problem, headersOf(randomUUID())))
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const problem = parserRefusal(417, 'Expect can only be 100-continue.')
    response.writeHead(problem.status, headersOf(requestId(request))).end(envelope(problem))
  })
  server.on('connect', (request: IncomingMessage, stream) => {
    refuse(stream as Socket, parserRefusal(400, 'CONNECT is for proxies; this is none.'), headersOf(requestId(request)))
  })
}

/** Which refusal a code of Node's HTTP parser stands for. */
function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return parserRefusal(408, 'The request took too long to arrive; send it again in one go.')
    default:
      return parserRefusal(400, 'The request is not valid HTTP/1.1.')
  }
}

function parserRefusal(status: number, message: string): Problem {
  return new Problem('invalid_request', { status, message })
}

/** A whole request that came before the bad input is still at work: its answer goes first. */
function afterAnswer(socket: Socket, next: () => void): void {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }
  if (answer?.req.complete && !answer.writableFinished) answer.once('close', next)
  else next()
}

/** How long the rest of what a client sends is thrown away after a refusal: a connection that is closed over unread input
 *  is reset, and the refusal lost. Milliseconds. */
const lingerMs = 1000

/** Node has let go of this socket: nobody else closes it when the peer does not, or hears of its errors. */
function refuse(socket: Socket, problem: Problem, headers: Record<string, string>): void {
  const end = setTimeout(() => socket.destroy(), lingerMs)
  socket.on('error', () => socket.destroy())
  socket.once('end', () => socket.destroySoon())
  socket.once('close', () => clearTimeout(end))
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
