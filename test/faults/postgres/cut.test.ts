// Cuts connections during a commit. The service then does not know whether the change was committed.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { sendTogether } from '../../support/databases/waiting-changes.ts'
import { type Moment, startProxy, tenantSchemas } from '../../support/servers/tcp-proxy.ts'
import { makeTenant, type Response, startService, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

const direct = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const proxy = await startProxy(direct.DATABASE_URL!, tenantSchemas)
const service = await startService({ ...direct, DATABASE_URL: proxy.url }, { nodes: 1 }) // no other node commits
const client = service.client(await makeTenant(direct, 'acme'))
const { id, all } = await tenantDatabaseOf(direct, 'acme')
await client('GET', '/customers.php')

/** Creates a customer. For each given moment, the proxy cuts the connection of one commit, in the given order. */
async function create(name: string, key: string | null, moments: Moment[]): Promise<Response> {
  proxy.cutAt(...moments)
  const response = await client('POST', '/customers.php', { name }, key === null ? {} : { 'idempotency-key': key })
  assert.equal(proxy.pendingFailures(), 0, 'all cuts have happened')
  return response
}

/** Counts the records and the history rows with this name. */
async function countOf(name: string): Promise<[records: number, changes: number]> {
  const records = await all(`select id from customers where name = '${name}'`)
  const changes = await all(`select seq from changes where after like '%"${name}"%'`)
  return [records.length, changes.length]
}

const before = 'before the commit'
const afterwards = 'after the commit'

for (const moments of [[before], [afterwards]] as Moment[][]) {
  test(`if the connection is cut ${moments}, a change with an Idempotency-Key creates one record, and a retry receives the same response`, async () => {
    const name = `keyed ${moments}`
    const key = randomUUID()
    const response = await create(name, key, moments)
    assert.deepEqual([response.status, response.body.name], [201, name])
    const retry = await client('POST', '/customers.php', { name }, { 'idempotency-key': key })
    assert.deepEqual(
      [retry.status, retry.text, retry.headers.location],
      [201, response.text, response.headers.location],
    )
    assert.equal(retry.headers['idempotent-replayed'], 'true')
    assert.deepEqual(await countOf(name), [1, 1])
  })
}

for (const moments of [
  [before, before],
  [afterwards, before],
  [before, afterwards],
] as Moment[][]) {
  test(`if the connection is cut ${moments[0]} and, on the second attempt, ${moments[1]}, a change with an Idempotency-Key fails with 503, and retries create one record`, async () => {
    const name = `keyed ${moments}`
    const key = randomUUID()
    assertRefused(await create(name, key, moments), 'tenant_unavailable')
    const headers = { 'idempotency-key': key }
    const retries = [
      await client('POST', '/customers.php', { name }, headers),
      await client('POST', '/customers.php', { name }, headers),
    ]
    assert.deepEqual(
      retries.map(({ status, text }) => [status, text]),
      [0, 1].map(() => [201, retries[0]!.text]),
    )
    assert.deepEqual(await countOf(name), [1, 1])
  })
}

for (const [moment, count] of [
  [before, 0],
  [afterwards, 1],
] as const) {
  test(`if the connection is cut ${moment}, a change without an Idempotency-Key fails with 503, and the number of new records is ${count}`, async () => {
    const name = `unkeyed ${moment}`
    assertRefused(await create(name, null, [moment]), 'tenant_unavailable')
    assert.deepEqual(await countOf(name), [count, count])
  })
}

for (const moment of [before, afterwards] as const) {
  test(`if a transaction's connection is cut ${moment}, its changes with an Idempotency-Key are applied once, and those without one fail with 503`, async () => {
    const names = Array.from(
      { length: 3 }, // the second and the third share a transaction, even if the second takes long
      (_, index) => `${index % 2 ? 'keyed' : 'unkeyed'} number ${index} ${moment}`,
    )
    const responses = await sendTogether(
      service.service,
      { url: direct.DATABASE_URL, id },
      names.map((name, index) => {
        const headers: Record<string, string> = index % 2 ? { 'idempotency-key': randomUUID() } : {}
        return () => client('POST', '/customers.php', { name }, headers)
      }),
      () => proxy.cutAt(moment, moment), // once for the first change, once for the changes queued behind it
    )
    assert.equal(proxy.pendingFailures(), 0, 'all cuts have happened')
    for (const [index, response] of responses.entries()) {
      const [records, changes] = await countOf(names[index]!)
      assert.equal(records, changes)
      if (index % 2) assert.deepEqual([response.status, response.body.name, records], [201, names[index], 1])
      else assertRefused(response, 'tenant_unavailable') // the service does not know whether the change was committed
    }
  })
}

for (const moment of [before, afterwards] as const) {
  test(`if the connection is cut ${moment}, an update and a deletion with an Idempotency-Key are each applied once`, async () => {
    const { id } = (await client('POST', '/customers.php', { name: 'Changed' })).body
    const path = `/customers.php?id=${id}`
    proxy.cutAt(moment)
    const put = await client('PUT', path, { city: 'Oslo' }, { 'idempotency-key': randomUUID() })
    assert.deepEqual([put.status, put.body.city], [200, 'Oslo'])
    proxy.cutAt(moment)
    const gone = await client('DELETE', path, undefined, { 'idempotency-key': randomUUID() })
    assert.deepEqual([gone.status, gone.body], [200, { id, deleted: true }])
    assert.equal(proxy.pendingFailures(), 0, 'all cuts have happened')
    const actions = (await all(`select action from changes where record_id = ${id} order by seq`)).map(
      (row) => row.action,
    )
    assert.deepEqual(actions, ['create', 'update', 'delete'])
  })
}

test('the history has no gaps after connections were cut during commits', async () => {
  const rows = await all('select seq from changes order by seq')
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    rows.map((_, index) => index + 1),
  )
})
