// Requests that wait behind slow bulk requests of the same tenant.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { skipWithoutTriggers } from '../../support/databases/distributed.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { startService, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

const queueTimeoutMs = 2000
const updateMs = 400 // much longer than the rest of an operation, even on a slow machine

const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const service = await startService(environment, { nodes: 1, queueTimeoutMs })
const client = await service.tenant('acme')
await client('POST', '/customers.php', { name: 'x' })
const tenantDatabase = await tenantDatabaseOf(environment, 'acme')
const skip = await skipWithoutTriggers(environment)
if (!skip)
  await tenantDatabase.run(`
  create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(${updateMs / 1000}); return new; end';
  create trigger slow before update on customers for each row execute function slow()`)

/** An update to the same value would write nothing. */
const update = (index: number) => ({ method: 'PUT', resource: 'customers', id: 1, body: { name: `x${index}` } })

function bulk(count: number, key: string = randomUUID()) {
  return client(
    'POST',
    '/bulk.php',
    { operations: Array.from({ length: count }, (_, index) => update(index)) },
    { 'idempotency-key': key },
  )
}

const sleeping = `select 1 as found from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`

/** Starts a bulk request, and waits until it blocks other changes. */
async function startBulk(count: number, key?: string) {
  const response = bulk(count, key)
  await eventually(
    'the transaction of the bulk request is open',
    async () => (await tenantDatabase.all(sleeping)).length > 0,
  )
  return { response }
}

test('a change and a retry of a bulk request both wait for the bulk request, even beyond the queue timeout', {
  skip,
}, async () => {
  const key = randomUUID()
  const first = await startBulk((1.2 * queueTimeoutMs) / updateMs, key)
  const [again, change] = await Promise.all([
    bulk(1, key), // receives the first response, although this request has another body
    client('POST', '/customers.php', { name: 'x' }),
  ])
  assert.equal((await first.response).status, 200)
  assert.equal(again.text, (await first.response).text)
  assert.equal(change.status, 201)
})

test('a change that has waited too long for a bulk request is refused as server_busy, not as an outage', {
  skip,
}, async () => {
  const long = await startBulk((6 * queueTimeoutMs) / updateMs)
  assertRefused(await client('POST', '/customers.php', { name: 'x' }), 'server_busy')
  assert.equal((await long.response).status, 200)
})
