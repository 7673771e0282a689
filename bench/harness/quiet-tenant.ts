// A quiet caller, in a process of its own: one request after the other with a pause between them, as a person causes them.

import { Agent, request } from 'node:http'
import { type Measured, startMeasuring } from './latencies.ts'
import { operations } from './operations.ts'
import { answerJobs } from './processes.ts'

/** What one tenant asks for, GET of a record that it has made or POST of another. */
export type Job = { url: string; token: string; method: 'GET' | 'POST'; seconds: number }

/** Between an answer and the next request. Milliseconds. */
const pause = 5

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

answerJobs(measure)

async function measure({ url, token, method, seconds }: Job): Promise<Measured> {
  const measuring = startMeasuring(seconds)
  let failed = 0
  while (!measuring.isOver()) {
    const start = performance.now()
    const status = await ask(url + operations[0]!.paths[0] + (method === 'GET' ? '?id=1' : ''), token, method)
    if (status < 300) measuring.note(performance.now() - start)
    else failed++
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return measuring.finish(failed)
}

function ask(url: string, token: string, method: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    }
    const sent = request(url, { agent, method, headers }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode!))
    })
    sent.once('error', reject)
    sent.end(method === 'POST' ? operations[0]!.body : undefined)
  })
}
