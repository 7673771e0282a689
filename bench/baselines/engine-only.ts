// Runs the minimal server with the service's storage operations, in one process. For a create request, this program
// writes everything that the service writes: the record with an index for every sort order, its history row, the stored
// response for an Idempotency-Key, and the search index. Nothing is checked, limited, counted or logged.
// Run as `node bench/baselines/engine-only.ts DIRECTORY`.

import type { ServerResponse } from 'node:http'
import { resources } from '../../src/domain/declarations/all.ts'
import { customers } from '../../src/domain/declarations/customers.ts'
import { byId } from '../../src/domain/declarations/resource.ts'
import { productOf } from '../../src/domain/product.ts'
import { hasDeferredIndexes } from '../../src/domain/schema/derived.ts'
import { indexPending } from '../../src/domain/search/index.ts'
import { connect } from '../../src/engine/database/sqlite/connection.ts'
import { TenantFiles, tenantFile } from '../../src/engine/sqlite/tenant-files.ts'
import { noSlot, type Reply, type Task } from '../../src/engine/sqlite/threads/messages.ts'
import { runTask, runWrites } from '../../src/engine/sqlite/threads/run-task.ts'
import { createTask } from './create-task.ts'
import { answer, serve } from './serve.ts'

type Write = { task: Task; response: ServerResponse }

/** The search index is updated each time this many records have been created. The service also indexes at most 500
 *  records at once. */
const recordsPerIndexing = 500

const [tenant, directory] = ['bareenginebareengine', process.argv[2]!]
const product = productOf(resources)
await new TenantFiles(directory, product).create({ id: tenant, server: '' })
const connection = connect(tenantFile(directory, tenant))
const firstPage = {
  limit: 50,
  sort: { field: 'id', isDescending: false },
  after: null,
  conditions: [],
  words: [],
  includes: {},
  withTotal: false,
  asOf: null,
  timeoutMs: 10_000,
}

let lastTaskId = 0
let waiting: Write[] = []
let unindexedCount = 0

serve(async (request, response, body) => {
  if (request.method === 'GET') return answer(response, 200, await read(request.url!))
  if (request.url!.endsWith('/bulk.php')) return answer(response, 200, await commitBulk(JSON.parse(body)))
  const task = createTask(++lastTaskId, tenant, request, JSON.parse(body))
  if (waiting.push({ task, response }) === 1) setImmediate(commit)
})

async function read(url: string): Promise<string> {
  const [, name, value] = /\?(\w+)=(\d+)$/.exec(url)!
  const find = { name: 'find', input: { resource: 'customers', key: byId(Number(value)) } } as const
  const list = { name: 'list', input: { resource: 'customers', query: firstPage } } as const
  const task = { taskId: ++lastTaskId, slot: noSlot, tenant, ...(name === 'id' ? find : list) }
  const reply = await runTask(connection, product, task)
  if (!('output' in reply)) throw new Error(JSON.stringify(reply))
  const output = reply.output as { body: string } | { data: string }
  return 'body' in output ? output.body : `{"data":[${output.data}],"page":{"limit":50,"has_more":true}}`
}

/** Runs a bulk request's creates in a single transaction. Returns their results as the response body. */
async function commitBulk({ operations }: { operations: { body: object }[] }): Promise<string> {
  const tasks = operations.map(({ body }) => createTask(++lastTaskId, tenant, { headers: {} }, body))
  const replies = await runWrites({ connection, product, tenant }, tasks)
  await indexWhenDue(replies.length)
  return `{"results":[${replies.map(bodyOf).join(',')}]}`
}

function bodyOf(reply: Reply): string {
  if (!('output' in reply)) throw new Error(JSON.stringify(reply))
  return (reply.output as { body: string }).body
}

async function commit(): Promise<void> {
  const writes = waiting
  waiting = []
  const tasks = writes.map(({ task }) => task)
  const replies = await runWrites({ connection, product, tenant }, tasks)
  for (const [index, reply] of replies.entries()) {
    answer(writes[index]!.response, 201, bodyOf(reply))
  }
  await indexWhenDue(writes.length)
}

async function indexWhenDue(newRecords: number): Promise<void> {
  unindexedCount += newRecords
  if (unindexedCount < recordsPerIndexing) return
  unindexedCount = 0
  if (!(await hasDeferredIndexes(connection, customers))) return
  await connection.transaction(() => indexPending(connection, customers))
}
