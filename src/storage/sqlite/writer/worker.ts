// One worker thread: the only writer of the tenant files that are its own. Its tenants take turns; each turn is bounded, in
// operations and in time, and what arrives meanwhile is heard before the next.

import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../../database/database.ts'
import { ReadOnly } from '../../../database/sqlite/errors.ts'
import { createFairQueue } from '../../../lib/fair-queue.ts'
import type { Resources } from '../../../resources/resource.ts'
import { operations } from '../../operations.ts'
import type { FileVersion } from '../reader/read-only-files.ts'
import { type Claims, claim, release } from '../threads/claims.ts'
import { openFiles } from './file-cache.ts'
import { type Reply, runTask, runWrites, startTimeSlice, type Task } from './group-commit.ts'
import { createMaintenance } from './idle-maintenance.ts'
import { MigrationRequired } from './open-file.ts'

/** What a thread hears. `unanswered`: how many tasks it has been asked and has not answered, with these. */
export type ThreadRequest = { tasks: Task[]; unanswered: number } | 'close'

/** What the pool hears from a thread. `vouchers`: of tenants whose files may be found in another state than before. */
export type ThreadMessage = {
  replies: Reply[]
  vouchers?: [tenant: string, FileVersion | null][]
  /** Files that were migrated here, or could not be. */
  migrated?: [tenant: string, failure: string | null][]
  /** What it has open, and has closed for want of room since the last message; what it has committed. */
  files?: { open: number; evicted: number }
  commit?: { operations: number; milliseconds: number }
}

/** What the pool tells a worker when it starts. */
export type WorkerSettings = { directory: string; resources: Resources; openFiles: number }

/** The same, with what it shares with the main thread. */
export type ThreadSettings = WorkerSettings & { claims: Claims }

const settings = workerData as ThreadSettings
const port = parentPort!
const changed = new Set<string>()
const migrated = new Map<string, string | null>()
const files = openFiles(
  settings.directory,
  settings.resources,
  settings.openFiles,
  (id) => changed.add(id),
  (id, failure) => migrated.set(id, failure),
)
const restOne = createMaintenance(files, settings.resources, settings.openFiles)
const queue = createFairQueue<Task>()
const resting = setInterval(planRest, 100)

/** So many operations of a tenant share a commit at most: half of what is asked, so that the main thread has the other half to
 *  answer and to take in meanwhile, where both are more than the least and fewer than the most. */
const batchSize = { least: 8, most: 64 }

/** A thread without work for so long looks after quiet files one after another; else, after one so often. Both in milliseconds. */
const idleAfter = 50
const restEvery = 20

let asked = 0 // and not answered, when the last tasks came
let isWorking = false
let isPlanned = false
let isClosing = false
let isRestDue = false
let restedAt = 0
let workedAt = 0

port.on('message', (message: ThreadRequest) => {
  if (isWorking) throw new Error('a turn was left before its end: an operation waited for more than its database')
  if (message === 'close') isClosing = true
  else {
    for (const task of message.tasks) queue.add(task.tenant, task)
    asked = message.unanswered
  }
  plan()
})

function planRest(): void {
  isRestDue = true
  plan()
}

function plan(): void {
  if (isPlanned) return
  isPlanned = true
  setImmediate(takeTurn)
}

/** One tenant's turn, or a quiet file's. */
async function takeTurn(): Promise<void> {
  isWorking = true
  const next = queue.take(Math.min(batchSize.most, Math.max(batchSize.least, Math.ceil(asked / 2))))
  if (next) {
    tell(await work(next.tenant, next.items))
    workedAt = performance.now()
  }
  if (mayRest()) await rest()
  isWorking = isPlanned = false
  if (!queue.isEmpty() || mayRest()) plan()
  else if (isClosing) close()
}

/** Otherwise it is asked again before long: whatever is due stays due. */
function mayRest(): boolean {
  const now = performance.now()
  return isRestDue && (isIdle(now) || now - restedAt > restEvery)
}

function isIdle(now: number): boolean {
  return now - workedAt > idleAfter
}

async function rest(): Promise<void> {
  const now = performance.now()
  isRestDue = !isClosing && (await restOne(now, isIdle(now) ? 'idle' : 'busy'))
  restedAt = performance.now()
  if (changed.size > 0) tell([])
}

/** Vouchers go ahead of replies: who reads after an answered write is told of the file as that write has left it. */
function tell(replies: Reply[], commit?: ThreadMessage['commit']): void {
  if (replies.length + changed.size + migrated.size === 0) return
  const vouchers = [...changed].map((id): [string, FileVersion | null] => [id, files.voucher(id)])
  port.postMessage({ replies, vouchers, migrated: [...migrated], files: files.count(), commit } satisfies ThreadMessage)
  changed.clear()
  migrated.clear()
}

async function work(tenant: string, taken: Task[]): Promise<Reply[]> {
  const { tasks = [], refused = [] } = Object.groupBy(taken, ({ place }) =>
    claim(settings.claims, place!) ? 'tasks' : 'refused',
  )
  const replies = refused.map(({ ticket }): Reply => ({ ticket, refused: true }))
  if (tasks.length === 0) return replies
  const unanswered = new Set(tasks)
  try {
    if (tasks.some(({ isSuspect }) => isSuspect)) files.distrust(tenant)
    const file = await files.open(tenant, performance.now())
    if (await files.keepUp(tenant, file)) {
      putBack(tenant, tasks) // its turn is over, and the others have theirs
      return replies
    }
    const isOver = startTimeSlice(queue.isEmpty() ? 'alone' : 'others')
    for (const task of tasks) {
      if (writing(task)) continue
      if (replies.length > 0 && isOver()) break
      const run = () => runTask(file.connection, settings.resources, task)
      replies.push(isLong(task) ? { ticket: task.ticket, forReader: true } : await run())
      unanswered.delete(task)
    }
    const writes = tasks.filter(writing)
    if (writes.length > 0) {
      tell(replies.splice(0)) // reads do not wait for the commit
      const begun = performance.now()
      const written = await runWrites(file.connection, settings.resources, tenant, writes, isOver)
      const commit = { operations: written.length, milliseconds: performance.now() - begun }
      files.wrote(tenant, file, written.length) // before the answer: whoever has it may change the file
      for (const write of writes.slice(0, written.length)) unanswered.delete(write)
      tell(written, commit)
    }
    files.release(file)
    putBack(tenant, [...unanswered])
    return replies
  } catch (error) {
    if (error instanceof MigrationRequired)
      return [...replies, ...tasks.map(({ ticket }) => ({ ticket, behind: true as const }))]
    if (!(error instanceof Unavailable) || error.mayBeCorrupt) files.distrust(tenant)
    else if (error instanceof ReadOnly) files.close(tenant)
    const outcome =
      error instanceof Unavailable ? { unavailable: error.message } : { bug: (error as Error).stack ?? '' }
    return [...replies, ...[...unanswered].map(({ ticket }) => ({ ticket, ...outcome }))]
  }
}

function putBack(tenant: string, tasks: Task[]): void {
  for (const { place } of tasks) release(settings.claims, place!)
  queue.putBack(tenant, tasks)
}

function writing(task: Task): boolean {
  return operations[task.name].writes
}

/** What may take long is for readers: here it would hold up every tenant of the thread. */
function isLong(task: Task): boolean {
  return 'isLong' in operations[task.name] && !task.isReturned
}

function close(): void {
  clearInterval(resting)
  files.closeAll()
  port.close()
}
