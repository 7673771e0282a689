// A process that sends requests at a fixed rate and counts each latency from the time the request was due, whether a
// connection was free then or not. A closed loop sends nothing while the server pauses, and so omits the worst latencies
// (coordinated omission). autocannon's overallRate does not serve: each connection sends its share of a second at once at
// the start of the second, and latencies count from sending. The clock has a resolution of a millisecond.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setInterval } from 'node:timers'
import { type LoadResult, recordLoad } from './latencies.ts'
import type { Job as LoadJob } from './load.ts'
import { rawRequestsOf, renewKey } from './operations.ts'
import { runJobs } from './processes.ts'

/** `rate`: requests per second over all connections. */
export type Job = LoadJob & { rate: number }

/** `due`: when the request in flight should have been sent. */
type Connection = { socket: Socket; requests: Buffer[]; next: number; due: number; received: Buffer }

/** Time for the responses after the last request. */
const drainTimeoutMs = 60_000

runJobs(async (job: Job): Promise<LoadResult> => {
  const connections = await Promise.all(Array.from({ length: job.connections }, (_, at) => openConnection(job, at)))
  try {
    return await send(job, connections)
  } finally {
    for (const { socket } of connections) socket.destroy()
  }
})

async function openConnection({ urls, tokens, operation, connections }: Job, at: number): Promise<Connection> {
  const url = new URL(urls[at % urls.length]!)
  const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true })
  await once(socket, 'connect')
  const requests = rawRequestsOf(operation, tokens, url.pathname.replace(/\/$/, ''), at, connections)
  return { socket, requests, next: 0, due: 0, received: Buffer.alloc(0) }
}

function send({ operation, rate, seconds }: Job, connections: Connection[]): Promise<LoadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const free = [...connections]
  const total = Math.ceil(rate * seconds)
  const recorder = recordLoad(seconds)
  const startedAt = performance.now()
  let [sent, answered, failed] = [0, 0, 0]

  const clock = setInterval(() => {
    sendDue()
    if (performance.now() - startedAt > seconds * 1000 + drainTimeoutMs)
      reject(new Error(`"${operation.name}" timed out.`))
  }, 1)
  for (const connection of connections) {
    connection.socket.on('data', (chunk: Buffer) => receive(connection, chunk))
    connection.socket.once('error', reject)
    connection.socket.once('close', () => reject(new Error(`"${operation.name}" lost a connection.`)))
  }
  return promise.finally(() => clearInterval(clock))

  function sendDue(): void {
    for (; free.length > 0 && sent < total; sent++) {
      const due = startedAt + (sent / rate) * 1000
      if (due > performance.now()) return
      const connection = free.shift()!
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
    free.push(connection)
    if (++answered === total) resolve(recorder.finish(failed))
    else sendDue()
  }
}

/** Returns undefined until the response is complete. */
function statusOf(received: Buffer): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = received.toString('latin1', 0, end)
  const length = Number(/content-length: *(\d+)/i.exec(head)![1])
  return received.length < end + 4 + length ? undefined : Number(head.slice(9, 12))
}
