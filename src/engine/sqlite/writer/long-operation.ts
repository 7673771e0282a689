// Runs a change that takes longer than a time slice, such as a bulk request. The change pauses in the middle of its
// transaction while the thread serves other tenants, and continues in its tenant's next turn.

import { type Awaitable, Unavailable } from '../../database/database.ts'
import { fileStamp } from '../../database/sqlite/files.ts'
import type { Product } from '../../product.ts'
import type { Reply, Task } from '../threads/messages.ts'
import { runWrites } from '../threads/run-task.ts'
import type { OpenFile } from './open-file.ts'

export type LongOperation = {
  readonly task: Task
  readonly file: OpenFile
  /** Returns how many steps the operation has done so far, which is about the number of records changed. */
  steps(): number
  /** Runs the operation until it ends or the time slice is over. Returns the reply, or undefined if the operation has
   *  paused. Throws Unavailable if it failed without a commit. */
  continue(isSliceOver: () => boolean): Promise<Reply | undefined>
}

/** The operation starts when `continue` is first called. No other operation shares its transaction. */
export function createLongOperation(file: OpenFile, product: Product, tenant: string, task: Task): LongOperation {
  let result: Promise<Reply>
  let isSliceOver: () => boolean
  let onPause: () => void
  let resume = () => {
    result = run()
  }
  let stepsDone = 0

  function pause(): Awaitable<void> {
    stepsDone++
    if (!isSliceOver()) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    resume = resolve
    onPause()
    return promise.then(() => requireSameFile(file))
  }

  async function run(): Promise<Reply> {
    file.isInTransaction = true
    try {
      const [reply] = await runWrites({ connection: file.connection, product, tenant }, [task], { pause })
      return reply!
    } finally {
      file.isInTransaction = false
    }
  }

  return {
    task,
    file,
    steps: () => stepsDone,
    continue(sliceOver) {
      isSliceOver = sliceOver
      const paused = new Promise<undefined>((resolve) => {
        onPause = () => resolve(undefined)
      })
      resume()
      return Promise.race([result, paused])
    },
  }
}

/** Throws Unavailable if the file was removed or replaced while other tenants were served. */
function requireSameFile({ path, inode }: OpenFile): void {
  if (fileStamp(path)?.inode !== inode)
    throw new Unavailable('the file was removed or replaced during a long operation')
}
