// Assignments are derived from the history: which employees have held a piece of hardware, and which customers an
// employee has belonged to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKey, type Json, startService } from '../../support/service.ts'

let seconds = 0
const service = await startService({}, { now: () => new Date(Date.UTC(2030, 0, 1, 0, 0, ++seconds)) })
const acme = await service.tenant('acme')

async function create(path: string, values: object): Promise<Json> {
  const { status, body, text } = await acme('POST', path, values)
  assert.equal(status, 201, text)
  return body
}

async function change(path: string, values: object): Promise<string> {
  const { status, body, text } = await acme('PUT', path, values)
  assert.equal(status, 200, text)
  return body.updated_at
}

const [first, second] = [await create('/customers.php', { name: 'A' }), await create('/customers.php', { name: 'B' })]
const ada = await create('/employees.php', { customer_id: first.id, email: 'ada@example.com' })
const bob = await create('/employees.php', { customer_id: second.id, email: 'bob@example.com' })

test('the assignments of a piece of hardware list who held it in each period, even if the same employee held it twice', async () => {
  const created = await create('/hardware.php', { employee_id: ada.id })
  const path = `/hardware.php?id=${created.id}`
  await change(path, { status: 'in_repair', notes: 'between' })
  const toBob = await change(path, { employee_id: bob.id, name: 'x' })
  await change(path, { employee_id: bob.id })
  const back = await change(path, { employee_id: ada.id })
  const { status, body } = await acme('GET', `${path}&history=assignments`)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    id: created.id,
    assignments: [
      { employee_id: ada.id, from: created.created_at, to: toBob },
      { employee_id: bob.id, from: toBob, to: back },
      { employee_id: ada.id, from: back, to: null },
    ],
  })
})

test('the assignments of an employee list the customer that the employee belonged to in each period', async () => {
  const moved = await change(`/employees.php?id=${bob.id}`, { customer_id: first.id })
  const { body } = await acme('GET', `/employees.php?id=${bob.id}&history=assignments`)
  assert.deepEqual(body.assignments, [
    { customer_id: second.id, from: bob.created_at, to: moved },
    { customer_id: first.id, from: moved, to: null },
  ])
})

test('revalidating a record’s assignments returns 304 until the record is reassigned', async () => {
  const path = `/employees.php?id=${ada.id}&history=assignments`
  const { etag } = (await acme('GET', path)).headers
  const revalidate = async () => (await acme('GET', path, undefined, { 'if-none-match': etag! })).status
  assert.equal(await revalidate(), 304)
  await change(`/employees.php?id=${ada.id}`, { customer_id: second.id })
  assert.equal(await revalidate(), 200)
})

test('a deleted record’s assignments stay readable, and the last assignment ends at the deletion', async () => {
  const created = await create('/hardware.php', { employee_id: ada.id })
  const path = `/hardware.php?id=${created.id}`
  const toBob = await change(path, { employee_id: bob.id })
  await acme('DELETE', path)
  const [deletion] = (await acme('GET', `/changes.php?resource=hardware&id=${created.id}&action=delete`)).body.data
  const { status, body } = await acme('GET', `${path}&history=assignments`)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    id: created.id,
    assignments: [
      { employee_id: ada.id, from: created.created_at, to: toBob },
      { employee_id: bob.id, from: toBob, to: deletion.at },
    ],
  })
  assert.equal((await acme('GET', path)).status, 404)
})

test('reading a deleted record’s assignments requires the read scope for its resource', async () => {
  const { id } = await create('/hardware.php', { employee_id: ada.id })
  await acme('DELETE', `/hardware.php?id=${id}`)
  const statusWith = async (...scopes: string[]) => {
    const client = service.client(await createKey(service.environment, 'acme', scopes))
    return (await client('GET', `/hardware.php?id=${id}&history=assignments`)).status
  }
  assert.equal(await statusWith('hardware:read'), 200)
  assert.equal(await statusWith('*:write', 'changes:read', 'employees:read'), 403)
})

test('a request for the assignments of an unknown record, or of another tenant’s record, is refused with 404', async () => {
  const { id } = await create('/hardware.php', { employee_id: ada.id })
  await acme('DELETE', `/hardware.php?id=${id}`)
  const other = await service.tenant('other')
  for (const [client, recordId] of [
    [acme, 987654],
    [acme, 0],
    [acme, '-1'],
    [other, id],
  ] as const) {
    const { status, body } = await client('GET', `/hardware.php?id=${recordId}&history=assignments`)
    assert.deepEqual([status, body.error.code], [404, 'not_found'])
  }
})

test('a request for assignments is refused with a hint if the history value, the resource or another parameter is invalid', async () => {
  const refusals: [path: string, message: RegExp][] = [
    ['/hardware.php?id=1&history=all', /^history "all" is unknown; allowed: assignments\.$/],
    ['/hardware.php?id=1&history=', /^history "" is unknown/],
    ['/hardware.php?id=1&history=assignments&history=assignments', /^history is given more than once/],
    ['/customers.php?id=1&history=assignments', /^history "assignments" is unknown; this endpoint takes none\.$/],
    ['/hardware.php?id=1&history=assignments&include=employee', /^history cannot be combined/],
    ['/hardware.php?id=1&history=assignments&as_of=2026-06-01T00:00:00Z', /^history cannot be combined/],
    ['/hardware.php?history=assignments', /^There is no parameter "history"/],
  ]
  for (const [path, message] of refusals) {
    const { status, body } = await acme('GET', path)
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], path)
    assert.match(body.error.message, message)
  }
})
