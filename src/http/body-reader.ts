// Reads request bodies, limits the memory that they occupy in total, and aborts those that arrive too slowly.

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { Busy } from '../engine/database/database.ts'
import type { EngineMetrics } from '../engine/measurements.ts'

export type BodyReader = {
  /** Reads a whole body; null if it exceeds the size limit. Throws Busy if the memory budget is used up. In both
   *  cases the rest of the body is discarded as it arrives. */
  read(stream: Readable, tenant: string): Promise<Buffer | null>
  /** Like `read`, but the memory for the body and its response stays reserved until `release` is called. */
  readAndHold(stream: Readable, tenant: string): Promise<HeldBody>
}

export type HeldBody = { body: Buffer | null; release: () => void }

/** `limitBytes`: the maximum size of one body. `responseBytes`: returns the maximum size of the response to a body that
 *  `readAndHold` has read. Such a body reserves its own size or this maximum, whichever is larger. */
export type BodyReaderOptions = { limitBytes: number; responseBytes?: (bodyBytes: number) => number }

/** The maximum memory reserved at any time. It is larger if a tenant's share could not hold a body of `limitBytes`. */
const defaultBudgetBytes = 64 * 2 ** 20

/** Each tenant may use a quarter of the budget, so that one tenant's large, slow bodies cannot block other tenants. */
const tenantShare = 1 / 4

export function openBodyReader(options: BodyReaderOptions, metrics: EngineMetrics): BodyReader {
  const { limitBytes, responseBytes = () => 0 } = options
  const budgetBytes = Math.max(defaultBudgetBytes, limitBytes / tenantShare)
  const reservedByTenant = new Map<string, number>()
  let reservedTotal = 0

  function reserve(tenant: string, bytes: number): void {
    const tenantBytes = (reservedByTenant.get(tenant) ?? 0) + bytes
    reservedTotal += bytes
    if (tenantBytes === 0) reservedByTenant.delete(tenant)
    else reservedByTenant.set(tenant, tenantBytes)
  }

  function hasBudget(tenant: string, bytes: number): boolean {
    const tenantBytes = (reservedByTenant.get(tenant) ?? 0) + bytes
    return reservedTotal + bytes <= budgetBytes && tenantBytes <= budgetBytes * tenantShare
  }

  async function readAndHold(stream: Readable, tenant: string): Promise<HeldBody> {
    let reserved = 0
    const release = (): void => {
      reserve(tenant, -reserved)
      reserved = 0
    }
    const tryReserve = (bytes: number): boolean => {
      if (!hasBudget(tenant, bytes)) {
        metrics.rejected('bodies')
        return false
      }
      reserve(tenant, bytes)
      reserved += bytes
      return true
    }
    try {
      const body = await readBody(stream, limitBytes, tryReserve)
      if (body !== null && !tryReserve(Math.max(0, responseBytes(body.length) - reserved))) throw tooManyBodies()
      return { body, release }
    } catch (error) {
      release()
      throw error
    }
  }

  async function read(stream: Readable, tenant: string): Promise<Buffer | null> {
    const { body, release } = await readAndHold(stream, tenant)
    release()
    return body
  }

  return { read, readAndHold }
}

/** `tryReserve` reserves memory for more bytes, and returns false if the budget is used up. */
function readBody(
  stream: Readable,
  limitBytes: number,
  tryReserve: (bytes: number) => boolean,
): Promise<Buffer | null> {
  if (stream.readableEnded) return Promise.resolve(Buffer.alloc(0)) // no body (optimizeEmptyRequests in parser-errors.ts)
  if ((stream as Partial<IncomingMessage>).complete) return readArrived(stream, limitBytes, tryReserve)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let [size, isSettled] = [0, false]
    const stop = (settle: () => void) => {
      isSettled = true
      chunks = []
      settle()
    }
    stream.on('data', (chunk: Buffer) => {
      if (isSettled) return
      size += chunk.length
      if (size > limitBytes) stop(() => resolve(null))
      else if (tryReserve(chunk.length)) chunks.push(chunk)
      else stop(() => reject(tooManyBodies()))
    })
    stream.on('end', () => resolve(join(chunks)))
    stream.on('error', reject)
    stream.on('close', () => {
      if (!stream.readableEnded) reject(new Error('the client disconnected'))
    })
  })
}

/** Reads a body that has arrived completely, as small bodies have by the time they are read. Without the listeners of
 *  readBody this saves 3 µs. */
async function readArrived(
  stream: Readable,
  limitBytes: number,
  tryReserve: (bytes: number) => boolean,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk)
  const body = join(chunks)
  if (body.length > limitBytes) return null
  if (!tryReserve(body.length)) throw tooManyBodies()
  return body
}

function join(chunks: Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function tooManyBodies(): Busy {
  return new Busy('too many bodies are being read')
}

/** The minimum number of bytes of a body that must arrive in every interval: 16 KiB per second. */
const minBytesPerInterval = 30 * 16 * 1024

export const bodyCheckIntervalMs = 30_000

/** A slow body is refused this part of an interval late at most. */
const checksPerInterval = 10

/** The last body on a connection: how many bytes the connection had received at the time `at`, from performance.now(). */
type Arrival = { request: IncomingMessage; bytes: number; at: number }

/** Returns a function that watches the body of a request. A time limit for the whole request would either reject a
 *  large file over a slow connection, or let every client hold a connection for as long as the largest file may take.
 *  Refuses a slow body in the same way as a request that does not arrive in time (408, parser-errors.ts). One timer
 *  watches all bodies, because a timer for each would cost every change 2 µs. */
export function watchBodies(server: Server, intervalMs: number): (request: IncomingMessage) => void {
  const arrivals = new Map<Socket, Arrival>() // by connection, because an entry for each request would cost more
  const checkEveryMs = intervalMs / checksPerInterval
  let checkedAt = performance.now()

  function check(): void {
    const now = performance.now()
    const lateMs = now - checkedAt - checkEveryMs // while the process stood still, what arrived was not read
    checkedAt = now
    for (const [socket, arrival] of arrivals) {
      if (lateMs > checkEveryMs) arrival.at += lateMs
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

  setInterval(check, checkEveryMs).unref()
  return (request) => {
    const { socket } = request
    if (request.readableEnded || socket.bytesRead === undefined) return // no body, or no connection (tests)
    const arrival = { request, bytes: socket.bytesRead, at: performance.now() }
    const last = arrivals.get(socket)
    if (last) Object.assign(last, arrival)
    else arrivals.set(socket, arrival)
  }
}
