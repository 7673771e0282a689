// Aborts requests whose body arrives too slowly. A time limit for the whole request would either reject a large file
// over a slow connection, or let every client hold a connection for as long as the largest file may take.

import type { IncomingMessage, Server } from 'node:http'

/** The minimum number of bytes of a body that must arrive in every interval: 16 KiB per second. */
const minBytesPerInterval = 30 * 16 * 1024

export const bodyCheckIntervalMs = 30_000

/** A slow body is refused this part of an interval late at most. */
const checksPerInterval = 10

/** How far a body has arrived: `bytes` at the time `at`, from performance.now(). */
type Progress = { bytes: number; at: number }

/** Returns a function that watches the body of a request. Refuses a slow body in the same way as a request that does
 *  not arrive in time (408, parser-errors.ts). One timer watches all bodies, because a timer for each would cost every
 *  change 2 µs. */
export function watchBodies(server: Server, intervalMs: number): (request: IncomingMessage) => void {
  const arriving = new Map<IncomingMessage, Progress>()

  function check(): void {
    const now = performance.now()
    for (const [request, progress] of arriving) {
      const { bytesRead } = request.socket
      if (now - progress.at < intervalMs) continue
      if (request.complete) arriving.delete(request)
      else if (bytesRead - progress.bytes >= minBytesPerInterval) arriving.set(request, { bytes: bytesRead, at: now })
      else refuse(request)
    }
  }

  function refuse(request: IncomingMessage): void {
    arriving.delete(request)
    const error = Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, request.socket)
  }

  setInterval(check, intervalMs / checksPerInterval).unref()
  return (request) => {
    const { bytesRead } = request.socket
    if (request.readableEnded || bytesRead === undefined) return // no body, or no connection (tests)
    arriving.set(request, { bytes: bytesRead, at: performance.now() })
    request.once('close', () => arriving.delete(request))
  }
}
