// Runs one task on an open file, on any of the threads.

import { Unavailable } from '../../database/database.ts'
import type { Connection } from '../../database/sqlite/connection.ts'
import { type AnyOperation, type Pause, runOperation } from '../../operation.ts'
import type { Product } from '../../product.ts'
import { encodeFailure } from './failures.ts'
import type { Reply, Task } from './messages.ts'

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

/** Returns undefined if the task is work on the whole file, not an operation. */
export function operationOf({ operations }: Product, { name }: { name: string }): AnyOperation | undefined {
  return operations.get(name)
}

/** Runs one operation. Throws Unavailable. Any other error becomes the reply; a change never fails as invalid, because
 *  it stores its problem as its response. */
export async function runTask(
  connection: Connection,
  product: Product,
  task: Task,
  pause: Pause = withoutPause,
): Promise<Reply> {
  const { slot } = task
  const operation = operationOf(product, task)!
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

function withoutPause(): void {}
