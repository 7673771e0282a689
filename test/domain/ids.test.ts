// Ids count up per tenant and resource without gaps, and are never reused, on both engines and with several nodes.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { type Client, type Response, startService } from '../support/service.ts'

const { environment, tenant } = await startService()

async function createEmployee(client: Client): Promise<number> {
  const customer_id = (await client('POST', '/customers.php', { name: 'C' })).body.id
  return (await client('POST', '/employees.php', { customer_id, email: 'ada@example.com' })).body.id
}

/** Returns a request's headers. Every `interval`th request has an Idempotency-Key. */
const keyEvery = (interval: number, number: number): Record<string, string> =>
  number % interval === 0 ? { 'idempotency-key': randomUUID() } : {}

const idsOf = (responses: Response[]) =>
  responses
    .filter(({ status }) => status === 201)
    .map(({ body }) => body.id as number)
    .sort((a, b) => a - b)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('records created concurrently on all nodes have consecutive ids from 1, without duplicates', async () => {
  const acme = await tenant('acme')
  const responses = await Promise.all(
    upTo(60).map((number) => acme('POST', '/customers.php', { name: `${number}` }, keyEvery(2, number))),
  )
  assert.deepEqual(idsOf(responses), upTo(60))
})

test('a refused creation does not use up an id, even if the record that causes the refusal is created or deleted concurrently', async () => {
  const globex = await tenant('globex')
  const employee_id = await createEmployee(globex)
  const requests = upTo(90).map((number) => {
    if (number % 3 === 0) return globex('POST', '/hardware.php', { employee_id: 4711 })
    const asset_tag = `TD-${number >> 2}` // the same tag for two or three requests
    return globex('POST', '/hardware.php', { employee_id, asset_tag }, keyEvery(2, number))
  })
  const responses = await Promise.all(requests)
  const tags = responses.filter(({ status }) => status === 422)
  assert.ok(tags.some(({ body }) => body.errors?.asset_tag?.code === 'duplicate'))
  assert.ok(tags.some(({ body }) => body.error.code === 'invalid_employee'))
  const count = idsOf(responses).length
  assert.deepEqual(idsOf(responses), upTo(count))

  const races = upTo(20).map(async () => {
    const { id } = (await globex('POST', '/customers.php', { name: 'for a moment' })).body
    const [, employee] = await Promise.all([
      globex('DELETE', `/customers.php?id=${id}`),
      globex('POST', '/employees.php', { customer_id: id, email: 'a@b.c' }),
    ])
    return employee
  })
  const employees = idsOf(await Promise.all(races))
  assert.deepEqual(
    employees,
    upTo(employees.length).map((id) => id + 1),
  )
})

test('a creation that fails with an internal error does not leave a gap in the ids', async () => {
  const initech = await tenant('initech')
  const tenantDatabase = await tenantDatabaseOf(environment, 'initech')
  assert.equal((await initech('POST', '/customers.php', { name: 'A' })).body.id, 1)
  await tenantDatabase.run('alter table changes rename to changes_away')
  for (let round = 0; round < 3; round++) {
    const failed = await initech('POST', '/customers.php', { name: 'B' })
    // The status can be 503, because the service treats a missing table as a temporary failure.
    assert.ok([500, 503].includes(failed.status), failed.text)
  }
  await tenantDatabase.run('alter table changes_away rename to changes')
  assert.equal((await initech('POST', '/customers.php', { name: 'C' })).body.id, 2)
})

test('the id of a deleted record is never reused, not even the highest id', async () => {
  const umbrella = await tenant('umbrella')
  for (const id of [1, 2, 3]) {
    assert.equal((await umbrella('POST', '/customers.php', { name: 'A' })).body.id, id)
    assert.equal((await umbrella('DELETE', `/customers.php?id=${id}`)).status, 200)
  }
  assert.equal((await umbrella('POST', '/customers.php', { name: 'A' })).body.id, 4)
})
