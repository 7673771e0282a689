import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Client, type Json, type Response, startService } from '../../support/service.ts'

const acme = await (await startService()).tenant('acme')

test('a customer, an employee and a piece of hardware can be created with only their required fields', async () => {
  const customer = await acme('POST', '/customers.php', { name: 'Head office' })
  assert.equal(customer.status, 201)
  const employee = await acme('POST', '/employees.php', { customer_id: customer.body.id, email: 'ada@example.com' })
  assert.equal(employee.status, 201)
  const hardware = await acme('POST', '/hardware.php', { employee_id: employee.body.id })
  assert.equal(hardware.status, 201)
  assert.equal(hardware.headers.location, `/api/v1/hardware.php?id=${hardware.body.id}`)
  const { created_at, updated_at, employee_id } = hardware.body
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual([updated_at, employee_id], [created_at, employee.body.id])
})

test('GET ?id= returns exactly the same body for a record as the POST that created it', async () => {
  const created = await acme('POST', '/customers.php', { name: 'Ünïcödé 🏢', is_active: 0, contract_end: '2028-02-29' })
  const read = await acme('GET', created.headers.location!.slice('/api/v1'.length))
  assert.equal(read.status, 200)
  assert.equal(read.text, created.text)
  assert.equal(read.body.is_active, false)
})

test('PUT changes only the fields in its body', async () => {
  const created = await acme('POST', '/customers.php', { name: 'Before', city: 'Izmir', type: 'client' })
  const put = await acme('PUT', `/customers.php?id=${created.body.id}`, { city: ' Ankara ', type: null })
  assert.equal(put.status, 200)
  assert.deepEqual(
    { ...put.body, updated_at: null },
    { ...created.body, city: 'Ankara', type: 'branch', updated_at: null },
  )
  assert.equal((await acme('GET', `/customers.php?id=${created.body.id}`)).text, put.text)
})

test('id, created_at, updated_at and unknown fields in a body are ignored', async () => {
  const created = await acme('POST', '/customers.php', { name: 'A', id: 9999, created_at: 'x', colour: 'red' })
  assert.equal(created.status, 201)
  assert.notEqual(created.body.id, 9999)
  const put = await acme('PUT', `/customers.php?id=${created.body.id}`, { name: 'B', id: 1, updated_at: 'x' })
  assert.equal(put.body.id, created.body.id)
  assert.equal(put.body.created_at, created.body.created_at)
  const withoutFields = await acme('PUT', `/customers.php?id=${created.body.id}`, {
    id: 1,
    created_at: 'x',
    colour: 'red',
  })
  assert.deepEqual([withoutFields.status, withoutFields.body.error.code], [400, 'no_fields'])
})

test('GET, PUT and DELETE of a deleted record return 404, and its id is never reused', async () => {
  const created = await acme('POST', '/customers.php', { name: 'Short-lived' })
  const path = `/customers.php?id=${created.body.id}`
  const deleted = await acme('DELETE', path)
  assert.deepEqual([deleted.status, deleted.body], [200, { id: created.body.id, deleted: true }])
  for (const response of [
    await acme('GET', path),
    await acme('PUT', path, { name: 'x' }),
    await acme('DELETE', path),
  ]) {
    assert.deepEqual([response.status, response.body.error.code], [404, 'not_found'])
  }
  const next = await acme('POST', '/customers.php', { name: 'Next' })
  assert.equal(next.body.id, created.body.id + 1)
})

test('a customer with employees and an employee with hardware cannot be deleted', async () => {
  const customer = await acme('POST', '/customers.php', { name: 'C' })
  const employee = await acme('POST', '/employees.php', { customer_id: customer.body.id, email: 'e@x.y' })
  const hardware = await acme('POST', '/hardware.php', { employee_id: employee.body.id })
  for (const path of [`/customers.php?id=${customer.body.id}`, `/employees.php?id=${employee.body.id}`]) {
    const refused = await acme('DELETE', path)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    assert.match(refused.body.details, /foreign key constraint/i)
    assert.equal((await acme('GET', path)).status, 200)
  }
  assert.equal((await acme('DELETE', `/hardware.php?id=${hardware.body.id}`)).status, 200)
  assert.equal((await acme('DELETE', `/employees.php?id=${employee.body.id}`)).status, 200)
  assert.equal((await acme('DELETE', `/customers.php?id=${customer.body.id}`)).status, 200)
})

test('a conflict response counts the dependents by resource, and is replayed for a retry with the same Idempotency-Key', async () => {
  const customer = await acme('POST', '/customers.php', { name: 'C' })
  const path = `/customers.php?id=${customer.body.id}`
  const createEmployee = () => acme('POST', '/employees.php', { customer_id: customer.body.id, email: 'e@x.y' })
  const employees = [await createEmployee(), await createEmployee(), await createEmployee()]
  for (const { body } of employees) await acme('POST', '/hardware.php', { employee_id: body.id })
  const key = { 'idempotency-key': randomUUID() }
  const refused = await acme('DELETE', path, undefined, key)
  assert.deepEqual(refused.body.dependents, [{ resource: 'employees', count: 3 }])
  const one = await acme('DELETE', `/employees.php?id=${employees[0]!.body.id}`)
  assert.deepEqual(one.body.dependents, [{ resource: 'hardware', count: 1 }])
  await createEmployee()
  assert.equal((await acme('DELETE', path, undefined, key)).text, refused.text)
  assert.deepEqual((await acme('DELETE', path)).body.dependents, [{ resource: 'employees', count: 4 }])
})

test('a reference to a missing record is refused', async () => {
  const customer = await acme('POST', '/customers.php', { name: 'C' })
  const employee = await acme('POST', '/employees.php', { customer_id: customer.body.id, email: 'e@x.y' })
  const hardware = await acme('POST', '/hardware.php', { employee_id: employee.body.id })
  for (const id of [0, -1, 987654, Number.MAX_SAFE_INTEGER]) {
    const responses = [
      await acme('POST', '/employees.php', { customer_id: id, email: 'e@x.y' }),
      await acme('PUT', `/employees.php?id=${employee.body.id}`, { customer_id: id }),
      await acme('POST', '/hardware.php', { employee_id: id }),
      await acme('PUT', `/hardware.php?id=${hardware.body.id}`, { employee_id: String(id) }),
    ]
    assert.deepEqual(
      responses.map(({ status, body }) => `${status} ${body.error.code}`),
      ['422 invalid_customer', '422 invalid_customer', '422 invalid_employee', '422 invalid_employee'],
    )
  }
})

test('an asset tag is unique within a tenant', async () => {
  const customer = await acme('POST', '/customers.php', { name: 'C' })
  const employee = await acme('POST', '/employees.php', { customer_id: customer.body.id, email: 'e@x.y' })
  const employee_id = employee.body.id
  const first = await acme('POST', '/hardware.php', { employee_id, asset_tag: 'TD-1' })
  const second = await acme('POST', '/hardware.php', { employee_id, asset_tag: 'TD-2' })
  const duplicates = [
    await acme('POST', '/hardware.php', { employee_id, asset_tag: ' TD-1' }),
    await acme('PUT', `/hardware.php?id=${second.body.id}`, { asset_tag: 'TD-1' }),
  ]
  for (const { status, body } of duplicates) {
    assert.deepEqual([status, body.error.code, body.fields], [422, 'validation_failed', ['asset_tag']])
    assert.equal(body.errors.asset_tag.code, 'duplicate')
  }
  const same = await acme('PUT', `/hardware.php?id=${first.body.id}`, { asset_tag: 'TD-1', name: 'kept' })
  assert.equal(same.status, 200)
  assert.equal((await acme('POST', '/hardware.php', { employee_id })).status, 201)
  assert.equal((await acme('POST', '/hardware.php', { employee_id, asset_tag: '' })).status, 201)
})

test('a duplicate is reported together with all other invalid fields, in the order of the fields', async () => {
  const customer = await acme('POST', '/customers.php', { name: 'C' })
  const employee = await acme('POST', '/employees.php', { customer_id: customer.body.id, email: 'e@x.y' })
  const taken = { asset_tag: 'ALL-1', external_id: 'all-1' }
  const first = await acme('POST', '/hardware.php', { employee_id: employee.body.id, ...taken })
  const second = await acme('POST', '/hardware.php', { employee_id: employee.body.id, external_id: 'all-2' })
  const wrong = { ...taken, purchase_date: 'soon', employee_id: 'x', colour: 'red' }
  const invalid = { employee_id: 'invalid_int', asset_tag: 'duplicate', purchase_date: 'invalid_date' }
  const created = { ...invalid, external_id: 'duplicate' }
  const strict = { prefer: 'handling=strict' }
  const codes = ({ status, body }: Response) => [
    status,
    body.fields,
    Object.values<Json>(body.errors).map(({ code }) => code),
  ]
  const expected = (errors: object) => [422, Object.keys(errors), Object.values(errors)]
  const key = { 'idempotency-key': randomUUID() }
  const { external_id: _, ...upserted } = wrong
  const requests: [request: Parameters<Client>, errors: object][] = [
    [['POST', '/hardware.php', wrong], created],
    [['POST', '/hardware.php', wrong, strict], { ...created, colour: 'unknown_field' }],
    [['POST', '/hardware.php', wrong, key], created],
    [['POST', '/hardware.php', wrong, key], created],
    [['PUT', `/hardware.php?id=${second.body.id}`, wrong], created],
    [['PUT', '/hardware.php?id=999999', wrong], created],
    [['PUT', '/hardware.php?external_id=all-2', upserted], invalid],
    [['PUT', '/hardware.php?external_id=all-3', upserted], invalid],
    [
      ['PUT', '/hardware.php?external_id=all-3', { asset_tag: 'ALL-1' }],
      { employee_id: 'required', asset_tag: 'duplicate' },
    ],
    [['PUT', `/hardware.php?id=${first.body.id}`, { ...taken, employee_id: 'x' }], { employee_id: 'invalid_int' }],
  ]
  for (const [request, errors] of requests)
    assert.deepEqual(codes(await acme(...request)), expected(errors), JSON.stringify(request))
  const operations = [wrong, { ...wrong, employee_id: employee.body.id }].map((body) => ({
    method: 'POST',
    resource: 'hardware',
    body,
  }))
  const { body } = await acme('POST', '/bulk.php', { operations })
  assert.deepEqual(body.results[0].fields, Object.keys(created))
  assert.deepEqual(body.results[1].fields, Object.keys(created).slice(1))
})

test('GET without an id returns the first page of records, sorted by id', async () => {
  const page = await acme('GET', '/customers.php')
  assert.equal(page.status, 200)
  assert.deepEqual(page.body.page, { limit: 50, has_more: false, next_cursor: null })
  const ids = page.body.data.map((record: { id: number }) => record.id)
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  )
  assert.ok(ids.length > 0)
})

test('If-Match prevents a request from overwriting changes made since the record was read', async () => {
  const created = await acme('POST', '/customers.php', { name: 'A' })
  const path = `/customers.php?id=${created.body.id}`
  const stale = created.headers.etag!
  assert.equal(
    (await acme('GET', path)).headers.etag,
    stale,
    'the response to the POST contains the record’s entity tag',
  )
  const changed = await acme('PUT', path, { name: 'B' }, { 'if-match': stale })
  assert.equal(changed.status, 200)
  for (const response of [
    await acme('PUT', path, { name: 'C' }, { 'if-match': stale }),
    await acme('DELETE', path, undefined, { 'if-match': stale }),
  ]) {
    assert.deepEqual([response.status, response.body.error.code], [412, 'precondition_failed'])
  }
  const fresh = changed.headers.etag!
  assert.equal((await acme('GET', path, undefined, { 'if-none-match': fresh })).status, 304)
  assert.equal((await acme('PUT', path, { name: 'D' }, { 'if-match': '*' })).status, 200)
  assert.equal(
    (await acme('DELETE', path, undefined, { 'if-match': `"x", ${(await acme('GET', path)).headers.etag}` })).status,
    200,
  )
})

test('HEAD returns the same response as GET, but without the body', async () => {
  const created = await acme('POST', '/customers.php', { name: 'A' })
  const head = await acme('HEAD', `/customers.php?id=${created.body.id}`)
  assert.equal(head.status, 200)
  assert.ok(head.headers.etag)
})
