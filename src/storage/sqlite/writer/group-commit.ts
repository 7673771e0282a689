// Group commit: a tenant's queued operations share one transaction, and so one fsync. Writes are acknowledged after
// it.

import type { Connection } from '../../../database/sqlite/connection.ts'
import type { Resources } from '../../../resources/resource.ts'
import { requireOwnedBy } from '../migrate.ts'
import type { Reply, Task } from '../threads/messages.ts'
import { runTask } from '../threads/run-task.ts'

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
