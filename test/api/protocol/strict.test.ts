// Prefer: handling=strict (RFC 7240, contract §14): the service refuses unknown fields instead of ignoring them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { createKey, type Json, type Response, startService } from '../../support/service.ts'

const service = await startService()
const acme = await service.tenant('acme')
const customer = (await acme('POST', '/customers.php', { name: 'C' })).body
const path = `/customers.php?id=${customer.id}`
const strict = { prefer: 'handling=strict' }

const post = (body: unknown, headers: Record<string, string> = strict) => acme('POST', '/customers.php', body, headers)
const put = (body: unknown, headers: Record<string, string> = strict) => acme('PUT', path, body, headers)

function codesOf({ body }: Response): [string, string][] {
  return body.fields.map((name: string) => [name, body.errors[name].code])
}

test('with handling=strict, an unknown field is refused with a message that suggests the closest known name, and nothing is changed', async () => {
  const near = {
    citty: 'city',
    Name: 'name',
    'tax-id': 'tax_id',
    isActive: 'is_active',
    ID: 'id',
    updatedat: 'updated_at',
  }
  for (const send of [post, put]) {
    for (const [name, nearest] of Object.entries(near)) {
      const refused = await send({ name: 'x', [name]: 'y' })
      assertRefused(refused, 'validation_failed', name)
      assert.deepEqual(codesOf(refused), [[name, 'unknown_field']])
      assert.ok(refused.body.errors[name].message.endsWith(` ${nearest}.`), refused.body.errors[name].message)
    }
  }
  assert.deepEqual((await acme('GET', path)).body, customer)
  assert.equal((await acme('GET', '/customers.php?total=true')).body.page.total, 1)
})

test('with handling=strict, unknown fields are listed after the invalid known fields, in the order of the body', async () => {
  const body = '{"zebra":1,"notes":5,"apple":2,"name":"","email":"nobody","mango":null}'
  const known = [
    ['name', 'required'],
    ['email', 'invalid_email'],
    ['notes', 'invalid_text'],
  ]
  const unknown = ['zebra', 'apple', 'mango'].map((name) => [name, 'unknown_field'])
  for (const send of [post, put]) assert.deepEqual(codesOf(await send(body)), [...known, ...unknown])
  const numbered = await put('{"7":1,"name":""}')
  assert.deepEqual(numbered.body.fields, ['name', '7'])
})

test('with handling=strict, the first 100 of thousands of unknown fields are listed after the invalid known fields', async () => {
  const names = [`long${'x'.repeat(1000)}`, ...Array.from({ length: 4999 }, (_, index) => `f${index}`)]
  const many = Object.fromEntries(names.map((name) => [name, 0]))
  const listed = names.slice(0, 100).map((name) => [name, 'unknown_field'])
  for (const send of [post, put]) {
    const start = process.cpuUsage()
    const refused = await send({ ...many, name: 5 })
    const { user, system } = process.cpuUsage(start)
    assert.ok(user + system < 2_000_000, `the refusal takes less than 2 s of processor time, not ${user + system} µs`)
    assert.deepEqual(codesOf(refused), [['name', 'invalid_text'], ...listed])
    assert.deepEqual(Object.keys(refused.body.errors), refused.body.fields)
    assert.match(refused.body.errors.f98.message, / 4900 more unknown fields are not listed\.$/)
  }
})

test('with handling=strict, references by external id and read-only fields do not count as unknown', async () => {
  const employee = { customer_external_id: 'none', email: 'a@b.c' }
  const hardware = { employee_external_id: 'none', last_seen_at: 'yesterday', created_at: 1 }
  assertRefused(await acme('POST', '/employees.php', employee, strict), 'invalid_customer')
  assertRefused(await acme('POST', '/hardware.php', hardware, strict), 'invalid_employee')
  const wrong = await acme('POST', '/employees.php', { ...employee, employee_external_id: 'none' }, strict)
  assert.deepEqual(codesOf(wrong), [['employee_external_id', 'unknown_field']])
  const upsert = await acme('PUT', '/customers.php?external_id=new', { name: 'N', colour: 'red' }, strict)
  assert.deepEqual(codesOf(upsert), [['colour', 'unknown_field']])
})

test('with handling=strict, unknown fields are checked after the id and the JSON, and before no_fields, not_found and If-Match', async () => {
  assert.deepEqual(codesOf(await put({ colour: 'red' })), [['colour', 'unknown_field']])
  assertRefused(await put({}), 'no_fields')
  assertRefused(await put({ id: 5 }), 'no_fields')
  assertRefused(await put('{'), 'invalid_json')
  assertRefused(await acme('PUT', '/customers.php', { colour: 'red' }, strict), 'missing_id')
  assertRefused(await acme('PUT', '/customers.php?id=987654', { colour: 'red' }, strict), 'validation_failed')
  assertRefused(await acme('PUT', '/customers.php?id=987654', { name: 'x' }, strict), 'not_found')
  const stale = { ...strict, 'if-match': '"stale"' }
  assertRefused(await put({ colour: 'red' }, stale), 'validation_failed')
})

test('with handling=strict, the values of read-only fields are still ignored', async () => {
  const { status, body } = await put({ ...customer, id: 99, created_at: 'never', city: 'Izmir' })
  assert.deepEqual([status, body.id, body.created_at, body.city], [200, customer.id, customer.created_at, 'Izmir'])
  const created = await post({ id: 99, name: 'D', updated_at: null })
  assert.equal(created.status, 201)
  assert.notEqual(created.body.id, 99)
})

test('with handling=strict, names such as `__proto__` and `constructor` are refused as unknown fields and do not modify any prototype', async () => {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '']) {
    const refused = await put(`{"name":"x",${JSON.stringify(name)}:{"name":"evil"}}`)
    assertRefused(refused, 'validation_failed', name)
    assert.deepEqual(refused.body.fields, [name])
    assert.deepEqual(Object.keys(refused.body.errors), [name])
  }
  assert.equal(({} as Json).name, undefined)
})

test('handling=strict is recognized among other preferences and in any letter case; if handling is repeated, the first value counts', async () => {
  const strictValues = [
    'handling=strict',
    'Handling=STRICT',
    'handling = strict',
    'handling="strict"',
    'handling=strict; wait=5',
    'respond-async, handling=strict',
    'x="a, b" , handling=strict',
    'handling=strict, handling=lenient',
    'return=minimal;foo="handling=lenient", handling=strict',
  ]
  const lenientValues = [
    '',
    'handling=lenient',
    'handling',
    'handling=',
    'handling=stricter',
    'strict',
    'handling=lenient, handling=strict',
    'handling, handling=strict',
    'x="handling=strict"',
    'x=", handling=strict',
    'xhandling=strict',
    '"\\',
    ',;=,',
  ]
  const statuses = (headers: string[]) =>
    Promise.all(
      headers.map(async (prefer) => `${prefer}: ${(await put({ name: 'C', colour: 'red' }, { prefer })).status}`),
    )
  assert.deepEqual(
    await statuses(strictValues),
    strictValues.map((prefer) => `${prefer}: 422`),
  )
  assert.deepEqual(
    await statuses(lenientValues),
    lenientValues.map((prefer) => `${prefer}: 200`),
  )
  assert.equal((await put({ name: 'C', colour: 'red' }, {})).status, 200)
  const created = (await post({ name: 'x' })).body
  assert.equal((await acme('DELETE', `/customers.php?id=${created.id}`, { colour: 'red' }, strict)).status, 200)
})

test('a refusal of unknown fields is stored under the request’s Idempotency-Key', async () => {
  const key = { ...strict, 'idempotency-key': '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' }
  const first = await post({ name: 'x', colour: 'red' }, key)
  assertRefused(first, 'validation_failed')
  const replay = await post({ name: 'x' }, key)
  assert.deepEqual([replay.text, replay.headers['idempotent-replayed']], [first.text, 'true'])
})

test('with handling=strict, a key without the write scope is refused before the fields are checked', async () => {
  const reader = service.client(await createKey(service.environment, 'acme', ['*:read']))
  assertRefused(await reader('POST', '/customers.php', { nme: 'x' }, strict), 'forbidden')
})
