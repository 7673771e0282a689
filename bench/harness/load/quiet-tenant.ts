// Sends requests one at a time with pauses, as a person does, in a separate process.

import { Agent, request } from 'node:http'
import { type Operation, type Request, requestsOf } from '../operations.ts'
import { measureOnMessage } from '../processes.ts'
import { createLoadRecorder, type LoadResult } from './latencies.ts'

/** Requests use the `tokens` in turn. */
export type QuietTenantOptions = { url: string; tokens: string[]; operation: Operation; seconds: number }

/** The pause between a response and the next request. */
const pauseMs = 5

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

measureOnMessage(measure)

async function measure({ url, tokens, operation, seconds }: QuietTenantOptions): Promise<LoadResult> {
  const requests = requestsOf(operation, tokens)
  const recorder = createLoadRecorder(seconds)
  let failed = 0
  for (let index = 0; !recorder.isOver(); index++) {
    const start = performance.now()
    const status = await send(url, operation.method, requests[index % requests.length]!)
    if (status < 300) recorder.record(performance.now() - start)
    else failed++
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return recorder.finish(failed)
}

function send(url: string, method: string, { path, headers, body }: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { agent, method, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode!))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
