// One worker thread: the only writer of the tenant files that are its own. Takes batches of tasks, sends batches of replies, and
// says of each file how readers find it.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../database.ts'
import type { Resources } from '../../resources/resource.ts'
import { operations } from '../operations.ts'
import { type Reply, runReads, runWrites, type Task } from './group-commit.ts'
import { openFiles } from './open-files.ts'
import type { Voucher } from './reader.ts'

/** What the pool hears from a thread. `vouchers`: of tenants whose files may be found in another state than before. */
export type Message = { replies: Reply[]; vouchers?: [tenant: string, Voucher | null][] }

/** What the pool tells a worker when it starts. */
export type WorkerSettings = { directory: string; resources: Resources; openFiles: number }

const settings = workerData as WorkerSettings
const port = parentPort!
const changed = new Set<string>()
const files = openFiles(settings.directory, settings.resources, settings.openFiles, (id) => changed.add(id))
const resting = setInterval(rest, 100)

/** So many changes are brought into the search index at once: each query looks through those that are not yet in it. */
const indexAfter = 2000

let isWorking = false

port.on('message', async (message: Task[] | 'close') => {
  if (message === 'close') return close()
  if (isWorking) throw new Error('a batch began within another: an operation waited for something outside its database')
  isWorking = true
  for (const [tenant, tasks] of groupByTenant([...message, ...waiting()])) tell(await work(tenant, tasks))
  isWorking = false
})

async function rest(): Promise<void> {
  await files.rest(Date.now())
  if (changed.size > 0) tell([])
}

/** Vouchers go ahead of replies: who reads after an answered write is told of the file as that write has left it. */
function tell(replies: Reply[]): void {
  const vouchers = [...changed].map((id): [string, Voucher | null] => [id, files.voucher(id)])
  changed.clear()
  port.postMessage({ replies, vouchers } satisfies Message)
}

/** What arrived while the last batch was at work: it shares the next commit. */
function waiting(): Task[] {
  const tasks: Task[] = []
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    if (next.message === 'close') setImmediate(close)
    else tasks.push(...(next.message as Task[]))
  }
  return tasks
}

async function work(tenant: string, tasks: Task[]): Promise<Reply[]> {
  const unanswered = new Set(tasks)
  try {
    if (tasks.some(({ isSuspect }) => isSuspect)) files.distrust(tenant)
    const file = await files.open(tenant, Date.now())
    const [reads, writes] = [tasks.filter((task) => !writing(task)), tasks.filter(writing)]
    const replies = await runReads(file.connection, settings.resources, reads)
    for (const read of reads) unanswered.delete(read)
    if (writes.length === 0) return replies
    tell(replies) // reads do not wait for the commit
    const written = await runWrites(file.connection, settings.resources, tenant, writes)
    files.leave(tenant, file) // before the answer: whoever has it may change the file
    tell(written)
    unanswered.clear()
    file.unindexed += writes.length
    if (file.unindexed >= indexAfter) {
      await files.index(file)
      files.leave(tenant, file)
    }
    return []
  } catch (error) {
    if (!(error instanceof Unavailable) || error.isSuspect) files.distrust(tenant)
    const outcome =
      error instanceof Unavailable ? { unavailable: error.message } : { bug: (error as Error).stack ?? '' }
    return [...unanswered].map(({ ticket }) => ({ ticket, ...outcome }))
  }
}

function writing(task: Task): boolean {
  return operations[task.name].writes
}

function groupByTenant(tasks: Task[]): Map<string, Task[]> {
  return Map.groupBy(tasks, (task) => task.tenant)
}

function close(): void {
  clearInterval(resting)
  files.closeAll()
  port.close()
}
