// What happens below Fastify: requests that Node's HTTP parser refuses leave in the envelope too (contract §5).

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { envelope, Problem } from '../problem.ts'
import { requestId } from './request-id.ts'

/** Time and size of a request. A header given twice is joined with a comma, so that neither of the two is believed.
 *  A missing Host is judged by nobody: no answer depends on it. Milliseconds and bytes. */
export const limits = {
  requestTimeout: 30_000,
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  http: {
    headersTimeout: 15_000,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16_384,
    joinDuplicateHeaders: true,
    requireHostHeader: false,
  },
} as const

type Refusal = { status: number; problem: Problem }

/** Answers what never becomes a request: malformed, too slow, too large, an Expect nobody meets, CONNECT and Upgrade. */
export function guardProtocol(server: Server, log: Logger): void {
  server.removeAllListeners('clientError')
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const refusal = refusalOf(error.code)
    log.info({ status: refusal.status, reason: error.code }, 'not a request')
    socket.end(rawResponse(refusal, randomUUID()), () => socket.destroy())
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const message = 'Expect can only be 100-continue.'
    const refusal = { status: 417, problem: withStatus(417, message) }
    response.writeHead(417, headersOf(requestId(request))).end(bodyOf(refusal))
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.end(rawResponse(malformed('CONNECT is for proxies; this is none.'), requestId(request)))
  })
}

/** Which refusal a code of Node's HTTP parser stands for. */
function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, problem: new Problem('headers_too_large') }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, problem: withStatus(408, 'The request took too long to arrive; send it again in one go.') }
    default:
      return malformed('The request is not valid HTTP/1.1.')
  }
}

function malformed(message: string): Refusal {
  return { status: 400, problem: withStatus(400, message) }
}

/** The parser's refusals share the code `invalid_request` and keep the status of HTTP. */
function withStatus(status: number, message: string): Problem {
  const problem = new Problem('invalid_request', { message })
  return Object.assign(problem, { status })
}

function bodyOf(refusal: Refusal): string {
  return envelope(refusal.problem)
}

function headersOf(id: string): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': id,
    Connection: 'close',
  }
}

function rawResponse(refusal: Refusal, id: string): string {
  const body = bodyOf(refusal)
  const headers = {
    ...headersOf(id),
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...lines, '', body].join('\r\n')
}
