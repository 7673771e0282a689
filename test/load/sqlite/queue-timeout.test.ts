// An operation that waits too long in a queue is refused and never executed.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { type Client, type Response, startService } from '../../support/service.ts'

const queueTimeoutMs = 500
const { tenant, environment } = await startService({}, { workers: 1, queueTimeoutMs })

/** Returns how many rows this machine counts in the given time when it is idle. With a fixed number of rows, a fast
 *  machine would finish counting before the time limit. */
function rowsIn(milliseconds: number): number {
  const database = new DatabaseSync(':memory:')
  const count =
    database.prepare(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 30000)
    select count(*) from numbers`)
  let fastest = Number.POSITIVE_INFINITY
  for (let round = 0; round < 20; round++) {
    const startedAt = performance.now()
    count.get()
    fastest = Math.min(fastest, performance.now() - startedAt)
  }
  database.close()
  return Math.ceil((30_000 * milliseconds) / fastest)
}

const slowRows = rowsIn(2.5 * queueTimeoutMs)

/** Creates a tenant for which inserting a customer takes more than a second, as on a slow disk. */
async function createSlowTenant(slug: string): Promise<Client> {
  const client = await tenant(slug)
  const tenantDatabase = await tenantDatabaseOf(environment, slug)
  await tenantDatabase.run(`create view slow as with recursive numbers (n) as
      (select 1 union all select n + 1 from numbers where n < ${slowRows}) select n from numbers;
    create trigger slow after insert on customers begin select count(*) from slow; end`)
  await client('GET', '/customers.php') // makes the writer notice the external change
  return client
}

const statuses = (responses: Response[]) => responses.map(({ status }) => status)

test('lists that wait too long in the queue are refused, and running or later lists succeed', async () => {
  const client = await tenant('lists')
  const tenantDatabase = await tenantDatabaseOf(environment, 'lists')
  const createdAt = '2026-01-01T00:00:00.000Z'
  await tenantDatabase.run(`insert into customers (name, notes, created_at, updated_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100000)
    select 'N', 'x' || n, '${createdAt}', '${createdAt}' from numbers`)
  const list = () => client('GET', '/customers.php?sort=-notes&notes[ne]=x')
  await eventually('a reader thread is ready', async () => (await list()).status === 200)
  const responses = await Promise.all(Array.from({ length: 60 }, list))
  const refused = responses.filter(({ status }) => status !== 200)
  assert.ok(refused.length > 0 && refused.length < responses.length, `${refused.length} refused`)
  for (const response of refused) assertRefused(response, 'server_busy')
  await eventually('a list is answered again', async () => (await list()).status === 200)
})

test('a change that waits too long behind another tenant’s change is refused and never applied', async () => {
  const [slow, other] = [await createSlowTenant('slow'), await tenant('behind')]
  await other('POST', '/customers.php', { name: 'First' })
  let isOver = false
  const running = slow('POST', '/customers.php', { name: 'Begun' }).finally(() => {
    isOver = true
  })
  await sleep(50) // the writer is executing this change
  const create = (key: string) => other('POST', '/customers.php', { name: 'Behind' }, { 'idempotency-key': key })
  const keys = Array.from({ length: 20 }, () => randomUUID())
  const refused = await Promise.all(keys.map(create))
  assert.equal(isOver, false, 'the queued changes are refused before the running change ends')
  for (const response of refused) assertRefused(response, 'server_busy')
  assert.equal((await running).status, 201)
  assert.equal((await other('GET', '/customers.php')).body.data.length, 1)
  assert.deepEqual(statuses([await create(keys[0]!), await create(keys[0]!)]), [201, 201])
  assert.equal((await other('GET', '/customers.php')).body.data.length, 2)
})

test('when a writer stalls repeatedly, a queued change is either applied or refused, never both', async () => {
  const [slow, many] = [await createSlowTenant('now-and-then'), await tenant('many')]
  const changes: Promise<Response>[] = []
  const create = () => changes.push(many('POST', '/customers.php', { name: `${changes.length}` }))
  for (let stall = 0; stall < 3; stall++) {
    let isOver = false
    const stalling = slow('POST', '/customers.php', { name: 'x' }).finally(() => {
      isOver = true
    })
    while (!isOver) {
      create() // later changes wait for a shorter time
      await sleep(15)
    }
    assert.equal((await stalling).status, 201)
    for (let index = 0; index < 20; index++) create()
    await Promise.all(changes)
  }
  const responses = await Promise.all(changes)
  const refused = responses.filter(({ status }) => status !== 201)
  for (const response of refused) assertRefused(response, 'server_busy')
  assert.ok(refused.length > 0 && refused.length < responses.length, `${refused.length} refused`)
  const names = (await (await tenantDatabaseOf(environment, 'many')).all('select name from customers')).map(
    ({ name }) => name,
  )
  const created = responses.flatMap(({ status }, index) => (status === 201 ? [`${index}`] : []))
  assert.deepEqual(names.sort(), created.sort())
})
