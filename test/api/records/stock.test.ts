// Hardware in a customer's stock: `stock_customer_id` and `stock_customer_external_id` (contract §14).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Client, createKey, type Json, type Response, startService } from '../../support/service.ts'

const service = await startService()
const { tenant } = service
const clientWith = async (slug: string, scopes: string[]) =>
  service.client(await createKey(service.environment, slug, scopes))

/** Creates a tenant with two customers and one employee of the first. */
async function tenantWith(slug: string): Promise<Client> {
  const client = await tenant(slug)
  await client('POST', '/customers.php', { name: 'Berlin', external_id: 'b-1' })
  await client('POST', '/customers.php', { name: 'Paris', external_id: 'p-1' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com' })
  return client
}

const holderOf = async (client: Client, { employee_id: id }: Json): Promise<Json> =>
  (await client('GET', `/employees.php?id=${id}`)).body

const countEmployees = async (client: Client) => (await client('GET', '/employees.php?total=true')).body.page.total

function assertInvalid({ status, body, text }: Response, errors: Record<string, string>): void {
  const codes = Object.fromEntries(Object.entries<Json>(body.errors ?? {}).map(([name, { code }]) => [name, code]))
  assert.deepEqual([status, codes], [422, errors], text)
}

test('new hardware goes to the stock of a customer, which is created in the same change set and then found again', async () => {
  const acme = await tenantWith('acme')
  const first = await acme('POST', '/hardware.php', { stock_customer_id: 1, name: 'Laptop' })
  assert.deepEqual(
    [first.status, first.body.status, 'stock_customer_id' in first.body],
    [201, 'spare', false],
    first.text,
  )
  const holder = await holderOf(acme, first.body)
  assert.deepEqual([holder.kind, holder.customer_id, holder.name, holder.is_active], ['storage', 1, 'Berlin', true])
  const set = first.headers['change-set']
  const { data } = (await acme('GET', `/changes.php?change_set=${set}`)).body
  assert.deepEqual(
    data.map(({ resource, action }: Json) => [resource, action]),
    [
      ['employees', 'create'],
      ['hardware', 'create'],
    ],
  )
  const second = await acme('POST', '/hardware.php', { stock_customer_external_id: 'b-1' })
  assert.deepEqual([second.status, second.body.employee_id], [201, first.body.employee_id], second.text)
  assert.equal((await acme('POST', '/undo.php', { change_set: second.headers['change-set'] })).status, 200)
  assert.equal((await acme('POST', '/undo.php', { change_set: set })).body.undone, 2)
  assert.equal(await countEmployees(acme), 1)
})

test('the stock is the oldest active storage location of the customer', async () => {
  const acme = await tenantWith('oldest')
  const create = async (name: string, more: object = {}): Promise<number> => {
    const values = { customer_id: 1, email: `${name}@example.com`, kind: 'storage', ...more }
    return (await acme('POST', '/employees.php', values)).body.id
  }
  await create('closed', { is_active: false })
  await create('elsewhere', { customer_id: 2 })
  const shelf = await create('shelf')
  await create('newer')
  assert.equal((await acme('POST', '/hardware.php', { stock_customer_id: 1 })).body.employee_id, shelf)
})

test('an update and an upsert put hardware into stock, as spare unless the request names a status', async () => {
  const acme = await tenantWith('update')
  await acme('POST', '/hardware.php', { employee_id: 1, external_id: 'hw-1' })
  const moved = (await acme('PUT', '/hardware.php?id=1', { stock_customer_id: '2' })).body
  assert.deepEqual([moved.status, (await holderOf(acme, moved)).name], ['spare', 'Paris'])
  const lost = (await acme('PUT', '/hardware.php?id=1', { stock_customer_id: 2, status: 'lost' })).body
  assert.deepEqual([lost.status, lost.employee_id], ['lost', moved.employee_id])
  const upserted = (await acme('PUT', '/hardware.php?external_id=hw-1', { stock_customer_external_id: 'b-1' })).body
  assert.deepEqual([upserted.id, upserted.status, (await holderOf(acme, upserted)).name], [1, 'spare', 'Berlin'])
  const created = await acme('PUT', '/hardware.php?external_id=hw-2', { stock_customer_id: 1, status: 'reserved' })
  assert.deepEqual(
    [created.status, created.body.status, created.body.employee_id],
    [201, 'reserved', upserted.employee_id],
  )
  const again = await acme('PUT', '/hardware.php?id=1', { stock_customer_id: 1 })
  assert.deepEqual([again.status, again.headers['change-set']], [200, undefined], 'nothing changed')
})

test('an unknown customer is invalid_customer, and nothing is written', async () => {
  const acme = await tenantWith('unknown')
  for (const body of [{ stock_customer_id: 9 }, { stock_customer_external_id: 'x' }])
    for (const [method, path] of [
      ['POST', '/hardware.php'],
      ['PUT', '/hardware.php?external_id=new'],
    ] as const) {
      const { status, body: answer } = await acme(method, path, body)
      assert.deepEqual([status, answer.error.code], [422, 'invalid_customer'])
    }
  assert.equal(await countEmployees(acme), 1)
})

test('a stock is refused beside an employee or another stock, and if it is invalid', async () => {
  const acme = await tenantWith('both')
  const post = (body: object) => acme('POST', '/hardware.php', body)
  assertInvalid(await post({ employee_id: 1, stock_customer_id: 1 }), { stock_customer_id: 'not_in_list' })
  assertInvalid(await post({ employee_external_id: 'e', stock_customer_id: 1 }), { stock_customer_id: 'not_in_list' })
  assertInvalid(await post({ employee_id: 1, stock_customer_external_id: 'b-1' }), {
    stock_customer_external_id: 'not_in_list',
  })
  assertInvalid(await post({ stock_customer_id: 1, stock_customer_external_id: 'b-1' }), {
    stock_customer_external_id: 'not_in_list',
  })
  assertInvalid(await post({ stock_customer_id: 'x' }), { stock_customer_id: 'invalid_int' })
  assertInvalid(await post({ stock_customer_id: null, stock_customer_external_id: '' }), { employee_id: 'required' })
  const update = await acme('PUT', '/hardware.php?external_id=x', { employee_id: 1, stock_customer_id: 1 })
  assertInvalid(update, { stock_customer_id: 'not_in_list' })
  await post({ employee_id: 1 })
  assert.equal((await acme('PUT', '/hardware.php?id=1', { stock_customer_id: '' })).body.error.code, 'no_fields')
  const strict = { headers: { prefer: 'handling=strict' } }
  assert.equal((await acme('POST', '/hardware.php', { stock_customer_id: 1 }, strict.headers)).status, 201)
})

test('a refused request does not leave a new stock behind', async () => {
  const acme = await tenantWith('refused')
  await acme('POST', '/hardware.php', { employee_id: 1, asset_tag: 'T1' })
  await acme('POST', '/hardware.php', { employee_id: 1 })
  const taken = { stock_customer_id: 1, asset_tag: 'T1' }
  assertInvalid(await acme('POST', '/hardware.php', taken), { asset_tag: 'duplicate' })
  assertInvalid(await acme('PUT', '/hardware.php?id=2', taken), { asset_tag: 'duplicate' })
  const operations = [{ method: 'POST', resource: 'hardware', body: taken }]
  assert.equal((await acme('POST', '/bulk.php', { mode: 'each', operations })).body.failed, 1)
  assert.equal(await countEmployees(acme), 1)
})

test('a bulk request creates a stock once, and its hardware shares it', async () => {
  const acme = await tenantWith('bulk')
  const post = (body: object) => ({ method: 'POST', resource: 'hardware', body })
  const operations = [
    post({ stock_customer_id: 1 }),
    post({ employee_id: 1 }),
    post({ stock_customer_external_id: 'b-1' }),
  ]
  const { body, headers } = await acme('POST', '/bulk.php', { operations })
  assert.deepEqual(
    body.results.map(({ body: each }: Json) => [each.id, each.employee_id, each.status]),
    [
      [1, 2, 'spare'],
      [2, 1, 'in_use'],
      [3, 2, 'spare'],
    ],
  )
  assert.equal((await acme('GET', `/changes.php?change_set=${headers['change-set']}`)).body.data.length, 4)
})

test('the key needs employees:create only if the stock does not exist yet', async () => {
  const acme = await tenantWith('scopes')
  const limited = await clientWith('scopes', ['hardware:write'])
  const body = { stock_customer_id: 1 }
  const refused = await limited('POST', '/hardware.php', body)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
  assert.match(refused.body.error.message, /employees:create/)
  const bulk = { mode: 'each', operations: [{ method: 'POST', resource: 'hardware', body }] }
  assert.equal((await limited('POST', '/bulk.php', bulk)).body.results[0].status, 403)
  assert.equal(await countEmployees(acme), 1)
  const creating = await clientWith('scopes', ['hardware:write', 'employees:create'])
  assert.equal((await creating('POST', '/hardware.php', body)).status, 201)
  assert.equal((await limited('POST', '/hardware.php', body)).status, 201)
})

test('a repeated request with the same Idempotency-Key creates neither hardware nor a stock again', async () => {
  const acme = await tenantWith('repeated')
  const key = { 'idempotency-key': randomUUID() }
  const [first, second] = [
    await acme('POST', '/hardware.php', { stock_customer_id: 1 }, key),
    await acme('POST', '/hardware.php', { stock_customer_id: 1 }, key),
  ]
  assert.deepEqual([first.status, second.body], [201, first.body])
  assert.equal(await countEmployees(acme), 2)
})

test('the stored response to a request that created a stock is replayed only to a key that may create employees', async () => {
  const acme = await tenantWith('replayed')
  const key = { 'idempotency-key': randomUUID() }
  const bulkKey = { 'idempotency-key': randomUUID() }
  const found = { 'idempotency-key': randomUUID() }
  const body = { stock_customer_external_id: 'b-1' }
  const bulk = {
    mode: 'each',
    operations: [{ method: 'POST', resource: 'hardware', body: { stock_customer_external_id: 'p-1' } }],
  }
  const send = async (client: Client) => [
    await client('POST', '/hardware.php', body, key),
    await client('POST', '/bulk.php', bulk, bulkKey),
    await client('POST', '/hardware.php', body, found),
  ]
  assert.deepEqual(
    (await send(acme)).map(({ status }) => status),
    [201, 200, 201],
  )
  const limited = await send(await clientWith('replayed', ['hardware:create']))
  assert.deepEqual(
    limited.map(({ status }) => status),
    [403, 403, 201],
  )
  for (const { text } of limited.slice(0, 2)) assert.match(text, /employees:create/)
  const allowed = await send(await clientWith('replayed', ['hardware:create', 'employees:create']))
  assert.deepEqual(
    allowed.map(({ status, headers }) => `${status} ${headers['idempotent-replayed']}`),
    ['201 true', '200 true', '201 true'],
  )
})
