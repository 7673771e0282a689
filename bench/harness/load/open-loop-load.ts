// Sends requests at a fixed rate, in a separate process. Measures each latency from the time the request was due, even
// if no connection was free at that time. A closed loop does not send anything while the server pauses, and so omits
// the worst latencies (coordinated omission). autocannon's overallRate is not suitable: at the start of each second,
// each connection sends all its requests for that second, and autocannon measures latency from the time of sending. The
// timer fires every millisecond, so requests are sent up to 1 ms late.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setInterval } from 'node:timers'
import { rawRequestsOf, renewKey } from '../operations.ts'
import { measureOnMessage } from '../processes.ts'
import { createLoadRecorder, type LoadResult } from './latencies.ts'
import type { LoadOptions } from './load.ts'

/** `rate`: requests per second over all connections. */
export type OpenLoopOptions = LoadOptions & { rate: number }

/** `due`: when the request in flight was due. */
type Connection = { socket: Socket; requests: Buffer[]; next: number; due: number; received: Buffer }

/** How long to wait for responses at the end of a measurement. */
const drainTimeoutMs = 60_000

measureOnMessage(async (options: OpenLoopOptions): Promise<LoadResult> => {
  const connections = await Promise.all(
    Array.from({ length: options.connections }, (_, index) => openConnection(options, index)),
  )
  try {
    return await send(options, connections)
  } finally {
    for (const { socket } of connections) socket.destroy()
  }
})

async function openConnection(
  { urls, tokens, operation, connections }: OpenLoopOptions,
  index: number,
): Promise<Connection> {
  const url = new URL(urls[index % urls.length]!)
  const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true })
  await once(socket, 'connect')
  const requests = rawRequestsOf(operation, tokens, url.pathname.replace(/\/$/, ''), index, connections)
  return { socket, requests, next: 0, due: 0, received: Buffer.alloc(0) }
}

function send({ operation, rate, seconds }: OpenLoopOptions, connections: Connection[]): Promise<LoadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const freeConnections = [...connections]
  const total = Math.ceil(rate * seconds)
  const recorder = createLoadRecorder(seconds)
  const startedAt = performance.now()
  let [sent, answered, failed] = [0, 0, 0]

  const timer = setInterval(() => {
    sendDue()
    if (performance.now() - startedAt > seconds * 1000 + drainTimeoutMs)
      reject(new Error(`"${operation.name}" timed out.`))
  }, 1)
  for (const connection of connections) {
    connection.socket.on('data', (chunk: Buffer) => receive(connection, chunk))
    connection.socket.once('error', reject)
    connection.socket.once('close', () => reject(new Error(`"${operation.name}" lost a connection.`)))
  }
  return promise.finally(() => clearInterval(timer))

  function sendDue(): void {
    for (; freeConnections.length > 0 && sent < total; sent++) {
      const due = startedAt + (sent / rate) * 1000
      if (due > performance.now()) return
      const connection = freeConnections.shift()!
      const request = connection.requests[connection.next++ % connection.requests.length]!
      connection.due = due
      if (operation.freshKeys) renewKey(request)
      connection.socket.write(request)
    }
  }

  function receive(connection: Connection, chunk: Buffer): void {
    connection.received = connection.received.length === 0 ? chunk : Buffer.concat([connection.received, chunk])
    const status = statusOf(connection.received)
    if (status === undefined) return
    connection.received = Buffer.alloc(0)
    if (status < 300) recorder.record(performance.now() - connection.due)
    else failed++
    freeConnections.push(connection)
    if (++answered === total) resolve(recorder.finish(failed))
    else sendDue()
  }
}

/** Returns the response's status, or undefined until the response is complete. */
function statusOf(received: Buffer): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = received.toString('latin1', 0, end)
  const length = Number(/content-length: *(\d+)/i.exec(head)![1])
  return received.length < end + 4 + length ? undefined : Number(head.slice(9, 12))
}
