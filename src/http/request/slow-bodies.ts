// Aborts requests whose body arrives too slowly. A time limit for the whole request would either reject a large file
// over a slow connection, or let every client hold a connection for as long as the largest file may take.

import type { IncomingMessage, Server } from 'node:http'

/** The minimum number of bytes of a body that must arrive in every interval: 16 KiB per second. */
const minBytesPerInterval = 30 * 16 * 1024

export const bodyCheckIntervalMs = 30_000

/** Refuses a slow body in the same way as a request that does not arrive in time (408, parser-errors.ts). */
export function requireSteadyBody(server: Server, request: IncomingMessage, intervalMs: number): void {
  const { socket } = request
  if (request.readableEnded || socket.bytesRead === undefined) return // no body, or no connection (tests)
  let bytesBefore = socket.bytesRead
  const timer = setInterval(() => {
    if (request.complete || request.readableEnded) return clearInterval(timer)
    const received = socket.bytesRead - bytesBefore
    bytesBefore = socket.bytesRead
    if (received >= minBytesPerInterval) return
    clearInterval(timer)
    server.emit(
      'clientError',
      Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      socket,
    )
  }, intervalMs)
  timer.unref()
  request.once('close', () => clearInterval(timer))
}
