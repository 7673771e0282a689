// Measures the highest commit rate that the disk allows, with as many threads as the service has writers. Each
// thread cycles through its tenants' files and commits a record with its history row in each. The argument is the path
// to a data directory that the service has created.

import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { threadIndexFor } from '../../src/engine/sqlite/threads/pools.ts'
import { writersFor } from '../../src/engine/sqlite/threads/thread.ts'
import { createLoadRecorder, type LoadResult } from '../harness/load/latencies.ts'
import { measureOnMessage } from '../harness/processes.ts'

/** At most `connections` threads run. */
export type FsyncOptions = { connections: number; seconds: number }

const files = globSync(join(process.argv[2]!, 'tenants/*/*.sqlite'))
const threadCount = writersFor(availableParallelism())
const threads = Array.from({ length: threadCount }, (_, index) => {
  const workerData = files.filter((file) => threadIndexFor(basename(file, '.sqlite'), threadCount) === index)
  return new Worker(new URL('./fsync-thread.ts', import.meta.url), { workerData })
})

measureOnMessage(measure)

async function measure({ connections, seconds }: FsyncOptions): Promise<LoadResult> {
  const recorder = createLoadRecorder(seconds)
  const times = (await Promise.all(threads.slice(0, connections).map((thread) => commitIn(thread, seconds)))).flat()
  for (const milliseconds of times) recorder.record(milliseconds)
  return { ...recorder.finish(0), rate: times.length / seconds }
}

/** Returns each commit's duration in milliseconds. */
function commitIn(thread: Worker, seconds: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    thread.removeAllListeners()
    thread.once('error', reject)
    thread.once('message', resolve)
    thread.postMessage(seconds)
  })
}
