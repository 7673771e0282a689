// A process that generates load in a closed loop: each connection waits for its response before the next request.
//
// The load generator uses about as much CPU time as the minimal server, and on two cores a fast server waits for it. So it
// does as little as possible: no pipelining, requests built once (a new key overwrites the last one), latencies sorted at
// the end. Every result says how busy the generator was: near 100 % it limits the rate, and only the server's CPU time per
// request says what a request costs.

import autocannon, { type Result } from 'autocannon'
import { type LoadResult, recordLoad } from './latencies.ts'
import { type Operation, renewKey, requestsOf } from './operations.ts'
import { runJobs } from './processes.ts'

/** Connections are spread over the URLs; each uses the tokens in turn. */
export type Job = { urls: string[]; tokens: string[]; operation: Operation; connections: number; seconds: number }

/** For requests in flight when the time is over. */
const drainTimeoutSeconds = 30

runJobs(measure)

async function measure({ urls, tokens, operation, connections, seconds }: Job): Promise<LoadResult> {
  const { method, freshKeys } = operation
  const base = new URL(urls[0]!).pathname.replace(/\/$/, '')
  let clients = 0
  let recorder = recordLoad(seconds)
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
      const requests = requestsOf(operation, tokens, clients++, connections)
      client.setRequests(requests.map(({ path, ...others }) => ({ path: base + path, ...others })))
      if (freshKeys) client.on('response', () => renewKey(client.getRequestBuffer()))
      client.on('response', () => {
        if (recorder.isOver()) client.responseMax = client.reqsMade // was its last one
      })
    },
  })
  run.once('start', () => {
    recorder = recordLoad(seconds)
  })
  run.on('response', (_client, status, _bytes, milliseconds) => {
    if (status < 300) recorder.record(milliseconds)
  })
  const result = await run
  requireFewFailures(operation, result)
  return recorder.finish(result.non2xx + result.errors + result.timeouts)
}

/** Some failures are a result: a full connection pool answers 503. Many mean that the measurement is broken. */
function requireFewFailures({ name }: Operation, result: Result): void {
  const { non2xx, errors, timeouts, statusCodeStats } = result
  if ((non2xx + errors + timeouts) * 2 < result['2xx']) return
  const statuses = JSON.stringify(statusCodeStats)
  throw new Error(`"${name}" failed: ${statuses}, ${errors} errors, ${timeouts} timeouts.`)
}
