// One reader thread: answers what only reads, while a tenant's writer writes. It opens only files that their writer vouches for,
// and only as the writer has left them; whatever else it meets goes back, for the writer to look into.

import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../../database/database.ts'
import { claim } from '../threads/claims.ts'
import { type Reply, runTask, startTimeSlice, type Task } from '../writer/group-commit.ts'
import type { ThreadRequest, ThreadSettings } from '../writer/worker.ts'
import { type FileVersion, vouchedFiles } from './read-only-files.ts'

/** A task for a reader. */
export type ReadTask = Task & { voucher: FileVersion }

const settings = workerData as ThreadSettings
const port = parentPort!
const files = vouchedFiles(settings.directory, settings.openFiles)
const resting = setInterval(() => files.rest(performance.now()), 200)

/** Milliseconds. */
const tellEvery = 1

const replies: Reply[] = []
let toldAt = 0
let isWorking = false

port.on('message', async (message: ThreadRequest) => {
  if (message === 'close') return close()
  if (isWorking) throw new Error('a turn was left before its end: an operation waited for more than its database')
  isWorking = true
  const isOver = startTimeSlice('others')
  toldAt = performance.now()
  for (const [tenant, tasks] of Map.groupBy(message.tasks as ReadTask[], (task) => task.tenant))
    await read(tenant, tasks, isOver)
  isWorking = false
  if (replies.length > 0) tell()
})
port.postMessage({ replies: [] }) // ready

/** What is not begun before the turn is over goes back, to come again when others had theirs. */
async function read(tenant: string, tasks: ReadTask[], isOver: () => boolean): Promise<void> {
  let answered = 0
  try {
    const connection = files.open(tenant, tasks.at(-1)!.voucher)
    for (const task of tasks) {
      const { ticket } = task
      if (isOver()) answer({ ticket, forReader: true })
      else if (!claim(settings.claims, task.place!)) answer({ ticket, refused: true })
      else answer(await runTask(connection, settings.resources, task))
      answered++
    }
  } catch (error) {
    files.close(tenant)
    const isSuspect = !(error instanceof Unavailable) || error.mayBeCorrupt
    for (const { ticket } of tasks.slice(answered)) answer({ ticket, forWriter: { isSuspect } })
  }
}

/** Tells what is worked out now and then: the main thread sends it on while this one works on. */
function answer(reply: Reply): void {
  replies.push(reply)
  if (performance.now() - toldAt > tellEvery) tell()
}

function tell(): void {
  port.postMessage({ replies: replies.splice(0) })
  toldAt = performance.now()
}

function close(): void {
  clearInterval(resting)
  files.closeAll()
  port.close()
}
