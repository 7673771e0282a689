// Group commit: a tenant's queued operations share one transaction, and so one fsync. The operations are acknowledged
// after the commit.

import type { Connection } from '../../database/sqlite/connection.ts'
import type { Pause } from '../../operation.ts'
import type { Product } from '../../product.ts'
import { requireOwnedBy } from '../migrate.ts'
import type { Reply, Task } from '../threads/messages.ts'
import { runTask } from '../threads/run-task.ts'

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
