// Runs in the worker threads of engine-only-threads.ts: executes create requests one at a time, each in its tenant's
// file.

import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { resources } from '../../src/domain/declarations/all.ts'
import { productOf } from '../../src/domain/product.ts'
import { connect } from '../../src/engine/database/sqlite/connection.ts'
import type { Task } from '../../src/engine/sqlite/threads/messages.ts'
import { runWrites } from '../../src/engine/sqlite/threads/run-task.ts'

export type Create = Task
export type Created = { taskId: number; body: string }

const product = productOf(resources)
const files = new Map((workerData as string[]).map((path) => [basename(path, '.sqlite'), connect(path)]))
let queue = Promise.resolve()

parentPort!.on('message', (create: Create) => {
  queue = queue.then(() => commit(create))
})

async function commit(create: Create): Promise<void> {
  const file = files.get(create.tenant)!
  const [reply] = await runWrites({ connection: file, product, tenant: create.tenant }, [create])
  if (!reply || !('output' in reply)) throw new Error(JSON.stringify(reply))
  const { body } = reply.output as { body: string }
  parentPort!.postMessage({ taskId: create.taskId, body } satisfies Created)
}
