// Does the same as engine-only.ts, but for many tenants, and with as many threads as the service has writers. Each
// thread keeps its tenants' files open and runs each create request in a separate transaction. Unlike the service, this
// program does not maintain files or check whether a file was replaced. The argument is the path to a data directory
// that the service has created.

import { globSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { threadIndexFor } from '../../src/engine/sqlite/threads/pools.ts'
import { writersFor } from '../../src/engine/sqlite/threads/thread.ts'
import { createTask } from './create-task.ts'
import type { Create, Created } from './engine-only-thread.ts'
import { answer, serve } from './serve.ts'

const paths = globSync(join(process.argv[2]!, 'tenants/*/*.sqlite'))
const tenants = paths.map((path) => basename(path, '.sqlite'))
const threadCount = writersFor(availableParallelism())

/** Each new token is assigned to the next tenant. */
const tenantByToken = new Map<string, string>()
const pendingResponses = new Map<number, ServerResponse>()
let lastTaskId = 0

const threads = Array.from({ length: threadCount }, (_, index) => {
  const workerData = paths.filter((path) => threadIndexFor(basename(path, '.sqlite'), threadCount) === index)
  const thread = new Worker(new URL('./engine-only-thread.ts', import.meta.url), { workerData })
  thread.on('message', ({ taskId, body }: Created) => finish(taskId, body))
  return thread
})

serve((request, response, body) => {
  const taskId = ++lastTaskId
  pendingResponses.set(taskId, response)
  create(taskId, request, JSON.parse(body))
})

function create(taskId: number, request: IncomingMessage, body: object): void {
  const token = request.headers.authorization!
  const tenant = tenantByToken.get(token) ?? tenants[tenantByToken.size]!
  tenantByToken.set(token, tenant)
  const task: Create = createTask(taskId, tenant, request, body)
  threads[threadIndexFor(tenant, threadCount)]!.postMessage(task)
}

function finish(taskId: number, body: string): void {
  answer(pendingResponses.get(taskId)!, 201, body)
  pendingResponses.delete(taskId)
}
