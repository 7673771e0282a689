// Group commit: a tenant's waiting operations share one transaction, and so one fsync. Nothing is answered before it.

import { TooSlow, Unavailable } from '../../../database/database.ts'
import type { Connection } from '../../../database/sqlite/connection.ts'
import type { Resources } from '../../../resources/resource.ts'
import { type OperationName, operations } from '../../operations.ts'
import { requireOwnedBy } from '../migration/migrate.ts'

/** An operation that waits for its turn, and what became of it. `isReturned`: a reader could not answer it, so the writer does,
 *  however long it takes. `place`: in the claims that its thread shares with the main thread. */
export type Task = {
  ticket: number
  place?: number
  tenant: string
  name: OperationName
  input: unknown
  isReturned?: boolean
  isSuspect?: boolean
}
export type Reply = { ticket: number } & (
  | { output: unknown }
  | { unavailable: string }
  | { tooSlow: string }
  | { bug: string }
  /** The main thread has refused it while it was queued. */
  | { refused: true }
  /** Of a writer: the file has to be migrated first, elsewhere. */
  | { behind: true }
  /** Of a reader: the tenant's writer has to answer this, and to look through the file if it may be damaged. */
  | { forWriter: { isSuspect: boolean } }
  /** Of a writer: the file is open, a reader may answer this. Of a reader: others have their turn first. */
  | { forReader: true }
)

/** A thread that has worked so long for one tenant goes on to the next after the operation in hand; where no other waits, one
 *  might come. Milliseconds. */
const turn = { others: 5, alone: 20 }

/** Whether a turn that began now is over. */
export function startTimeSlice(waiting: keyof typeof turn): () => boolean {
  const end = performance.now() + turn[waiting]
  return () => performance.now() > end
}

/** Ends a transaction in which an operation failed half-way: what it did until then must not be committed with the others. */
class PartialWriteError extends Error {}

/** Runs changes of a tenant in one transaction and commits; those that come after the turn is over are not begun, and get no
 *  reply. Throws Unavailable: then none was done. A refusal leaves nothing to undo, and only a bug does: then all are undone
 *  and run again, each in a savepoint. Savepoints in every transaction would cost a twentieth of all creates. */
export async function runWrites(
  connection: Connection,
  resources: Resources,
  tenant: string,
  tasks: Task[],
  isOver: () => boolean,
): Promise<Reply[]> {
  const work = (run: (task: Task) => Promise<Reply>) =>
    connection.transaction(async () => {
      requireOwnedBy(connection, tenant) // another process may be moving the tenant: from its commit on nothing is written here
      const replies: Reply[] = []
      for (const task of tasks) {
        if (replies.length > 0 && isOver()) break
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

/** Runs one operation. Throws Unavailable; what else goes wrong is its reply. */
export async function runTask(connection: Connection, resources: Resources, task: Task): Promise<Reply> {
  try {
    const operation = operations[task.name]
    const run = operation.run as (...parts: unknown[]) => Promise<unknown>
    const work = () => run(connection, resources, task.input)
    return {
      ticket: task.ticket,
      output: await ('needsSnapshot' in operation ? connection.transaction(work, 'read') : work()),
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error
    if (error instanceof TooSlow) return { ticket: task.ticket, tooSlow: error.message }
    return { ticket: task.ticket, bug: (error as Error).stack ?? String(error) }
  }
}
