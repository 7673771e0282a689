// A change that takes longer than a time slice, such as a bulk request. It pauses in the middle of its transaction, the thread
// serves other tenants, and it continues in its tenant's next turn.

import { type Awaitable, Unavailable } from '../../../database/database.ts'
import { fileStamp } from '../../../database/sqlite/file-stamp.ts'
import type { Resources } from '../../../resources/resource.ts'
import type { Reply, Task } from '../threads/messages.ts'
import { runWrites } from './group-commit.ts'
import type { OpenFile } from './open-file.ts'

export type LongOperation = {
  readonly task: Task
  readonly file: OpenFile
  /** How many steps it has done, which is about the number of records it has changed. */
  steps(): number
  /** Runs it until it ends, or until it pauses because the time slice is over; then there is no reply yet. Throws Unavailable
   *  if nothing was committed. */
  continue(isSliceOver: () => boolean): Promise<Reply | undefined>
}

/** The operation runs, in a transaction of its own, when it is continued for the first time. */
export function startLongOperation(file: OpenFile, resources: Resources, tenant: string, task: Task): LongOperation {
  let ended: Promise<Reply>
  let isSliceOver: () => boolean
  let onPause: () => void
  let resume = () => {
    ended = run()
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
      const [reply] = await runWrites(file.connection, resources, tenant, [task], () => false, pause)
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
      return Promise.race([ended, paused])
    },
  }
}

/** The file may have been replaced while other tenants were served. Throws Unavailable. */
function requireSameFile({ path, inode }: OpenFile): void {
  if (fileStamp(path)?.inode !== inode)
    throw new Unavailable('the file was removed or replaced during a long operation')
}
