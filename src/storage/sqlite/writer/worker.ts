// Entry point of a writer thread, the only writer of its tenants' files. Tenants take turns. Each turn is limited in
// operations and in time, and new messages are received between turns.

import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../../database/database.ts'
import { ReadOnly } from '../../../database/sqlite/errors.ts'
import { createFairQueue } from '../../../lib/fair-queue.ts'
import { claim, release } from '../threads/claims.ts'
import type { FileVersion, Reply, Task, ThreadMessage, ThreadRequest, ThreadSettings } from '../threads/messages.ts'
import { isScan, isWrite, runTask, startTimeSlice } from '../threads/run-task.ts'
import { openFiles } from './file-cache.ts'
import { runWrites } from './group-commit.ts'
import { createMaintenance } from './idle-maintenance.ts'
import { MigrationRequired } from './open-file.ts'

const settings = workerData as ThreadSettings
const port = parentPort!
const changedTenants = new Set<string>()
const files = openFiles(settings.directory, settings.resources, settings.openFiles, (id) => changedTenants.add(id))
const runMaintenanceStep = createMaintenance(files, settings.resources, settings.openFiles)
const queue = createFairQueue<Task>()
const maintenanceTimer = setInterval(planMaintenance, 100)

/** Limits on how many operations of a tenant share a commit. Between them it is half of what is pending, so that the
 *  main thread has the other half to answer and refill meanwhile. */
const batchSize = { min: 8, max: 64 }

/** After this idle time the thread runs maintenance steps back to back; under load, one step per interval. */
const idleAfterMs = 50
const maintenanceIntervalMs = 20

let pendingCount = 0 // when the last message arrived
let isWorking = false
let isPlanned = false
let isClosing = false
let isMaintenanceDue = false
let maintainedAt = 0
let workedAt = 0

port.on('message', (message: ThreadRequest) => {
  if (isWorking) throw new Error('a turn was left before its end: an operation waited for more than its database')
  if (message === 'close') isClosing = true
  else {
    for (const task of message.tasks) queue.add(task.tenant, task)
    pendingCount = message.unanswered
  }
  plan()
})

function planMaintenance(): void {
  isMaintenanceDue = true
  plan()
}

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
    send(await work(next.tenant, next.items))
    workedAt = performance.now()
  }
  if (mayMaintain()) await maintain()
  isWorking = isPlanned = false
  if (!queue.isEmpty() || mayMaintain()) plan()
  else if (isClosing) close()
}

/** If not, the next tick asks again: due work stays due. */
function mayMaintain(): boolean {
  const now = performance.now()
  return isMaintenanceDue && (isIdle(now) || now - maintainedAt > maintenanceIntervalMs)
}

function isIdle(now: number): boolean {
  return now - workedAt > idleAfterMs
}

async function maintain(): Promise<void> {
  const now = performance.now()
  isMaintenanceDue = !isClosing && (await runMaintenanceStep(now, isIdle(now) ? 'idle' : 'busy'))
  maintainedAt = performance.now()
  if (changedTenants.size > 0) send([])
}

/** Sends file versions together with the replies, so that a read after an acknowledged write sees the file in the
 *  version of that write. */
function send(replies: Reply[], commit?: ThreadMessage['commit']): void {
  if (replies.length + changedTenants.size === 0) return
  const fileVersions = [...changedTenants].map((id): [string, FileVersion | null] => [id, files.fileVersion(id)])
  port.postMessage({ replies, fileVersions, files: files.count(), commit } satisfies ThreadMessage)
  changedTenants.clear()
}

async function work(tenant: string, taken: Task[]): Promise<Reply[]> {
  const { tasks = [], refused = [] } = Object.groupBy(taken, ({ claimIndex }) =>
    claim(settings.claims, claimIndex!) ? 'tasks' : 'refused',
  )
  const replies = refused.map(({ taskId }): Reply => ({ taskId, refused: true }))
  if (tasks.length === 0) return replies
  const unanswered = new Set(tasks)
  try {
    if (tasks.some(({ mayBeCorrupt }) => mayBeCorrupt)) files.quarantine(tenant)
    const file = await files.open(tenant, performance.now())
    if (await files.catchUp(tenant, file)) {
      requeue(tenant, tasks) // this turn is over; other tenants come next
      return replies
    }
    const isSliceOver = startTimeSlice(queue.isEmpty() ? 'alone' : 'others')
    for (const task of tasks) {
      if (isWrite(task)) continue
      if (replies.length > 0 && isSliceOver()) break
      const run = () => runTask(file.connection, settings.resources, task)
      replies.push(isScan(task) && !task.isForWriter ? { taskId: task.taskId, forReader: true } : await run())
      unanswered.delete(task)
    }
    const writes = tasks.filter(isWrite)
    if (writes.length > 0) {
      send(replies.splice(0)) // reads do not wait for the commit
      const begun = performance.now()
      const written = await runWrites(file.connection, settings.resources, tenant, writes, isSliceOver)
      const commit = { operations: written.length, milliseconds: performance.now() - begun }
      files.afterCommit(tenant, file, written.length) // before the reply: once a client has it, others may change the file
      for (const write of writes.slice(0, written.length)) unanswered.delete(write)
      send(written, commit)
    }
    files.endTurn(file)
    requeue(tenant, [...unanswered])
    return replies
  } catch (error) {
    if (error instanceof MigrationRequired)
      return [...replies, ...tasks.map(({ taskId }) => ({ taskId, needsMigration: true as const }))]
    if (!(error instanceof Unavailable) || error.mayBeCorrupt) files.quarantine(tenant)
    else if (error instanceof ReadOnly) files.close(tenant)
    const outcome =
      error instanceof Unavailable ? { unavailable: error.message } : { bug: (error as Error).stack ?? '' }
    return [...replies, ...[...unanswered].map(({ taskId }) => ({ taskId, ...outcome }))]
  }
}

function requeue(tenant: string, tasks: Task[]): void {
  for (const { claimIndex } of tasks) release(settings.claims, claimIndex!)
  queue.requeue(tenant, tasks)
}

function close(): void {
  clearInterval(maintenanceTimer)
  files.closeAll()
  port.close()
}
