// Whose reads a reader thread runs next, and how many in one turn.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { recordOperations } from '../../../src/domain/records/operations.ts'
import { ping } from '../../../src/engine/operation.ts'
import { noSlot } from '../../../src/engine/sqlite/threads/messages.ts'
import { ReadQueue } from '../../../src/engine/sqlite/threads/read-queue.ts'
import { openDatabases } from '../../../src/tenants/databases/open-databases.ts'
import { requireTenant } from '../../../src/tenants/tenants.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { makeTenant, temporaryDirectory } from '../../support/service.ts'

/** Queues one list request per tenant, in the order given. */
function addLists(queue: ReadQueue, ...tenants: string[]): void {
  for (const tenant of tenants) {
    const task = { taskId: 1, slot: noSlot, tenant, name: 'list', input: {} }
    queue.add({ task, operation: recordOperations.list, queuedAt: 0, resolve() {}, reject() {} })
  }
}

/** A queue for three threads in which these tenants' last lists took a second each. */
function queueWithHeavy(...tenants: string[]): ReadQueue {
  const queue = new ReadQueue(3)
  addLists(queue, ...tenants)
  for (const _ of tenants) {
    const turn = queue.startTurn()!
    turn.startedAt -= 1000
    queue.endTurn(turn, [])
  }
  return queue
}

test('one thread stays free of slow lists', () => {
  const queue = queueWithHeavy('a', 'b', 'c')
  addLists(queue, 'a', 'b', 'c', 'quick')
  assert.deepEqual(
    [1, 2, 3].map(() => queue.startTurn()?.tenant),
    ['a', 'b', 'quick'],
  )
  assert.equal(queue.startTurn(), undefined)
})

test('a tenant with slow lists takes its turn while quick lists of other tenants run on the other threads', () => {
  const queue = queueWithHeavy('slow')
  addLists(queue, 'quick-1', 'quick-2', 'slow', 'quick-3')
  assert.deepEqual(
    [1, 2, 3].map(() => queue.startTurn()?.tenant),
    ['quick-1', 'quick-2', 'slow'],
  )
})

test('a read runs in its turn, although opening the file takes longer than a turn', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  for (const slug of ['first', 'second']) await makeTenant(environment, slug)
  const columns = Array.from({ length: 500 }, (_, index) => `column${index}`)
  const tables = Array.from({ length: 300 }, (_, index) => `create table table${index} (${columns});`)
  await (await tenantDatabaseOf(environment, 'first')).run(`begin; ${tables.join('')} commit`)
  const opened = await openDatabases(readConfig(environment), resources, { workers: 1 })
  after(opened.close)
  const engine = opened.startEngine()
  const tenants = await Promise.all(['first', 'second'].map((slug) => requireTenant(opened.catalog, slug)))
  for (const tenant of tenants) await engine.run(tenant, ping, null) // the writer opens the file
  const finished: string[] = []
  const input = { resource: 'customers', timeoutMs: 60_000 }
  await Promise.all(
    tenants.map(async (tenant) => {
      await engine.run(tenant, recordOperations.suggestions, input)
      finished.push(tenant.slug)
    }),
  )
  assert.deepEqual(finished, ['first', 'second'])
})
