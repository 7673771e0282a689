// A database that takes too long: a lock that is held, a statement that does not end. Who waits is told so in bounded time,
// nothing is half done, nothing goes on at the server, and no other tenant notices.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { defaultQueueTimeoutMs } from '../../../src/storage/in-flight-limit.ts'
import { eventually } from '../../support/eventually.ts'
import { type Client, type Response, startService, temporaryDirectory, withEngineUrl } from '../../support/service.ts'
import { assertRefused } from '../../support/shared-errors.ts'
import { query, tenantDatabaseOf } from '../../support/tenant-database.ts'

/** Longer than this nobody waits: for a turn or a connection, then for a statement. Milliseconds. */
const patience = 14_000

const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const DATABASE_URL = environment.DATABASE_URL!
const service = await startService(environment, { nodes: 1, queueTimeoutMs: defaultQueueTimeoutMs }) // its connections are to be exhausted
const slugs = ['locked', 'sleeping', 'neighbour'] as const
const [locked, sleeping, neighbour] = (await Promise.all(slugs.map((slug) => service.tenant(slug)))) as [
  Client,
  Client,
  Client,
]
for (const client of [locked, sleeping, neighbour]) await client('POST', '/customers.php', { name: 'First' })

/** A session of someone else that holds the tenant's table until it is ended. */
async function lockTable(slug: string): Promise<pg.Client> {
  const { id } = await tenantDatabaseOf(environment, slug)
  const session = new pg.Client(DATABASE_URL)
  await session.connect()
  after(() => session.end())
  await session.query('begin')
  await session.query(`lock table t_${id}.customers in access exclusive mode`)
  return session
}

/** What is at work in the database, apart from who asks. */
async function sessionsAtWork(): Promise<string[]> {
  const sql = `select query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
      and query not like 'lock table %'`
  return (await query(DATABASE_URL, 'public', sql)).map((row) => row.query)
}

async function requireNothingAtWork(): Promise<void> {
  const isIdle = async () => (await sessionsAtWork()).length === 0
  await eventually('no session works for requests that have been answered', isIdle, { everyMs: 100 })
}

/** The answers, each of which came in bounded time. */
async function inTime(requests: Promise<Response>[]): Promise<Response[]> {
  const start = Date.now()
  const answers = await Promise.all(requests)
  assert.ok(Date.now() - start < patience, `answered after ${Date.now() - start} ms`)
  return answers
}

/** Creations, every other with a key. */
function creations(client: Client, count: number): Promise<Response>[] {
  return Array.from({ length: count }, (_, at) =>
    client('POST', '/customers.php', { name: 'Late' }, at % 2 ? { 'idempotency-key': randomUUID() } : {}),
  )
}

/** Serves while others wait, without a wait of its own. */
async function requireServed(client: Client, over: number): Promise<void> {
  const end = Date.now() + over
  for (let turn = 0; Date.now() < end; turn++) {
    const start = Date.now()
    const answer = await client('POST', '/customers.php', { name: `Served ${turn}` })
    assert.equal(answer.status, 201)
    assert.ok(Date.now() - start < 1500, `served after ${Date.now() - start} ms`)
    await wait(100)
  }
}

test('a locked table and an endless insert cause 503 in bounded time and do not slow down other tenants', async () => {
  const holder = await lockTable('locked')
  const tenantDatabase = await tenantDatabaseOf(environment, 'sleeping')
  await tenantDatabase.run(`create function sleep() returns trigger language plpgsql as
    'begin perform pg_sleep(60); return new; end'`)
  await tenantDatabase.run('create trigger sleep after insert on customers for each row execute function sleep()')
  const [crowd, slow] = await Promise.all([
    inTime([...creations(locked, 60), locked('GET', '/customers.php?id=1')]),
    inTime(creations(sleeping, 2)),
    requireServed(neighbour, 9000),
  ])
  for (const answer of [...crowd, ...slow]) assertRefused(answer, 'tenant_unavailable')
  await requireNothingAtWork()

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
