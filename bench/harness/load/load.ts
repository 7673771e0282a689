// Generates load in a closed loop, in a separate process: each connection waits for the response before it sends its
// next request.
//
// The load generator uses about as much CPU time as the minimal server, so on two cores it slows down a fast server. It
// therefore does as little as possible: it does not use pipelining, builds each request once and only overwrites its
// Idempotency-Key, and sorts latencies at the end. Every result reports how busy the generator was. Near 100%, the
// generator limits the rate, and only the server's CPU time per request shows what a request costs.

import autocannon, { type Result } from 'autocannon'
import { type Operation, renewKey, requestsOf } from '../operations.ts'
import { measureOnMessage } from '../processes.ts'
import { createLoadRecorder, type LoadResult } from './latencies.ts'

/** Connections are spread over `urls`. Each connection uses the `tokens` in turn. */
export type LoadOptions = {
  urls: string[]
  tokens: string[]
  operation: Operation
  connections: number
  seconds: number
}

/** How long to wait for requests in flight at the end of a measurement. */
const drainTimeoutSeconds = 30

measureOnMessage(measure)

async function measure({ urls, tokens, operation, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const { method, freshKeys } = operation
  const base = new URL(urls[0]!).pathname.replace(/\/$/, '')
  let clientCount = 0
  let recorder = createLoadRecorder(seconds)
  const run = autocannon({
    url: urls,
    method,
    headers: {},
    connections,
    pipelining: 1,
    duration: seconds + drainTimeoutSeconds,
    timeout: drainTimeoutSeconds,
    sampleInt: 20,
    setupClient: (client) => {
      const requests = requestsOf(operation, tokens, clientCount++, connections)
      client.setRequests(requests.map(({ path, ...others }) => ({ path: base + path, ...others })))
      if (freshKeys) client.on('response', () => renewKey(client.getRequestBuffer()))
      client.on('response', () => {
        if (recorder.isOver()) client.responseMax = client.reqsMade // stop sending requests
      })
    },
  })
  run.once('start', () => {
    recorder = createLoadRecorder(seconds)
  })
  run.on('response', (_client, status, _bytes, milliseconds) => {
    if (status < 300) recorder.record(milliseconds)
  })
  const result = await run
  requireFewFailures(operation, result)
  return recorder.finish(result.non2xx + result.errors + result.timeouts)
}

/** Throws if so many requests failed that the measurement is useless. A few failures are acceptable: the service
 *  responds with 503 if its connection pool is full. */
function requireFewFailures({ name }: Operation, result: Result): void {
  const { non2xx, errors, timeouts, statusCodeStats } = result
  if ((non2xx + errors + timeouts) * 2 < result['2xx']) return
  const statuses = JSON.stringify(statusCodeStats)
  throw new Error(`"${name}" failed: ${statuses}, ${errors} errors, ${timeouts} timeouts.`)
}
