// The clients, in a process of their own: takes a Job as a message, answers with a Measured or with what went wrong.
//
// The clients cost about as much processor time as the floor does, and on two cores they are what a fast server waits
// for. So they do as little as they can: no pipelining (each connection waits for its answer, as callers do), requests
// built once and sent again (a fresh key is written over the last one), latencies written down as they are and sorted
// afterwards. How busy they were is told with every figure: near 100 % the rate is theirs, not the server's, and it is
// the server's processor time per request that says what a request costs.

import { randomUUID } from 'node:crypto'
import autocannon, { type Client, type Request, type Result } from 'autocannon'
import type { Operation } from './operations.ts'

export type Job = {
  url: string
  headers: Record<string, string>
  operation: Operation
  connections: number
  seconds: number
}

/** `rate` in requests per second, percentiles in milliseconds, `busy` of one core, in percent. */
export type Measured = { requests: number; rate: number; p50: number; p99: number; busy: number }

process.on('message', async (job: Job) => {
  try {
    process.send!({ measured: await measure(job) })
  } catch (error) {
    process.send!({ failure: (error as Error).message })
  }
})

async function measure({ url, headers, operation, connections, seconds }: Job): Promise<Measured> {
  const { method, body } = operation
  const run = autocannon({
    url,
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body,
    connections,
    pipelining: 1,
    duration: seconds,
    sampleInt: 50,
    requests: requestsOf(operation, new URL(url).pathname.replace(/\/$/, '')),
    setupClient: operation.freshKeys ? renewKeys : () => {},
  })
  const latencies: number[] = []
  let [startedAt, usageAtStart] = [0, process.cpuUsage()]
  run.once('start', () => {
    startedAt = performance.now()
    usageAtStart = process.cpuUsage()
  })
  run.on('response', (_client, _status, _bytes, milliseconds: number) => latencies.push(milliseconds))
  const result = await run
  const elapsed = performance.now() - startedAt
  const { user, system } = process.cpuUsage(usageAtStart)
  requireSuccess(operation, result)
  latencies.sort((one, other) => one - other)
  return {
    requests: latencies.length,
    rate: (latencies.length / elapsed) * 1000,
    p50: latencies[Math.floor(latencies.length * 0.5)]!,
    p99: latencies[Math.floor(latencies.length * 0.99)]!,
    busy: (user + system) / 10 / elapsed,
  }
}

function requestsOf({ paths, freshKeys }: Operation, base: string): Request[] {
  const headers = freshKeys && { 'idempotency-key': randomUUID() }
  return paths.map((path) => ({ path: base + path, headers }))
}

/** Writes another key over the last one, now and whenever an answer has come. */
function renewKeys(client: Client): void {
  const request = client.getRequestBuffer()
  const start = request.indexOf('idempotency-key: ') + 'idempotency-key: '.length
  const renew = () => request.write(randomUUID(), start, 'latin1')
  renew()
  client.on('response', renew)
}

function requireSuccess({ name }: Operation, result: Result): void {
  const { non2xx, errors, timeouts, statusCodeStats } = result
  if (non2xx + errors + timeouts === 0 && result['2xx'] > 0) return
  const statuses = JSON.stringify(statusCodeStats)
  throw new Error(`"${name}" did not always succeed: ${statuses}, ${errors} errors, ${timeouts} timeouts.`)
}
