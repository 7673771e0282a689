// Aborts requests whose body arrives too slowly. A time limit for the whole request would either reject a large file
// over a slow connection, or let every client hold a connection for as long as the largest file may take.

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The minimum number of bytes of a body that must arrive in every interval: 16 KiB per second. */
const minBytesPerInterval = 30 * 16 * 1024

export const bodyCheckIntervalMs = 30_000

/** A slow body is refused this part of an interval late at most. */
const checksPerInterval = 10

/** The last body on a connection: how many bytes the connection had received at the time `at`, from performance.now(). */
type Arrival = { request: IncomingMessage; bytes: number; at: number }

/** Returns a function that watches the body of a request. Refuses a slow body in the same way as a request that does
 *  not arrive in time (408, parser-errors.ts). One timer watches all bodies, because a timer for each would cost every
 *  change 2 µs. */
export function watchBodies(server: Server, intervalMs: number): (request: IncomingMessage) => void {
  const arrivals = new Map<Socket, Arrival>() // by connection, because an entry for each request would cost more

  function check(): void {
    const now = performance.now()
    for (const [socket, arrival] of arrivals) {
      if (arrival.request.complete) arrivals.delete(socket)
      else if (now - arrival.at >= intervalMs) checkProgress(socket, arrival, now)
    }
  }

  function checkProgress(socket: Socket, arrival: Arrival, now: number): void {
    const isSlow = socket.bytesRead - arrival.bytes < minBytesPerInterval
    Object.assign(arrival, { bytes: socket.bytesRead, at: now })
    if (!isSlow) return
    arrivals.delete(socket)
    const error = Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, socket)
  }

  setInterval(check, intervalMs / checksPerInterval).unref()
  return (request) => {
    const { socket } = request
    if (request.readableEnded || socket.bytesRead === undefined) return // no body, or no connection (tests)
    const arrival = { request, bytes: socket.bytesRead, at: performance.now() }
    const last = arrivals.get(socket)
    if (last) Object.assign(last, arrival)
    else arrivals.set(socket, arrival)
  }
}
