// Entry point of a writer thread. Only this thread runs its tenants' writes. Tenants take turns. Each turn is limited
// in the number of operations and in time, and new messages are received between turns.

import { parentPort, workerData } from 'node:worker_threads'
import { createFairQueue } from '../../../lib/concurrency.ts'
import { mayBeCorrupt } from '../../database/database.ts'
import { Locked, ReadOnly } from '../../database/sqlite/errors.ts'
import { loadProduct } from '../../product.ts'
import {
  claim,
  decodeRequest,
  type EncodedRequest,
  encodeFailure,
  type FileVersion,
  type Outcome,
  type Reply,
  release,
  type Task,
  type ThreadMessage,
  type ThreadSettings,
} from '../threads/messages.ts'
import { runTask, runWrites, startTimeSlice } from '../threads/run-task.ts'
import { FileCache } from './file-cache.ts'
import { createLockQueue } from './lock-queue.ts'
import { createLongOperation, type LongOperation } from './long-operation.ts'
import { countCommit, createIdleMaintenance, runStep, stepSizeFor } from './maintenance.ts'
import { MigrationRequired, type OpenFile } from './open-file.ts'

const { directory, openFiles, claims, ...settings } = workerData as ThreadSettings
const product = await loadProduct(settings.product)
const port = parentPort!
const changedTenants = new Set<string>()
const onVersionChange = (tenant: string) => void changedTenants.add(tenant)
const cache = new FileCache({ directory, product, limit: openFiles, onVersionChange })
const runIdleStep = createIdleMaintenance(cache, product)
const queue = createFairQueue<Task>()
const lockQueue = createLockQueue((tenant, tasks) => {
  queue.requeue(tenant, tasks)
  plan()
})
/** The paused long operations by tenant. A paused operation's task comes first in its tenant's queue. */
const paused = new Map<string, LongOperation>()

port.postMessage({ replies: [] } satisfies ThreadMessage) // the thread is ready

/** Wakes the thread for maintenance of unused files. */
const maintenanceTimer = setInterval(plan, 100)

/** Limits on the number of operations per turn. A turn's writes share a commit. Between these limits, a turn takes half
 *  of the pending operations, so that the main thread can answer and refill one half while this thread commits the
 *  other. With 64 operations in flight, this gives 10% more creates (docs/decisions/0015). */
const batchSize = { min: 8, max: 64 }

/** After this idle time the thread runs maintenance steps back to back. Under load it runs one step of a few
 *  milliseconds per interval, so that operations get most of its time. */
const threadIdleAfterMs = 50
const maintenanceIntervalMs = 20

let pendingCount = 0 // when the last message arrived
let isWorking = false
let isPlanned = false
let isClosing = false
let maintainedAt = 0
let workedAt = 0

port.on('message', (encoded: EncodedRequest) => {
  const message = decodeRequest(encoded)
  if (isWorking)
    throw new Error('a message arrived during a turn: an operation awaited something other than its database')
  if (message === 'close') isClosing = true
  else {
    for (const task of message.tasks) {
      const held = lockQueue.held.get(task.tenant)
      if (held) held.push(task)
      else queue.add(task.tenant, task)
    }
    pendingCount = message.unanswered
  }
  plan()
})

function plan(): void {
  if (isPlanned) return
  isPlanned = true
  setImmediate(takeTurn)
}

/** Runs one tenant's turn, then a maintenance step if one may run. */
async function takeTurn(): Promise<void> {
  isWorking = true
  const next = queue.take(Math.min(batchSize.max, Math.max(batchSize.min, Math.ceil(pendingCount / 2))))
  if (next) {
    await runTasks(next.tenant, next.items)
    workedAt = performance.now()
  }
  const ranStep = !isClosing && (await maintain())
  isWorking = isPlanned = false
  if (!queue.isEmpty() || ranStep) plan()
  else if (isClosing && lockQueue.held.size === 0) close()
}

/** Runs an idle maintenance step if one is due and may run now. Returns whether a step ran. */
async function maintain(): Promise<boolean> {
  const now = performance.now()
  const isIdle = now - workedAt > threadIdleAfterMs
  if (!isIdle && now - maintainedAt < maintenanceIntervalMs) return false
  const ranStep = await runIdleStep(now, isIdle ? 'idle' : 'busy')
  maintainedAt = performance.now()
  send([])
  return ranStep
}

/** Sends file versions together with the replies, so that a read after an acknowledged write uses the version that the
 *  write has produced. */
function send(replies: Reply[], commit?: ThreadMessage['commit']): void {
  if (replies.length + changedTenants.size === 0) return
  const fileVersions = [...changedTenants].map((id): [string, FileVersion | null] => [id, cache.fileVersion(id)])
  port.postMessage({ replies, fileVersions, files: cache.count(), commit } satisfies ThreadMessage)
  changedTenants.clear()
}

/** A tenant's turn: its tasks that have no reply yet, and the replies that have not been sent yet. */
type Turn = { tenant: string; tasks: Set<Task>; replies: Reply[] }

async function runTasks(tenant: string, tasks: Task[]): Promise<void> {
  const turn: Turn = { tenant, tasks: new Set(tasks), replies: [] }
  const operation = paused.get(tenant)
  for (const task of tasks)
    if (task !== operation?.task && !claim(claims, task.slot)) answer(turn, task, { refused: true })
  try {
    if (operation) await continueLong(turn, operation)
    else {
      runReopenTasks(turn)
      if (turn.tasks.size > 0) await workOnFile(turn)
    }
    requeue(turn)
    if (lockQueue.lockedSince.size > 0) lockQueue.end(tenant)
  } catch (error) {
    if (error instanceof Locked && lockQueue.hold(tenant, startAgain(turn))) return send(turn.replies)
    lockQueue.end(tenant)
    if (mayBeCorrupt(error)) cache.release(tenant, 'suspect')
    else if (error instanceof ReadOnly) cache.release(tenant, 'reopen')
    const outcome: Outcome =
      error instanceof MigrationRequired ? { needsMigration: true } : { failure: encodeFailure(error) }
    for (const task of turn.tasks) answer(turn, task, outcome)
  }
  send(turn.replies)
}

/** Closes the file if a reader thread has compacted it. The next use opens the file again without checking it for
 *  damage. */
function runReopenTasks(turn: Turn): void {
  for (const task of turn.tasks) {
    if (task.name !== 'reopen') continue
    cache.release(turn.tenant, 'reopen')
    answer(turn, task, { output: null })
  }
}

/** Runs a maintenance step if one is due, and leaves the tasks to the next turn. Otherwise runs the tasks. */
async function workOnFile(turn: Turn): Promise<void> {
  const { tenant, tasks } = turn
  if ([...tasks].some(({ mayBeCorrupt }) => mayBeCorrupt)) cache.release(tenant, 'suspect')
  const file = await cache.acquire(tenant, performance.now())
  if (await runStep(file, product, 'busy', stepSizeFor(pendingCount, file))) return cache.recordChange(file)
  const isSliceOver = startTimeSlice(queue.isEmpty() ? 'alone' : 'others')
  await answerReads(turn, file, isSliceOver)
  const writes = [...tasks].filter((task) => product.operations.get(task.name)?.writes)
  const firstLong = writes.findIndex((task) => product.operations.get(task.name)?.isLong)
  if (firstLong === 0) return continueLong(turn, createLongOperation(file, product, tenant, writes[0]!))
  if (writes.length > 0)
    await commitWrites(turn, file, firstLong === -1 ? writes : writes.slice(0, firstLong), isSliceOver)
}

/** Runs a long operation for one time slice. The tenant's other tasks wait until the operation has ended. */
async function continueLong(turn: Turn, operation: LongOperation): Promise<void> {
  const { tenant, tasks } = turn
  const { task, file } = operation
  send(turn.replies.splice(0))
  paused.delete(tenant)
  const reply = await operation.continue(startTimeSlice('others')) // another tenant's task may arrive at any time
  if (!reply) {
    paused.set(tenant, operation)
    return
  }
  countCommit(file, operation.steps())
  cache.recordChange(file)
  tasks.delete(task)
  turn.replies.push(reply)
}

/** Answers reads, but passes scans on to reader threads if possible: a scan blocks all of this thread's tenants. */
async function answerReads(turn: Turn, { connection }: OpenFile, isSliceOver: () => boolean): Promise<void> {
  for (const task of turn.tasks) {
    const operation = product.operations.get(task.name)
    if (operation?.writes) continue
    if (turn.replies.length > 0 && isSliceOver()) break
    const isForReader = operation?.isScan && !task.isForWriter
    answer(turn, task, isForReader ? { forReader: true } : await runTask(connection, product, task))
  }
}

/** Records the file's new state before replying, because another process may change the file after the reply. */
async function commitWrites(turn: Turn, file: OpenFile, writes: Task[], isSliceOver: () => boolean): Promise<void> {
  send(turn.replies.splice(0)) // reads do not wait for the commit
  const startedAt = performance.now()
  const target = { connection: file.connection, product, tenant: turn.tenant }
  const replies = await runWrites(target, writes, { isSliceOver })
  const commit = { operations: replies.length, milliseconds: performance.now() - startedAt }
  countCommit(file, replies.length)
  cache.recordChange(file)
  for (const write of writes.slice(0, replies.length)) turn.tasks.delete(write)
  send(
    replies.map((reply) => ({ ...reply, milliseconds: commit.milliseconds })),
    commit,
  )
}

function answer(turn: Turn, task: Task, outcome: Outcome): void {
  turn.tasks.delete(task)
  turn.replies.push({ slot: task.slot, ...outcome })
}

/** Queues the tasks that have not started, or not ended, for the tenant's next turn. */
function requeue(turn: Turn): void {
  const pausedTask = paused.get(turn.tenant)?.task
  if (pausedTask) turn.tasks.delete(pausedTask)
  const notStarted = startAgain(turn)
  queue.requeue(turn.tenant, pausedTask ? [pausedTask, ...notStarted] : notStarted)
}

/** Returns the tasks of the turn, which can be rejected as late until they start. */
function startAgain({ tasks }: Turn): Task[] {
  for (const { slot } of tasks) release(claims, slot)
  return [...tasks]
}

function close(): void {
  clearInterval(maintenanceTimer)
  for (const file of cache.files()) cache.close(file)
  port.close()
}
