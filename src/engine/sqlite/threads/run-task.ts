// Runs tasks on an open file: reads on any of the threads, and a tenant's writes in its writer thread, where queued
// writes share one transaction, and so one fsync.

import { Unavailable } from '../../database/database.ts'
import type { Connection } from '../../database/sqlite/connection.ts'
import { type Pause, runOperation } from '../../operation.ts'
import type { Product } from '../../product.ts'
import { requireOwnedBy } from '../whole-file.ts'
import { encodeFailure, type Reply, type Task } from './messages.ts'

/** A tenant's time slice: `others` if other tenants are waiting, otherwise `alone`. When the slice ends, the thread
 *  finishes the operation in progress and continues with the next tenant. 5 ms is about the duration of a commit, so
 *  each waiting tenant delays the others by little more than a commit. `alone` is longer, but bounded: another tenant's
 *  task may arrive at any time. */
const timeSliceMs = { others: 5, alone: 20 }

/** Starts a time slice. The returned function returns true once the slice has ended. */
export function startTimeSlice(waiting: keyof typeof timeSliceMs): () => boolean {
  const end = performance.now() + timeSliceMs[waiting]
  return () => performance.now() > end
}

/** Runs one operation. Throws Unavailable. Any other error becomes the reply; a change never fails as invalid, because
 *  it stores its problem as its response. */
export async function runTask(
  connection: Connection,
  product: Product,
  task: Task,
  pause: Pause = () => {},
): Promise<Reply> {
  const { slot } = task
  const operation = product.operations.get(task.name)!
  const startedAt = performance.now()
  const finish = (reply: Reply): Reply => ({ ...reply, milliseconds: performance.now() - startedAt })
  try {
    const work = () => runOperation(operation, connection, task.input, { resources: product.resources, pause })
    const output = await (operation.needsSnapshot ? connection.transaction(work, 'read') : work())
    return finish({ slot, output })
  } catch (error) {
    if (error instanceof Unavailable) throw error
    const failure = encodeFailure(error)
    if (failure.kind === 'invalid' && operation.writes) failure.kind = 'bug'
    return finish({ slot, failure })
  }
}

/** Rolls the transaction back, because an operation has failed after some of its writes. */
class OperationFailed extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super()
    this.reply = reply
  }
}

/** An open file and its tenant's id. */
export type WriteTarget = { connection: Connection; product: Product; tenant: string }

/** `isSliceOver`: once it returns true, no further task starts; by default all tasks run. */
export type WriteOptions = { isSliceOver?: () => boolean; pause?: Pause }

/** Runs a tenant's writes in one transaction and commits. Returns the replies to the first tasks. The other tasks have
 *  not run, or must run again. Throws Unavailable if nothing was committed. Only a bug leaves partial writes. After a
 *  bug, everything is rolled back, the tasks before the failed one run again, and the failed one comes first in the
 *  next turn. Savepoints would reduce the throughput of creates by a twentieth. */
export async function runWrites(target: WriteTarget, tasks: Task[], options: WriteOptions = {}): Promise<Reply[]> {
  const { connection, product, tenant } = target
  const { isSliceOver = () => false, pause } = options
  const replies: Reply[] = []
  try {
    await connection.transaction(async () => {
      requireOwnedBy(connection, tenant) // nothing may be written after another process has moved the tenant
      for (const task of tasks) {
        if (replies.length > 0 && isSliceOver()) return
        const reply = await runTask(connection, product, task, pause)
        if ('failure' in reply && reply.failure.kind === 'bug') throw new OperationFailed(reply)
        replies.push(reply)
      }
    })
    return replies
  } catch (error) {
    if (!(error instanceof OperationFailed)) throw error
    if (replies.length === 0) return [error.reply]
    return runWrites(target, tasks.slice(0, replies.length), { isSliceOver })
  }
}
