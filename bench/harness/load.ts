// The clients, in a process of their own: takes a Job as a message, answers with a Measured or with what went wrong.
//
// The clients cost about as much processor time as the floor does, and on two cores they are what a fast server waits
// for. So they do as little as they can: no pipelining (each connection waits for its answer, as callers do), requests
// built once and sent again (a fresh key is written over the last one), latencies written down as they are and sorted
// afterwards. How busy they were is told with every figure: near 100 % the rate is theirs, not the server's, and it is
// the server's processor time per request that says what a request costs.

import autocannon, { type Result } from 'autocannon'
import { type Measured, startMeasuring } from './latencies.ts'
import { type Operation, renewKey, requestsOf } from './operations.ts'
import { answerJobs } from './processes.ts'

/** Connections are spread over the urls, and each goes through the tokens in turn. */
export type Job = { urls: string[]; tokens: string[]; operation: Operation; connections: number; seconds: number }

/** How long a request in flight may take after the time is over. Seconds. */
const patience = 30

answerJobs(measure)

async function measure({ urls, tokens, operation, connections, seconds }: Job): Promise<Measured> {
  const { method, freshKeys } = operation
  const base = new URL(urls[0]!).pathname.replace(/\/$/, '')
  let clients = 0
  let measuring = startMeasuring(seconds)
  const run = autocannon({
    url: urls,
    method,
    headers: {},
    connections,
    pipelining: 1,
    duration: seconds + patience,
    timeout: patience,
    sampleInt: 20,
    setupClient: (client) => {
      const requests = requestsOf(operation, tokens, clients++, connections)
      client.setRequests(requests.map(({ path, ...others }) => ({ path: base + path, ...others })))
      if (freshKeys) client.on('response', () => renewKey(client.getRequestBuffer()))
      client.on('response', () => {
        if (measuring.isOver()) client.responseMax = client.reqsMade // was its last one
      })
    },
  })
  run.once('start', () => {
    measuring = startMeasuring(seconds)
  })
  run.on('response', (_client, status, _bytes, milliseconds) => {
    if (status < 300) measuring.note(milliseconds)
  })
  const result = await run
  requireSuccess(operation, result)
  return measuring.finish(result.non2xx + result.errors + result.timeouts)
}

/** Some refusals are a figure too: a pool that stays full answers 503. Many are a broken measurement. */
function requireSuccess({ name }: Operation, result: Result): void {
  const { non2xx, errors, timeouts, statusCodeStats } = result
  if ((non2xx + errors + timeouts) * 2 < result['2xx']) return
  const statuses = JSON.stringify(statusCodeStats)
  throw new Error(`"${name}" did not succeed: ${statuses}, ${errors} errors, ${timeouts} timeouts.`)
}
