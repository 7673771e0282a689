// What the disk allows: as many threads as the service has writers go through the files of their tenants, and commit a record
// with its history row in each. Run with a data directory of the service.

import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { writersFor } from '../../src/storage/sqlite/threads/thread.ts'
import { threadIndexFor } from '../../src/storage/sqlite/threads/writer-pool.ts'
import { type LoadResult, recordLoad } from '../harness/latencies.ts'
import { runJobs } from '../harness/processes.ts'

/** With fewer `connections` than threads, only as many threads work. */
export type Job = { connections: number; seconds: number }

const files = globSync(join(process.argv[2]!, 'tenants/*/*.sqlite'))
const count = writersFor(availableParallelism())
const threads = Array.from({ length: count }, (_, index) => {
  const own = files.filter((file) => threadIndexFor(basename(file, '.sqlite'), count) === index)
  return new Worker(new URL('./fsync-thread.ts', import.meta.url), { workerData: own })
})

runJobs(measure)

async function measure({ connections, seconds }: Job): Promise<LoadResult> {
  const recorder = recordLoad(seconds)
  const all = await Promise.all(threads.slice(0, connections).map((thread) => commitIn(thread, seconds)))
  for (const milliseconds of all.flat()) recorder.record(milliseconds)
  return { ...recorder.finish(0), rate: all.flat().length / seconds }
}

/** Returns the duration of each commit. */
function commitIn(thread: Worker, seconds: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    thread.removeAllListeners()
    thread.once('error', reject)
    thread.once('message', resolve)
    thread.postMessage(seconds)
  })
}
