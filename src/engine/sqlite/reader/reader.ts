// Entry point of a reader thread, which runs reads while the tenant's writer writes. Each task names the file version
// that the writer last announced. If the file on disk differs, the thread returns the task and the writer handles it.
// A reader thread also migrates and compacts files.

import { parentPort, workerData } from 'node:worker_threads'
import { mayBeCorrupt } from '../../database/database.ts'
import { connect } from '../../database/sqlite/connection.ts'
import { loadProduct } from '../../product.ts'
import { tenantFile } from '../tenant-files.ts'
import {
  claim,
  decodeRequest,
  type EncodedRequest,
  encodeFailure,
  type FileWork,
  type Reply,
  type Task,
  type ThreadMessage,
  type ThreadSettings,
} from '../threads/messages.ts'
import { ReadOnlyFiles } from '../threads/read-only-files.ts'
import { runTask, startTimeSlice } from '../threads/run-task.ts'
import { compact, migrate, requireInitialized, requireOwnedBy } from '../whole-file.ts'

const settings = workerData as ThreadSettings
const product = await loadProduct(settings.product)
const port = parentPort!
const files = new ReadOnlyFiles(settings.directory, settings.openFiles)
const maintenanceTimer = setInterval(() => files.closeUnused(performance.now()), 200)

/** Minimum interval between two messages with replies during a turn. Each message wakes the main thread, which responds
 *  while this thread continues. With a millisecond, one of them often waits for the other. */
const replyIntervalMs = 0.5

const replies: Reply[] = []
let repliedAt = 0

port.on('message', async (encoded: EncodedRequest) => {
  const message = decodeRequest(encoded)
  if (message === 'close') return close()
  const isSliceOver = startTimeSlice('others')
  repliedAt = performance.now()
  for (const [tenant, tasks] of Map.groupBy(message.tasks, (task) => task.tenant)) {
    const [first] = tasks as [Task]
    if (product.operations.has(first.name)) await read(tenant, tasks, isSliceOver)
    else replies.push(await workOnFile(first))
    if (isSliceOver()) break
  }
  sendReplies({ isTurnOver: true })
})
sendReplies({ isTurnOver: true }) // the thread is ready

/** Tasks that have not started when the time slice ends get no reply: the main thread queues them for a later turn. The
 *  first task always starts, even if opening the file took longer than the slice: otherwise it would wait for a turn of
 *  every other tenant again. */
async function read(tenant: string, tasks: Task[], isSliceOver: () => boolean): Promise<void> {
  let answered = 0
  try {
    const connection = files.open(tenant, tasks.at(-1)!.fileVersion)
    for (const task of tasks) {
      if (answered > 0 && isSliceOver()) return
      if (replies.length > 0 && performance.now() - repliedAt > replyIntervalMs) sendReplies({})
      const isRefused = !claim(settings.claims, task.slot)
      replies.push(isRefused ? { slot: task.slot, refused: true } : await runTask(connection, product, task))
      answered++
    }
  } catch (error) {
    files.close(tenant)
    for (const { slot } of tasks.slice(answered))
      replies.push({ slot, forWriter: { mayBeCorrupt: mayBeCorrupt(error) } })
  }
}

type ReaderFileWork = Exclude<FileWork, 'reopen'>

const fileWork = { migrate, compact } as const satisfies Record<ReaderFileWork, unknown>

/** Migrates or compacts a file, which takes seconds if the file is large. Closes all open files first, because a file
 *  that is deleted during this time would keep its disk space while it is open. */
async function workOnFile({ slot, tenant, name }: Task): Promise<Reply> {
  files.closeAll()
  try {
    using connection = connect(tenantFile(settings.directory, tenant))
    requireInitialized(connection)
    requireOwnedBy(connection, tenant)
    await fileWork[name as ReaderFileWork](connection, product, { id: tenant, state: 'open' })
    return { slot, output: null }
  } catch (error) {
    return { slot, failure: encodeFailure(error) }
  }
}

function sendReplies(turn: Pick<ThreadMessage, 'isTurnOver'>): void {
  port.postMessage({ replies: replies.splice(0), ...turn } satisfies ThreadMessage)
  repliedAt = performance.now()
}

function close(): void {
  clearInterval(maintenanceTimer)
  files.closeAll()
  port.close()
}
