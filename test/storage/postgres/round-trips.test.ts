// How often a request waits for PostgreSQL: on a network that is what it costs.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { makeTenant, onEngine, startService, temporaryDirectory } from '../../service.ts'
import { startProxy } from './proxy.ts'

const direct = await onEngine({ DATA_DIR: temporaryDirectory() })
const proxy = await startProxy(direct.DATABASE_URL!)
const service = await startService({ ...direct, DATABASE_URL: proxy.url }, { nodes: 1 })
const client = service.client(await makeTenant(direct, 'acme'))
const customer_id = (await client('POST', '/customers.php', { name: 'C' })).body.id
const employee_id = (await client('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body.id

/** Every request asks first whether the catalog has changed, once for all that came in a turn of the event loop. */
const judged = 1

const withKey = () => ({ 'idempotency-key': randomUUID() })

const requests: [what: string, trips: number, method: string, path: string, body?: object][] = [
  ['creating a customer', 2, 'POST', '/customers.php', { name: 'x' }],
  ['creating an employee', 2, 'POST', '/employees.php', { customer_id, email: 'b@b.c' }],
  ['creating hardware', 2, 'POST', '/hardware.php', { employee_id, name: 'x' }],
  ['changing a record', 3, 'PUT', `/customers.php?id=${customer_id}`, { name: 'y' }],
  ['reading a record', 1, 'GET', `/customers.php?id=${customer_id}`],
]

for (const [what, trips, method, path, body] of requests) {
  const headers = method === 'GET' ? [{}] : [{}, withKey()]
  for (const each of headers) {
    const how = 'idempotency-key' in each ? ' with an Idempotency-Key' : ''
    test(`${what}${how} takes ${trips} round trips`, async () => {
      await client(method, path, body) // opens what is opened once
      const before = proxy.flights()
      const answer = await client(method, path, body, each)
      assert.ok(answer.status < 300, answer.text)
      assert.equal(proxy.flights() - before, judged + trips)
    })
  }
}

test('a request without the right to what it asks for waits once to be judged, and once to see that the tenant is there', async () => {
  const reader = service.client(await makeTenant(direct, 'reader', ['customers:read']))
  await reader('POST', '/customers.php', { name: 'x' })
  const before = proxy.flights()
  assert.equal((await reader('POST', '/customers.php', { name: 'x' })).status, 403)
  assert.equal(proxy.flights() - before, judged + 1)
})
