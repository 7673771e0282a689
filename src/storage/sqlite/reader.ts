// One reader thread: answers what only reads, while a tenant's writer writes. It opens only files that their writer vouches for,
// and only as the writer has left them; whatever else it meets goes back, for the writer to look into.

import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../database.ts'
import { type Connection, connect } from './connection.ts'
import { tenantFile } from './files.ts'
import { type Reply, runTask, startTurn, type Task } from './group-commit.ts'
import { identify } from './identity.ts'
import type { WorkerSettings } from './worker.ts'

/** What a writer says of a file: what it can be told by, and which opening of it the writer is at. */
export type Voucher = { identity: string; opening: string }

/** A task for a reader. */
export type ReadTask = Task & { voucher: Voucher }

type OpenFile = { connection: Connection; inode: string; opening: string; usedAt: number }

/** A file unused for so long is closed. Milliseconds. */
const closeAfter = 10_000

const settings = workerData as WorkerSettings
const port = parentPort!
const files = new Map<string, OpenFile>() // least recently used first
const resting = setInterval(() => rest(performance.now()), 200)

/** Milliseconds. */
const tellEvery = 1

const replies: Reply[] = []
let toldAt = 0
let isWorking = false

port.on('message', async (message: ReadTask[] | 'close') => {
  if (message === 'close') return close()
  if (isWorking) throw new Error('a turn was left before its end: an operation waited for more than its database')
  isWorking = true
  const isOver = startTurn('others')
  toldAt = performance.now()
  for (const [tenant, tasks] of Map.groupBy(message, (task) => task.tenant)) await read(tenant, tasks, isOver)
  isWorking = false
  if (replies.length > 0) tell()
})
port.postMessage({ replies: [] }) // ready

/** What is not begun before the turn is over goes back, to come again when others had theirs. */
async function read(tenant: string, tasks: ReadTask[], isOver: () => boolean): Promise<void> {
  let answered = 0
  try {
    const connection = open(tenant, tasks.at(-1)!.voucher)
    for (const task of tasks) {
      const { ticket } = task
      answer(isOver() ? { ticket, forReader: true } : await runTask(connection, settings.resources, task))
      answered++
    }
  } catch (error) {
    closeFile(tenant)
    const isSuspect = !(error instanceof Unavailable) || error.isSuspect
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

/** Throws Unavailable when the file is not as its writer has left it. */
function open(tenant: string, { identity, opening }: Voucher): Connection {
  const path = tenantFile(settings.directory, tenant)
  if (identify(path)?.identity !== identity) throw new Unavailable('the file is not the one vouched for')
  const known = files.get(tenant)
  if (known?.opening === opening) return touch(tenant, known)
  closeFile(tenant)
  if (files.size >= settings.openFiles) closeFile(files.keys().next().value!)
  const connection = connect(path, 0, 'read')
  const found = identify(path)
  if (found?.identity !== identity) {
    connection.close()
    throw new Unavailable('the file was changed while it was opened')
  }
  return touch(tenant, { connection, inode: found.inode, opening, usedAt: 0 })
}

function touch(tenant: string, file: OpenFile): Connection {
  files.delete(tenant)
  files.set(tenant, file)
  file.usedAt = performance.now()
  return file.connection
}

function closeFile(tenant: string): void {
  const file = files.get(tenant)
  files.delete(tenant)
  try {
    file?.connection.close()
  } catch {
    // a close that fails has nothing left to give back
  }
}

/** Closes what is not used, and what is gone: its space is given back. */
function rest(now: number): void {
  for (const [tenant, file] of files) {
    const isThere = identify(tenantFile(settings.directory, tenant))?.inode === file.inode
    if (!isThere || now - file.usedAt >= closeAfter) closeFile(tenant)
  }
}

function close(): void {
  clearInterval(resting)
  for (const tenant of [...files.keys()]) closeFile(tenant)
  port.close()
}
