// A slow database: a table is locked, or a statement never finishes. Requests fail in bounded time and change nothing,
// their statements are cancelled, and other tenants are not affected.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { defaultQueueTimeoutMs } from '../../../src/engine/engine.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { skipWithoutTriggers } from '../../support/databases/distributed.ts'
import { query, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { boundedMs, eventually } from '../../support/eventually.ts'
import { type Client, type Response, startService, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

/** How long an insert takes unless the service cancels it. */
const endlessSeconds = 60

const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const DATABASE_URL = environment.DATABASE_URL!
// A single node, so that the test can exhaust its connections.
const service = await startService(environment, { nodes: 1, queueTimeoutMs: defaultQueueTimeoutMs })
const slugs = ['locked', 'sleeping', 'neighbour'] as const
const [locked, sleeping, neighbour] = (await Promise.all(slugs.map((slug) => service.tenant(slug)))) as [
  Client,
  Client,
  Client,
]
for (const client of [locked, sleeping, neighbour]) await client('POST', '/customers.php', { name: 'First' })

/** Locks the tenant's table from another session until that session ends. */
async function lockTable(slug: string): Promise<pg.Client> {
  const { id } = await tenantDatabaseOf(environment, slug)
  const session = new pg.Client(DATABASE_URL)
  await session.connect()
  after(() => session.end())
  await session.query('begin')
  await session.query(`lock table t_${id}.customers in access exclusive mode`)
  return session
}

/** The queries that other sessions are running in this database, except the statement with which the test locks a table. */
async function runningQueries(): Promise<string[]> {
  const sql = `select query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
      and query not like 'lock table %'`
  return (await query(DATABASE_URL, 'public', sql)).map((row) => row.query)
}

async function requireNoRunningQuery(): Promise<void> {
  const isIdle = async () => (await runningQueries()).length === 0
  await eventually('no session is still running a query from a finished request', isIdle, { everyMs: 100 })
}

/** Returns the responses, and asserts that they arrive in bounded time. */
async function inBoundedTime(requests: Promise<Response>[]): Promise<Response[]> {
  const start = Date.now()
  const responses = await Promise.all(requests)
  assert.ok(Date.now() - start < boundedMs, `answered after ${Date.now() - start} ms`)
  return responses
}

/** Sends requests that create customers, every second one with an Idempotency-Key. */
function sendCreates(client: Client, count: number): Promise<Response>[] {
  return Array.from({ length: count }, (_, index) =>
    client('POST', '/customers.php', { name: 'Late' }, index % 2 ? { 'idempotency-key': randomUUID() } : {}),
  )
}

/** Sends a tenant's changes one after another until `others` settles. Returns how many changes were served. */
async function countServedDuring(others: Promise<unknown>, client: Client): Promise<number> {
  let isOver = false
  const over = others.finally(() => {
    isOver = true
  })
  let served = 0
  for (; !isOver; served++) {
    assert.equal((await client('POST', '/customers.php', { name: `Served ${served}` })).status, 201)
    await wait(50)
  }
  await over
  return served
}

test('requests that wait for a locked table or an endless insert fail with 503 in bounded time and do not delay other tenants', {
  skip: await skipWithoutTriggers(environment),
}, async () => {
  const holder = await lockTable('locked')
  const tenantDatabase = await tenantDatabaseOf(environment, 'sleeping')
  await tenantDatabase.run(`create function sleep() returns trigger language plpgsql as
    'begin perform pg_sleep(${endlessSeconds}); return new; end'`)
  await tenantDatabase.run('create trigger sleep after insert on customers for each row execute function sleep()')
  const waiting = Promise.all([
    inBoundedTime([...sendCreates(locked, 60), locked('GET', '/customers.php?id=1')]),
    inBoundedTime(sendCreates(sleeping, 2)),
  ])
  const served = await countServedDuring(waiting, neighbour)
  assert.ok(served >= 10, `${served} changes by the other tenant`) // would be 3 if each change waited for a lock
  for (const response of (await waiting).flat()) assertRefused(response, 'tenant_unavailable')
  await requireNoRunningQuery()

  await holder.query('rollback')
  await tenantDatabase.run('drop trigger sleep on customers')
  for (const [client, slug] of [
    [locked, 'locked'],
    [sleeping, 'sleeping'],
  ] as const) {
    assert.equal((await client('POST', '/customers.php', { name: 'After' })).status, 201)
    const names = (await client('GET', '/customers.php')).body.data.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['First', 'After'])
    const { all } = await tenantDatabaseOf(environment, slug)
    assert.deepEqual(await all('select seq from changes order by seq'), [{ seq: 1 }, { seq: 2 }])
    assert.deepEqual(await all('select key from stored_responses'), [])
  }
})
