import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../support/service.ts'

const acme = await (await startService()).tenant('acme')
const customer = (await acme('POST', '/customers.php', { name: 'Ünïcödé "x"', is_active: false })).body
const employee = (await acme('POST', '/employees.php', { customer_id: customer.id, email: 'a@b.c', is_remote: 1 })).body
const hardware = (await acme('POST', '/hardware.php', { employee_id: employee.id, is_loaner: true })).body

test('include adds complete related records after the fields of a record', async () => {
  const one = await acme('GET', '/hardware.php?id=1&include=employee')
  assert.equal(one.text, JSON.stringify({ ...hardware, employee }))
  const nested = { ...hardware, employee: { ...employee, customer } }
  for (const include of ['employee,employee.customer', 'employee.customer']) {
    assert.equal((await acme('GET', `/hardware.php?id=1&include=${include}`)).text, JSON.stringify(nested))
    const list = await acme('GET', `/hardware.php?include=${include}&sort=-name`)
    assert.ok(list.text.startsWith(`{"data":[${JSON.stringify(nested)}],`), list.text)
  }
  assert.deepEqual((await acme('GET', '/employees.php?include=customer')).body.data, [{ ...employee, customer }])
})

test('the entity tag of a response changes when an included record changes', async () => {
  const path = '/employees.php?id=1&include=customer'
  const { etag } = (await acme('GET', path)).headers
  assert.equal((await acme('GET', path, undefined, { 'if-none-match': etag! })).status, 304)
  await acme('PUT', '/customers.php?id=1', { city: 'Izmir' })
  const changed = await acme('GET', path, undefined, { 'if-none-match': etag! })
  assert.deepEqual([changed.status, changed.body.customer.city], [200, 'Izmir'])
})

test('an entity tag from a response with includes works in If-Match, which ignores the included records', async () => {
  const path = '/hardware.php?id=1'
  const { etag } = (await acme('GET', `${path}&include=employee.customer`)).headers
  await acme('PUT', '/customers.php?id=1', { city: 'Bursa' })
  const change = (name: string) => acme('PUT', path, { name }, { 'if-match': etag! })
  assert.equal((await change('first')).status, 200)
  assert.equal((await change('second')).status, 412)
})

test('an unknown include is refused with a 400 that lists the valid names, and an include for a missing record with a 404', async () => {
  for (const path of ['/employees.php?include=hardware', '/employees.php?id=1&include=customer_id']) {
    const { status, body } = await acme('GET', path)
    assert.deepEqual([status, body.error.code], [400, 'invalid_request'])
    assert.match(body.error.message, /allowed: customer\./)
  }
  const none = await acme('GET', '/customers.php?include=employees')
  assert.match(none.body.error.message, /this endpoint takes none/)
  assert.equal((await acme('GET', '/hardware.php?id=99&include=employee')).status, 404)
})
