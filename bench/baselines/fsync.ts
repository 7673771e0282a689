// What the disk allows, in a process of its own: threads, as many as the service has writers, that do nothing but commit. Each
// goes through the tenants that a writer would have, and gives each in its turn one record with its history row.
// Run with a data directory of the service.

import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { threadIndexFor, writersFor } from '../../src/storage/sqlite/threads/thread.ts'
import { type Measured, startMeasuring } from '../harness/latencies.ts'
import { answerJobs } from '../harness/processes.ts'

/** With fewer `connections` than there are threads, so many of these work. */
export type Job = { connections: number; seconds: number }

const files = globSync(join(process.argv[2]!, 'tenants/*/*.sqlite'))
const count = writersFor(availableParallelism())
const threads = Array.from({ length: count }, (_, lane) => {
  const own = files.filter((file) => threadIndexFor(basename(file, '.sqlite'), count) === lane)
  return new Worker(new URL('./fsync-thread.ts', import.meta.url), { workerData: own })
})

answerJobs(measure)

async function measure({ connections, seconds }: Job): Promise<Measured> {
  const measuring = startMeasuring(seconds)
  const all = await Promise.all(threads.slice(0, connections).map((thread) => commitIn(thread, seconds)))
  for (const milliseconds of all.flat()) measuring.note(milliseconds)
  return { ...measuring.finish(0), rate: all.flat().length / seconds }
}

/** How long each commit took. */
function commitIn(thread: Worker, seconds: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    thread.removeAllListeners()
    thread.once('error', reject)
    thread.once('message', resolve)
    thread.postMessage(seconds)
  })
}
