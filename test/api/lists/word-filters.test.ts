// Filtering by words, by relative days, and by fields of the employee who holds the hardware (contract §9).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { createKey, type Json, startService } from '../../support/service.ts'

let now = new Date('2026-06-01T10:00:00.000Z')
const { environment, tenant, client } = await startService({}, { now: () => now })
const acme = await tenant('acme')

await acme('POST', '/customers.php', { name: 'Berlin' })
const people = [
  { name: 'Ada', department: 'Sales', end_date: '2026-06-30' },
  { name: 'Stock', kind: 'storage' },
  { name: 'Left', is_active: false },
  { name: 'Gone', end_date: '2026-05-31', department: 'IT' },
]
for (const [index, person] of people.entries())
  await acme('POST', '/employees.php', { customer_id: 1, email: `p${index}@example.com`, ...person })
const items = [
  { employee_id: 1, status: 'in_repair', serial_number: 'S1', asset_tag: 'TD-1', warranty_end: '2026-06-01' },
  { employee_id: 2, status: 'spare', serial_number: 'S2', warranty_end: '2026-07-31' },
  { employee_id: 3, serial_number: 'S3', asset_tag: 'TD-3', warranty_end: '2026-05-31', due_back: '2026-05-30' },
  { employee_id: 4, asset_tag: 'TD-4', due_back: '2026-06-05', notes: 'the "status": is odd' },
]
for (const item of items) await acme('POST', '/hardware.php', item)
now = new Date('2026-06-10T10:00:00.000Z')
await acme('PUT', '/hardware.php?id=1', { notes: 'the "status": stays' })
await acme('PUT', '/hardware.php?id=4', { status: 'in_repair' })
now = new Date('2026-06-20T10:00:00.000Z')

async function filteredIds(list: string, query: string): Promise<number[]> {
  const { status, body, text } = await acme('GET', `/${list}.php?total=true&${query}`)
  assert.equal(status, 200, text)
  const ids = body.data.map(({ id }: Json) => id)
  assert.equal(body.page.total, ids.length, query)
  return ids
}

const idsByQuery: Record<string, number[]> = {
  'warranty=valid': [2],
  'warranty=expired': [1, 3],
  'warranty=none': [4],
  'warranty=60d': [2],
  'warranty=30d': [],
  'warranty_end[lt]=today&warranty_end[gte]=-19d': [1],
  'loan=out': [3, 4],
  'loan=overdue': [3, 4],
  'due_back[gte]=-15d': [4],
  'status_since[lt]=-14d': [1, 2, 3],
  'status=in_repair&status_since[lt]=-14d': [1],
  'status=in_repair&status_since[gte]=-14d': [4],
  'status_since[gt]=2026-06-10T09:59:59Z': [4],
  'missing=serial_number,asset_tag': [2, 4],
  'missing=serial_number&sort=-id': [4],
  'employee.kind=storage': [2],
  'employee.kind[ne]=storage&sort=name': [1, 3, 4],
  'employee.department=IT': [4],
  'employee.department[in]=IT,Sales': [1, 4],
  'employee.employment=left': [3, 4],
  'employee.employment=current': [1, 2],
  'employee.employment=30d': [1],
  'updated_at[gte]=-10d': [1, 4],
}

test('hardware can be filtered by words, relative days, empty fields and the holder’s fields', async () => {
  for (const [query, ids] of Object.entries(idsByQuery))
    assert.deepEqual(await filteredIds('hardware', query), ids, query)
  assert.deepEqual(await filteredIds('employees', 'employment=left'), [3, 4])
  assert.deepEqual(await filteredIds('employees', 'employment=15d&missing=phone'), [1])
})

test('records can be filtered by the change set that created them', async () => {
  const created = await acme('POST', '/bulk.php', {
    operations: [
      { method: 'POST', resource: 'customers', body: { name: 'Bonn' } },
      { method: 'PUT', resource: 'customers', id: 1, body: { city: 'Berlin' } },
      { method: 'POST', resource: 'customers', body: { name: 'Ulm' } },
    ],
  })
  const { change_set } = created.body
  const ids = [created.body.results[0].body.id, created.body.results[2].body.id]
  assert.deepEqual(await filteredIds('customers', `created_in=${change_set}`), ids)
  assert.deepEqual(await filteredIds('customers', `created_in=${change_set.toUpperCase()}&name=Ulm`), [ids[1]])
  assert.deepEqual(await filteredIds('employees', `created_in=${change_set}`), [])
  assertRefused(await acme('GET', '/customers.php?created_in=1'), 'invalid_request')
  const past = `created_in=${change_set}&as_of=2026-06-20T09:00:00Z`
  assertRefused(await acme('GET', `/customers.php?${past}`), 'invalid_request')
})

test('the last day of a warranty, a loan or an employment belongs to it, from midnight to midnight in UTC', async () => {
  const days = ['2026-06-19', '2026-06-20', '2026-06-27', '2026-06-28']
  const tenantWithDays = await tenant('days')
  await tenantWithDays('POST', '/customers.php', { name: 'Berlin' })
  for (const [index, day] of days.entries()) {
    const person = { customer_id: 1, email: `p${index}@example.com`, end_date: day }
    assert.equal((await tenantWithDays('POST', '/employees.php', person)).body.id, index + 1)
    await tenantWithDays('POST', '/hardware.php', { employee_id: index + 1, warranty_end: day, due_back: day })
  }
  const expected = {
    'hardware.php?warranty=expired': [1],
    'hardware.php?warranty=valid': [2, 3, 4],
    'hardware.php?warranty=7d': [2, 3],
    'hardware.php?loan=overdue': [1],
    'hardware.php?loan=7d': [2, 3],
    'hardware.php?employee.employment=left': [1],
    'employees.php?employment=left': [1],
    'employees.php?employment=current': [2, 3, 4],
    'employees.php?employment=7d': [2, 3],
  }
  for (const moment of ['2026-06-20T00:00:00.000Z', '2026-06-20T23:59:59.999Z']) {
    now = new Date(moment)
    for (const [query, ids] of Object.entries(expected)) {
      const { body } = await tenantWithDays('GET', `/${query}`)
      const listed = body.data.map(({ id }: Json) => id)
      assert.deepEqual(listed, ids, `${query} at ${moment}`)
    }
  }
  now = new Date('2026-06-20T10:00:00.000Z')
})

test('with as_of, filters use the values at that time, and words and relative days are evaluated as of that day', async () => {
  const asOf = 'as_of=2026-06-01T23:00:00Z'
  assert.deepEqual(await filteredIds('hardware', `${asOf}&warranty=60d`), [1, 2])
  assert.deepEqual(await filteredIds('hardware', `${asOf}&loan=overdue&sort=name`), [3])
  assert.deepEqual(await filteredIds('hardware', `${asOf}&employee.employment=left&missing=serial_number`), [4])
  assert.deepEqual(await filteredIds('hardware', `${asOf}&employee.department=Sales&sort=-status`), [1])
  const refused = await acme('GET', `/hardware.php?${asOf}&status_since[lt]=-14d`)
  assertRefused(refused, 'invalid_request')
  assert.match(refused.body.error.message, /status_since/)
})

test('an invalid filter value is refused, and the message lists the valid values', async () => {
  const refusals = {
    'warranty=soon': /valid, expired, none, a number of days such as 60d/,
    'warranty=-5d': /a number of days/,
    'missing=colour': /allowed: name, /,
    'missing=status': /allowed: name, /,
    'missing=': /empty/,
    'status_since=-14d': /status_since\[gte\]/,
    'status_since[lt]=soon': /status_since\[lt\]/,
    'employee.email=p0@example.com': /There is no parameter/,
    'warranty_end=tomorrow': /YYYY-MM-DD/,
  }
  for (const [query, message] of Object.entries(refusals)) {
    const refused = await acme('GET', `/hardware.php?${query}`)
    assertRefused(refused, 'invalid_request', query)
    assert.match(refused.body.error.message, message)
  }
})

test('filtering by the holder’s fields requires the scope employees:read, in lists and in exports', async () => {
  const reader = client(await createKey(environment, 'acme', ['hardware:read']))
  const both = client(await createKey(environment, 'acme', ['hardware:read', 'employees:read']))
  for (const query of ['employee.kind=storage', 'employee.department[in]=IT', 'format=csv&employee.employment=left']) {
    assertRefused(await reader('GET', `/hardware.php?${query}`), 'forbidden', query)
    assert.equal((await both('GET', `/hardware.php?${query}`)).status, 200, query)
  }
})

test('a cursor for a list filtered by relative days stays valid later on the same day', async () => {
  const first = await acme('GET', '/hardware.php?updated_at[gte]=-30d&missing=notes&limit=1')
  now = new Date('2026-06-20T23:00:00.000Z')
  const next = await acme('GET', first.headers.link!.match(/\/hardware[^>]*/)![0])
  assert.deepEqual(
    [...first.body.data, ...next.body.data].map(({ id }: Json) => id),
    [2, 3],
  )
})

test('the built-in view of expiring warranties uses the notice period from the tenant’s settings', async () => {
  const queryOf = async () => (await acme('GET', '/views.php?id=-4')).body.query
  assert.match(await queryOf(), /^warranty=60d&/)
  assert.equal((await acme('PUT', '/settings.php', { warranty_notice_days: 30 })).status, 200)
  assert.match(await queryOf(), /^warranty=30d&/)
  const { data } = (await acme('GET', '/views.php')).body
  assert.match(data.find(({ id }: Json) => id === -4).query, /^warranty=30d&/)
  assert.equal((await acme('PUT', '/settings.php', { warranty_notice_days: 60 })).status, 200)
})

test('the queries of built-in views work in the API, and built-in views cannot be changed', async () => {
  const { data } = (await acme('GET', '/views.php')).body
  const idsByView = await Promise.all(
    data.map(async ({ id, resource, query }: Json) => {
      const { status, body } = await acme('GET', `/${resource}.php?${query}`)
      assert.equal(status, 200, query)
      return [id, body.data.map(({ id }: Json) => id)]
    }),
  )
  assert.deepEqual(Object.fromEntries(idsByView), {
    '-9': [1],
    '-8': [4, 3],
    '-6': [2],
    '-5': [1],
    '-4': [2],
    '-3': [3, 4],
    '-2': [3, 4],
    '-1': [2, 4],
  })
  assert.equal((await acme('GET', '/views.php?id=-6')).body.name, 'In stock')
  assertRefused(await acme('PUT', '/views.php?id=-6', { name: 'Mine' }), 'forbidden')
  assertRefused(await acme('DELETE', '/views.php?id=-1'), 'forbidden')
})
