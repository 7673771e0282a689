// A database server or a node that stops responding without closing its connections.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { boundedMs, eventually } from '../../support/eventually.ts'
import { type DatabaseProxy, startProxy, tenantSchemas } from '../../support/servers/tcp-proxy.ts'
import {
  type Client,
  createKey,
  type Environment,
  makeTenant,
  type Response,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

type Installation = { direct: Environment; proxy: DatabaseProxy; client: Client }

/** Starts a node that reaches its database through a proxy. */
async function startBehindProxy(): Promise<Installation> {
  const direct = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const proxy = await startProxy(direct.DATABASE_URL!, tenantSchemas)
  const service = await startService({ ...direct, DATABASE_URL: proxy.url }, { nodes: 1 }) // one node per proxy
  const client = service.client(await makeTenant(direct, 'acme'))
  assert.equal((await client('POST', '/customers.php', { name: 'First' })).status, 201)
  return { direct, proxy, client }
}

async function inBoundedTime<T>(work: Promise<T>): Promise<T> {
  const start = Date.now()
  const result = await work
  assert.ok(Date.now() - start < boundedMs, `answered after ${Date.now() - start} ms`)
  return result
}

const keyed = (key: string) => ({ 'idempotency-key': key })

/** Retries while the response is a 503, as a client does. */
async function untilServed(request: () => Promise<Response>): Promise<Response> {
  const end = Date.now() + boundedMs
  let response = await request()
  while (response.status === 503 && Date.now() < end) {
    assertRefused(response, 'tenant_unavailable')
    await wait(100)
    response = await request()
  }
  return response
}

const [quiet, lost, frozen, late] = (await Promise.all(Array.from({ length: 4 }, startBehindProxy))) as [
  Installation,
  Installation,
  Installation,
  Installation,
]
const other = (await startService(frozen.direct, { nodes: 1 })).client(await createKey(frozen.direct, 'acme'))

/** Counts the records and the history rows. The first record and the first history row are not counted. */
async function countIn(environment: Environment): Promise<[records: number, changes: number]> {
  const { all } = await tenantDatabaseOf(environment, 'acme')
  const count = async (table: string) => (await all(`select count(*) as count from ${table}`))[0].count - 1
  return [await count('customers'), await count('changes')]
}

describe('a database that does not respond', { concurrency: true }, () => {
  test('while a database accepts connections but does not respond, requests fail with 503 in bounded time', async () => {
    const { client, proxy } = quiet
    const list = (await client('GET', '/customers.php')).text
    proxy.stopForwarding()
    const responses = await Promise.all([
      inBoundedTime(client('GET', '/customers.php')),
      inBoundedTime(client('GET', '/nothing.php')),
      inBoundedTime(client('POST', '/customers.php', { name: 'Unheard' })),
      ...Array.from({ length: 20 }, () =>
        inBoundedTime(client('POST', '/customers.php', { name: 'x' }, keyed(randomUUID()))),
      ),
    ])
    for (const answer of responses) assertRefused(answer, 'tenant_unavailable')
    proxy.resumeForwarding()
    assert.equal((await untilServed(() => client('GET', '/customers.php'))).text, list)
    assert.equal((await client('POST', '/customers.php', { name: 'Second' })).status, 201)
    assert.deepEqual(await countIn(quiet.direct), [1, 1])
  })

  test('if a commit gets no response, the request fails with 503 in bounded time, and a retry with the same Idempotency-Key succeeds', async () => {
    const { client, proxy } = lost
    const headers = keyed(randomUUID())
    proxy.holdAt('after the commit')
    const request = () => client('POST', '/customers.php', { name: 'Second' }, headers)
    assertRefused(await inBoundedTime(request()), 'tenant_unavailable')
    assert.equal(proxy.pendingFailures(), 0)
    const retries = [await request(), await request()]
    assert.deepEqual(
      retries.map(({ status, text, headers }) => [status, text, headers['idempotent-replayed']]),
      retries.map(() => [201, retries[0]!.text, 'true']),
    )
    assert.deepEqual(await countIn(lost.direct), [1, 1])
  })

  test('while a node is frozen during a change, changes on other nodes wait and then succeed, even with the same Idempotency-Key', async () => {
    const headers = keyed(randomUUID())
    frozen.proxy.holdAt('before the commit')
    const stuck = inBoundedTime(frozen.client('POST', '/customers.php', { name: 'Second' }, headers))
    await eventually('the commit is held', () => frozen.proxy.pendingFailures() === 0)
    const third = await other('POST', '/customers.php', { name: 'Third' })
    assert.equal(third.status, 201, 'the lock is released before waiting changes time out')
    const created = await inBoundedTime(other('POST', '/customers.php', { name: 'Second' }, headers))
    assert.equal(created.status, 201)
    assertRefused(await stuck, 'tenant_unavailable')
    assert.equal((await frozen.client('POST', '/customers.php', { name: 'Second' }, headers)).text, created.text)
    assert.deepEqual(await countIn(frozen.direct), [2, 2])
  })

  test('a change fails with 503 if its next statement comes so late that the database has ended the transaction', async () => {
    const { client, proxy, direct } = late
    proxy.delay(3000)
    assertRefused(await inBoundedTime(client('POST', '/customers.php', { name: 'Second' })), 'tenant_unavailable')
    proxy.delay(0)
    assert.equal((await client('POST', '/customers.php', { name: 'Third' })).status, 201)
    assert.deepEqual(await countIn(direct), [1, 1])
  })
})
