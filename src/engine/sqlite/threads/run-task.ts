// Runs one task on an open file, on any of the threads.

import type { Resources } from '../../../domain/declarations/resource.ts'
import { type Input, type OperationName, operations, runOperation } from '../../../domain/product.ts'
import { Unavailable } from '../../database/database.ts'
import type { Connection } from '../../database/sqlite/connection.ts'
import type { Operation, Pause } from '../../operation.ts'
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
export function operationOf({ name }: Task): Operation<never, unknown> | undefined {
  return operations[name as OperationName]
}

/** Runs one operation. Throws Unavailable. Any other error becomes the reply; a change never fails as invalid, because
 *  it stores its problem as its response. */
export async function runTask(
  connection: Connection,
  resources: Resources,
  task: Task,
  pause: Pause = withoutPause,
): Promise<Reply> {
  const { slot } = task
  const operation = operationOf(task)!
  const startedAt = performance.now()
  const finish = (reply: Reply): Reply => ({ ...reply, milliseconds: performance.now() - startedAt })
  try {
    const name = task.name as OperationName
    const work = () =>
      runOperation({ database: connection, resources, pause }, name, task.input as Input<OperationName>)
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
