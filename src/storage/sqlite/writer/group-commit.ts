// Group commit: a tenant's queued operations share one transaction, and so one fsync. Writes are acknowledged after
// it.

import { TooSlow, Unavailable } from '../../../database/database.ts'
import type { Connection } from '../../../database/sqlite/connection.ts'
import type { Resources } from '../../../resources/resource.ts'
import { type OperationName, operations } from '../../operations.ts'
import { requireOwnedBy } from '../migration/migrate.ts'

/** A queued operation. `isReturned`: a reader could not run it, so the writer does, however long it takes.
 *  `claimIndex`: its entry in the claims shared with the main thread. */
export type Task = {
  taskId: number
  claimIndex?: number
  tenant: string
  name: OperationName
  input: unknown
  isReturned?: boolean
  isSuspect?: boolean
}
export type Reply = { taskId: number } & (
  | { output: unknown }
  | { unavailable: string }
  | { tooSlow: string }
  | { bug: string }
  /** The main thread has rejected it while it was queued. */
  | { refused: true }
  /** From a writer: the file must be migrated first, on another thread. */
  | { needsMigration: true }
  /** From a reader: the writer must run this, and check the file if it may be damaged. */
  | { forWriter: { isSuspect: boolean } }
  /** From a writer: the file is open, so a reader may run this. From a reader: the turn ended before this started. */
  | { forReader: true }
)

/** Time slice of a tenant. When it ends, the thread finishes the operation in progress and goes on to the next
 *  tenant. It is longer if no other tenant waits, but bounded, since one may arrive. */
const timeSliceMs = { others: 5, alone: 20 }

/** Starts a time slice; the returned function tells whether it has ended. */
export function startTimeSlice(waiting: keyof typeof timeSliceMs): () => boolean {
  const end = performance.now() + timeSliceMs[waiting]
  return () => performance.now() > end
}

/** Aborts a transaction in which an operation failed halfway, so that its partial writes are not committed with the
 *  others. */
class PartialWriteError extends Error {}

/** Runs a tenant's writes in one transaction and commits. Tasks that have not started when the time slice ends get no
 *  reply. Throws Unavailable if nothing was committed. A rejected request leaves nothing to undo; only a bug does.
 *  Then everything is rolled back and run again with a savepoint per task. Savepoints in every transaction would cost
 *  a twentieth of the throughput of creates. */
export async function runWrites(
  connection: Connection,
  resources: Resources,
  tenant: string,
  tasks: Task[],
  isSliceOver: () => boolean,
): Promise<Reply[]> {
  const work = (run: (task: Task) => Promise<Reply>) =>
    connection.transaction(async () => {
      requireOwnedBy(connection, tenant) // another process may be moving the tenant; once that commits, nothing may be written here
      const replies: Reply[] = []
      for (const task of tasks) {
        if (replies.length > 0 && isSliceOver()) break
        replies.push(await run(task))
      }
      return replies
    })
  try {
    return await work((task) => runWhole(connection, resources, task))
  } catch (error) {
    if (!(error instanceof PartialWriteError)) throw error
    return await work((task) => runInSavepoint(connection, resources, task))
  }
}

async function runWhole(connection: Connection, resources: Resources, task: Task): Promise<Reply> {
  const reply = await runTask(connection, resources, task)
  if ('bug' in reply) throw new PartialWriteError()
  return reply
}

async function runInSavepoint(connection: Connection, resources: Resources, task: Task): Promise<Reply> {
  connection.run('savepoint task')
  const reply = await runTask(connection, resources, task)
  if ('bug' in reply) connection.run('rollback to task')
  connection.run('release task')
  return reply
}

/** Runs one operation. Throws Unavailable; any other error becomes the reply. */
export async function runTask(connection: Connection, resources: Resources, task: Task): Promise<Reply> {
  try {
    const operation = operations[task.name]
    const run = operation.run as (...parts: unknown[]) => Promise<unknown>
    const work = () => run(connection, resources, task.input)
    return {
      taskId: task.taskId,
      output: await ('needsSnapshot' in operation ? connection.transaction(work, 'read') : work()),
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error
    if (error instanceof TooSlow) return { taskId: task.taskId, tooSlow: error.message }
    return { taskId: task.taskId, bug: (error as Error).stack ?? String(error) }
  }
}
