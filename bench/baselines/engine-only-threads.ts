// Like engine-only.ts, for many tenants: as many threads as the service has writers, each with the files of its tenants open,
// and every create in its own transaction. Files are neither watched nor maintained. Run with a data directory of the service.

import { globSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { threadIndexFor, writersFor } from '../../src/storage/sqlite/threads/thread.ts'
import { createTask } from './create-task.ts'
import type { Create, Created } from './engine-only-thread.ts'

const paths = globSync(join(process.argv[2]!, 'tenants/*/*.sqlite'))
const tenants = paths.map((path) => basename(path, '.sqlite'))
const count = writersFor(availableParallelism())

/** Each new token gets a tenant that no other token has. */
const known = new Map<string, string>()
const waiting = new Map<number, ServerResponse>()
let lastTaskId = 0

const threads = Array.from({ length: count }, (_, index) => {
  const workerData = paths.filter((path) => threadIndexFor(basename(path, '.sqlite'), count) === index)
  const thread = new Worker(new URL('./engine-only-thread.ts', import.meta.url), { workerData })
  thread.on('message', ({ taskId, body }: Created) => answer(taskId, body))
  return thread
})

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const taskId = ++lastTaskId
    waiting.set(taskId, response)
    create(taskId, request, JSON.parse(Buffer.concat(chunks).toString()))
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`The API is at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit())

function create(taskId: number, request: IncomingMessage, body: object): void {
  const token = request.headers.authorization!
  const tenant = known.get(token) ?? tenants[known.size]!
  known.set(token, tenant)
  const task: Create = createTask(taskId, tenant, request, body)
  threads[threadIndexFor(tenant, count)]!.postMessage(task)
}

function answer(taskId: number, body: string): void {
  const response = waiting.get(taskId)!
  waiting.delete(taskId)
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
