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
const customer_id = (await client('POST', '/customers.php', { name: 'C' })).body.id
const employee_id = (await client('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body.id

/** Every request asks first whether the catalog has changed, once for all that came in a turn of the event loop. */
const judged = 1

/** How long the way to the server and back is: long against all that a request does besides. Milliseconds. */
const way = 100

/** How many times a request waits for the server: what it sends before it hears costs the way once. */
async function tripsOf(request: () => Promise<Response>): Promise<number> {
  await request() // opens what is opened once
  proxy.delay(way)
  const times: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now()
    const answer = await request()
    times.push(performance.now() - start)
    assert.ok(answer.status < 300 || answer.status === 403, answer.text)
  }
  proxy.delay(0)
  return Math.floor(Math.min(...times) / way)
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
      assert.equal(await tripsOf(() => client(method, path, body, headers())), judged + trips)
    })
  }
}

test('a forbidden request takes two round trips: one for the catalog, one for the tenant', async () => {
  const reader = service.client(await makeTenant(direct, 'reader', ['customers:read']))
  assert.equal(await tripsOf(() => reader('POST', '/customers.php', { name: 'x' })), judged + 1)
})
