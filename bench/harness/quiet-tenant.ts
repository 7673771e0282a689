// A process that sends one request after another with a pause in between, as a person does.

import { Agent, request } from 'node:http'
import { type LoadResult, recordLoad } from './latencies.ts'
import { type Operation, type Request, requestsOf } from './operations.ts'
import { runJobs } from './processes.ts'

/** The requests go to the tenants of the tokens in turn. */
export type Job = { url: string; tokens: string[]; operation: Operation; seconds: number }

/** Between a response and the next request. */
const pauseMs = 5

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

runJobs(measure)

async function measure({ url, tokens, operation, seconds }: Job): Promise<LoadResult> {
  const requests = requestsOf(operation, tokens)
  const measuring = recordLoad(seconds)
  let failed = 0
  for (let at = 0; !measuring.isOver(); at++) {
    const start = performance.now()
    const status = await send(url, operation.method, requests[at % requests.length]!)
    if (status < 300) measuring.record(performance.now() - start)
    else failed++
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return measuring.finish(failed)
}

function send(url: string, method: string, { path, headers, body }: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { agent, method, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode!))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
