// Counts the round trips to PostgreSQL per request. On a network, they determine how long a request takes.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startProxy } from '../../support/servers/tcp-proxy.ts'
import { makeTenant, type Response, startService, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

const direct = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const proxy = await startProxy(direct.DATABASE_URL!)
const service = await startService({ ...direct, DATABASE_URL: proxy.url }, { nodes: 1 })
const client = service.client(await makeTenant(direct, 'acme'))
const customer_id = (await client('POST', '/customers.php', { name: 'C', external_id: 'c' })).body.id
const employee_id = (await client('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body.id

/** Every request first checks whether the catalog has changed. Requests in one tick of the event loop share the
 *  check. */
const catalogCheck = 1

/** The simulated duration of a round trip, which is long compared with the rest of a request. */
const roundTripMs = 100

/** Asserts the number of round trips of a request, calculated from its duration. Repeats the request, because on a
 *  slow machine a request can last as long as one with an additional round trip. */
async function assertRoundTrips(expected: number, request: () => Promise<Response>): Promise<void> {
  await request() // opens connections and prepares statements that later requests reuse
  proxy.delay(roundTripMs)
  let fewest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 || (fewest > expected && attempt < 50); attempt++) {
    const start = performance.now()
    const response = await request()
    fewest = Math.min(fewest, Math.floor((performance.now() - start) / roundTripMs))
    assert.ok(response.status < 300 || response.status === 403, response.text)
  }
  proxy.delay(0)
  assert.equal(fewest, expected)
}

const withKey = () => ({ 'idempotency-key': randomUUID() })

const requests: [action: string, trips: number, method: string, path: string, body?: object][] = [
  ['creating a customer', 2, 'POST', '/customers.php', { name: 'x' }],
  ['creating an employee', 2, 'POST', '/employees.php', { customer_id, email: 'b@b.c' }],
  ['creating hardware', 2, 'POST', '/hardware.php', { employee_id, name: 'x' }],
  ['changing a record', 2, 'PUT', `/customers.php?id=${customer_id}`, { name: 'y' }],
  ['reading a record', 1, 'GET', `/customers.php?id=${customer_id}`],
  ['a list', 1, 'GET', '/customers.php?sort=-name'],
]

for (const [action, trips, method, path, body] of requests) {
  for (const headers of method === 'GET' ? [() => ({})] : [() => ({}), withKey]) {
    const suffix = headers === withKey ? ' with an Idempotency-Key' : ''
    test(`${action}${suffix} takes ${trips} round trip${trips > 1 ? 's' : ''} after the catalog check`, async () => {
      await assertRoundTrips(catalogCheck + trips, () => client(method, path, body, headers()))
    })
  }
}

test('an upsert that creates a record takes one more round trip than an upsert that changes a record', async () => {
  const body = { customer_external_id: 'c', email: 'b@b.c' }
  const upsert = (externalId: string) => client('PUT', `/employees.php?external_id=${externalId}`, body, withKey())
  await assertRoundTrips(catalogCheck + 3, () => upsert(randomUUID()))
  await assertRoundTrips(catalogCheck + 2, () => upsert('known'))
})

test('a forbidden request takes two round trips: one to the catalog, one to the tenant', async () => {
  const reader = service.client(await makeTenant(direct, 'reader', ['customers:read']))
  await assertRoundTrips(catalogCheck + 1, () => reader('POST', '/customers.php', { name: 'x' }))
})
