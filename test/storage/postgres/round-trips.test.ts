// How often a request waits for PostgreSQL: on a network that is what it costs.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { makeTenant, type Response, startService, temporaryDirectory, withEngineUrl } from '../../support/service.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

const direct = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const proxy = await startProxy(direct.DATABASE_URL!)
const service = await startService({ ...direct, DATABASE_URL: proxy.url }, { nodes: 1 })
const client = service.client(await makeTenant(direct, 'acme'))
const customer_id = (await client('POST', '/customers.php', { name: 'C', external_id: 'c' })).body.id
const employee_id = (await client('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body.id

/** Every request asks first whether the catalog has changed, once for all that came in a turn of the event loop. */
const judged = 1

/** How long the way to the server and back is: long against all that a request does besides. Milliseconds. */
const way = 100

/** Asserts how many times a request waits for the server: what it sends before it gets a response costs the way once. Everything
 *  else only adds time, so that the request is repeated where a slow machine adds as much as a way. */
async function requireTrips(expected: number, request: () => Promise<Response>): Promise<void> {
  await request() // opens what is opened once
  proxy.delay(way)
  let fewest = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 3 || (fewest > expected && turn < 50); turn++) {
    const start = performance.now()
    const answer = await request()
    fewest = Math.min(fewest, Math.floor((performance.now() - start) / way))
    assert.ok(answer.status < 300 || answer.status === 403, answer.text)
  }
  proxy.delay(0)
  assert.equal(fewest, expected)
}

const withKey = () => ({ 'idempotency-key': randomUUID() })

const requests: [what: string, trips: number, method: string, path: string, body?: object][] = [
  ['creating a customer', 2, 'POST', '/customers.php', { name: 'x' }],
  ['creating an employee', 2, 'POST', '/employees.php', { customer_id, email: 'b@b.c' }],
  ['creating hardware', 2, 'POST', '/hardware.php', { employee_id, name: 'x' }],
  ['changing a record', 2, 'PUT', `/customers.php?id=${customer_id}`, { name: 'y' }],
  ['reading a record', 1, 'GET', `/customers.php?id=${customer_id}`],
  ['a list', 1, 'GET', '/customers.php?sort=-name'],
]

for (const [what, trips, method, path, body] of requests) {
  for (const headers of method === 'GET' ? [() => ({})] : [() => ({}), withKey]) {
    const how = headers === withKey ? ' with an Idempotency-Key' : ''
    test(`${what}${how}: ${trips} round trip${trips > 1 ? 's' : ''}`, async () => {
      await requireTrips(judged + trips, () => client(method, path, body, headers()))
    })
  }
}

test('an upsert that creates a record takes one round trip more than one that changes it', async () => {
  const body = { customer_external_id: 'c', email: 'b@b.c' }
  const upsert = (externalId: string) => client('PUT', `/employees.php?external_id=${externalId}`, body, withKey())
  await requireTrips(judged + 3, () => upsert(randomUUID()))
  await requireTrips(judged + 2, () => upsert('known'))
})

test('a forbidden request takes two round trips: one for the catalog, one for the tenant', async () => {
  const reader = service.client(await makeTenant(direct, 'reader', ['customers:read']))
  await requireTrips(judged + 1, () => reader('POST', '/customers.php', { name: 'x' }))
})
