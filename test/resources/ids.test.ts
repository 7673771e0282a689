// Ids count up per tenant and resource without gaps, and are never reused: on either engine, with any node.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Client, type Response, startService } from '../support/service.ts'
import { tenantDatabaseOf } from '../support/tenant-database.ts'

const { environment, tenant } = await startService()

async function makeEmployee(client: Client): Promise<number> {
  const customer_id = (await client('POST', '/customers.php', { name: 'C' })).body.id
  return (await client('POST', '/employees.php', { customer_id, email: 'ada@example.com' })).body.id
}

/** An Idempotency-Key for every nth request. */
const keyEvery = (few: number, at: number): Record<string, string> =>
  at % few === 0 ? { 'idempotency-key': randomUUID() } : {}

const idsOf = (responses: Response[]) =>
  responses
    .filter(({ status }) => status === 201)
    .map(({ body }) => body.id as number)
    .sort((a, b) => a - b)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('records created on all nodes at once get the ids from 1 on, each once', async () => {
  const acme = await tenant('acme')
  const made = await Promise.all(
    upTo(60).map((at) => acme('POST', '/customers.php', { name: `${at}` }, keyEvery(2, at))),
  )
  assert.deepEqual(idsOf(made), upTo(60))
})

test('a refused create uses no id, even while others create and delete the cause of the refusal', async () => {
  const globex = await tenant('globex')
  const employee_id = await makeEmployee(globex)
  const requests = upTo(90).map((at) => {
    if (at % 3 === 0) return globex('POST', '/hardware.php', { employee_id: 4711 })
    const asset_tag = `TD-${at >> 2}` // asked for by two or three
    return globex('POST', '/hardware.php', { employee_id, asset_tag }, keyEvery(2, at))
  })
  const responses = await Promise.all(requests)
  const tags = responses.filter(({ status }) => status === 422)
  assert.ok(tags.some(({ body }) => body.errors?.asset_tag?.code === 'duplicate'))
  assert.ok(tags.some(({ body }) => body.error.code === 'invalid_employee'))
  const count = idsOf(responses).length
  assert.deepEqual(idsOf(responses), upTo(count))

  const turns = upTo(20).map(async () => {
    const { id } = (await globex('POST', '/customers.php', { name: 'for a moment' })).body
    const [, employee] = await Promise.all([
      globex('DELETE', `/customers.php?id=${id}`),
      globex('POST', '/employees.php', { customer_id: id, email: 'a@b.c' }),
    ])
    return employee
  })
  const employees = idsOf(await Promise.all(turns))
  assert.deepEqual(
    employees,
    upTo(employees.length).map((at) => at + 1),
  )
})

test('a create that fails leaves no gap in the ids', async () => {
  const initech = await tenant('initech')
  const tenantDatabase = await tenantDatabaseOf(environment, 'initech')
  assert.equal((await initech('POST', '/customers.php', { name: 'A' })).body.id, 1)
  await tenantDatabase.run('alter table changes rename to changes_away')
  for (let round = 0; round < 3; round++) {
    const failed = await initech('POST', '/customers.php', { name: 'B' })
    assert.ok([500, 503].includes(failed.status), failed.text) // a missing table may come back
  }
  await tenantDatabase.run('alter table changes_away rename to changes')
  assert.equal((await initech('POST', '/customers.php', { name: 'C' })).body.id, 2)
})

test('the id of a deleted record is never reused, not even the highest', async () => {
  const umbrella = await tenant('umbrella')
  for (const id of [1, 2, 3]) {
    assert.equal((await umbrella('POST', '/customers.php', { name: 'A' })).body.id, id)
    assert.equal((await umbrella('DELETE', `/customers.php?id=${id}`)).status, 200)
  }
  assert.equal((await umbrella('POST', '/customers.php', { name: 'A' })).body.id, 4)
})
