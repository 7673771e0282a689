// Callers who do not wait for each other, in a process of their own: takes a Job as a message, answers with a Measured.
//
// Each request has a moment at which it is due, and its latency counts from that moment, whether a connection was free then or
// not. Callers who send their next request when the last one is answered ask nothing while a server stands still, and so leave
// the worst out (coordinated omission); here a standstill is felt by all who would have come meanwhile. The clock ticks in
// milliseconds, and what a tick is late counts too, for every contender alike.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setInterval } from 'node:timers'
import { type Measured, startMeasuring } from './latencies.ts'
import { type Operation, rawRequestsOf, renewKey } from './operations.ts'
import { answerJobs } from './processes.ts'

/** `rate`: requests per second, of all connections together. */
export type Job = {
  urls: string[]
  tokens: string[]
  operation: Operation
  connections: number
  rate: number
  seconds: number
}

/** `due`: when the request in flight should have been sent. */
type Connection = { socket: Socket; requests: Buffer[]; next: number; due: number; received: Buffer }

/** How long requests may take after the time is over. Milliseconds. */
const patience = 15_000

answerJobs(measure)

async function measure(job: Job): Promise<Measured> {
  const connections = await openAll(job)
  try {
    return await send(job, connections)
  } finally {
    for (const { socket } of connections) socket.destroy()
  }
}

async function openAll({ urls, tokens, operation, connections }: Job): Promise<Connection[]> {
  const all = Array.from({ length: connections }, async (_, at) => {
    const url = new URL(urls[at % urls.length]!)
    const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true })
    await once(socket, 'connect')
    const requests = rawRequestsOf(operation, tokens, url.pathname.replace(/\/$/, ''), at, connections)
    return { socket, requests, next: 0, due: 0, received: Buffer.alloc(0) }
  })
  return Promise.all(all)
}

function send({ operation, rate, seconds }: Job, connections: Connection[]): Promise<Measured> {
  const { promise, resolve, reject } = Promise.withResolvers<Measured>()
  const free = [...connections]
  const total = Math.ceil(rate * seconds)
  const measuring = startMeasuring(seconds)
  const begun = performance.now()
  let [sent, answered, failed] = [0, 0, 0]

  const clock = setInterval(() => {
    sendDue()
    if (performance.now() - begun > seconds * 1000 + patience)
      reject(new Error(`"${operation.name}" was not answered.`))
  }, 1)
  for (const connection of connections) {
    connection.socket.on('data', (chunk: Buffer) => hear(connection, chunk))
    connection.socket.once('error', reject)
    connection.socket.once('close', () => reject(new Error(`"${operation.name}" lost a connection.`)))
  }
  return promise.finally(() => clearInterval(clock))

  function sendDue(): void {
    while (free.length > 0 && sent < total) {
      const due = begun + (sent / rate) * 1000
      if (due > performance.now()) return
      sent++
      ask(free.shift()!, due)
    }
  }

  function ask(connection: Connection, due: number): void {
    const request = connection.requests[connection.next]!
    connection.next = (connection.next + 1) % connection.requests.length
    connection.due = due
    if (operation.freshKeys) renewKey(request)
    connection.socket.write(request)
  }

  function hear(connection: Connection, chunk: Buffer): void {
    connection.received = connection.received.length === 0 ? chunk : Buffer.concat([connection.received, chunk])
    const status = statusOf(connection.received)
    if (status === undefined) return
    connection.received = Buffer.alloc(0)
    if (status < 300) measuring.note(performance.now() - connection.due)
    else failed++
    free.push(connection)
    if (++answered === total) resolve(measuring.finish(failed))
    else sendDue()
  }
}

/** Of an answer; undefined before all of it has come. */
function statusOf(received: Buffer): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = received.toString('latin1', 0, end)
  const length = Number(/content-length: *(\d+)/i.exec(head)![1])
  return received.length < end + 4 + length ? undefined : Number(head.slice(9, 12))
}
