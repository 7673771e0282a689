import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { command, createKey, type Json, startService } from '../support/service.ts'

const service = await startService({ BODY_LIMIT_BYTES: '4096' })
const acme = await service.tenant('acme')
const zeta = await service.tenant('zeta')

/** The rows of a tenant's history, oldest first. */
async function history(slug: string): Promise<Json[]> {
  const tenantDatabase = await tenantDatabaseOf(service.environment, slug)
  const rows = await tenantDatabase.all('select * from changes order by seq')
  return rows.map((row) => ({ ...row, before: JSON.parse(row.before), after: JSON.parse(row.after) }))
}

/** Calls `change`, and returns the rows that it adds to the history of acme. */
async function rowsAddedBy(change: () => Promise<unknown>): Promise<Json[]> {
  const before = await history('acme')
  await change()
  const after = await history('acme')
  assert.deepEqual(after.slice(0, before.length), before, 'existing rows of the history never change')
  return after.slice(before.length)
}

async function createCustomer(name: string): Promise<number> {
  return (await acme('POST', '/customers.php', { name })).body.id
}

test('a creation adds one history row with the time, record, API key, request, change set and all new values', async () => {
  const token = await createKey(service.environment, 'acme')
  const keys = JSON.parse((await command(service.environment, 'key', 'list', 'acme', '--json')).stdout) as Json[]
  const input = { name: ' Head office ', is_active: 0 }
  const created = await service.client(token)('POST', '/customers.php', input, { 'x-request-id': 'request-1' })
  const row = (await history('acme')).at(-1)
  const { id, created_at, updated_at, ...values } = created.body
  assert.equal(keys.find((key) => key.id === row.api_key_id)?.id, token.slice(4, 14))
  assert.deepEqual(row, {
    seq: row.seq,
    at: created_at,
    resource: 'customers',
    record_id: id,
    action: 'create',
    before: null,
    after: values,
    api_key_id: token.slice(4, 14),
    user_id: null,
    request_id: 'request-1',
    change_set: created.headers['change-set'],
  })
  assert.deepEqual([values.name, values.is_active, values.city], ['Head office', false, null])
})

test('an update adds one history row with only the changed fields', async () => {
  const id = (await acme('POST', '/customers.php', { name: 'A', city: 'Izmir', type: 'client' })).body.id
  const body = { name: 'A', city: 'Ankara', type: null, country: 'TR', colour: 'red' }
  let updated: Json
  const rows = await rowsAddedBy(async () => {
    updated = await acme('PUT', `/customers.php?id=${id}`, body, { 'x-request-id': 'request-2' })
  })
  assert.equal(rows.length, 1)
  const { seq, api_key_id, change_set, ...row } = rows[0]
  assert.deepEqual(row, {
    at: updated.body.updated_at,
    resource: 'customers',
    record_id: id,
    action: 'update',
    before: { city: 'Izmir', type: 'client', country: null },
    after: { city: 'Ankara', type: 'branch', country: 'TR' },
    user_id: null,
    request_id: 'request-2',
  })
})

test('a deletion adds one history row with all previous values and no new values', async () => {
  const created = await acme('POST', '/customers.php', { name: 'Short-lived', is_active: false, notes: 'Ünïcödé 🏢' })
  const rows = await rowsAddedBy(() =>
    acme('DELETE', `/customers.php?id=${created.body.id}`, undefined, { 'x-request-id': 'r' }),
  )
  const { id, created_at, updated_at, ...values } = created.body
  assert.equal(rows.length, 1)
  const { action, record_id, before, after, request_id } = rows[0]
  assert.deepEqual([action, record_id, after, request_id], ['delete', id, null, 'r'])
  assert.deepEqual(before, values)
})

test('a history row contains the resource’s name and the values of references', async () => {
  const id = await createCustomer('C')
  const rows = await rowsAddedBy(async () => {
    const employee = (await acme('POST', '/employees.php', { customer_id: id, email: 'e@x.y' })).body.id
    const hardware = (await acme('POST', '/hardware.php', { employee_id: employee })).body.id
    const newEmployee = (await acme('POST', '/employees.php', { customer_id: id, email: 'f@x.y' })).body.id
    await acme('PUT', `/hardware.php?id=${hardware}`, { employee_id: newEmployee })
    await acme('DELETE', `/hardware.php?id=${hardware}`)
  })
  const summaries = rows.map((row) => [row.resource, row.action, (row.after ?? row.before).employee_id])
  const [first, second] = [rows[0].record_id, rows[2].record_id]
  assert.deepEqual(summaries, [
    ['employees', 'create', undefined],
    ['hardware', 'create', first],
    ['employees', 'create', undefined],
    ['hardware', 'update', second],
    ['hardware', 'delete', second],
  ])
  assert.deepEqual([rows[3].before, rows[3].after], [{ employee_id: first }, { employee_id: second }])
})

test('if a request has no X-Request-Id, its history row has the request id of the response', async () => {
  const created = await acme('POST', '/customers.php', { name: 'A' })
  assert.equal((await history('acme')).at(-1).request_id, created.headers['x-request-id'])
})

test('a refused change does not add a row to the history', async () => {
  const id = await createCustomer('C')
  const employee = (await acme('POST', '/employees.php', { customer_id: id, email: 'e@x.y' })).body.id
  assert.equal((await acme('POST', '/hardware.php', { employee_id: employee, asset_tag: 'TD-1' })).status, 201)
  const reader = service.client(await createKey(service.environment, 'acme', ['*:read']))
  const path = `/customers.php?id=${id}`
  const responses: string[] = []
  const rows = await rowsAddedBy(async () => {
    for (const response of [
      await acme('POST', '/customers.php', '{'),
      await acme('POST', '/customers.php', []),
      await acme('POST', '/customers.php', { name: 'x'.repeat(5000) }),
      await acme('POST', '/customers.php', { name: '' }),
      await acme('POST', '/customers.php', { name: 'x' }, { 'idempotency-key': 'x' }),
      await acme('POST', '/employees.php', { customer_id: 9876, email: 'e@x.y' }),
      await acme('POST', '/hardware.php', { employee_id: 9876 }),
      await acme('POST', '/hardware.php', { employee_id: employee, asset_tag: 'TD-1' }),
      await acme('PUT', '/customers.php', { name: 'x' }),
      await acme('PUT', path, { id: 1 }),
      await acme('PUT', path, { name: 'x' }, { 'if-match': '"x"' }),
      await acme('PUT', '/customers.php?id=9876', { name: 'x' }),
      await acme('DELETE', path),
      await acme('DELETE', path, undefined, { 'if-match': '"x"' }),
      await acme('PATCH', path, { name: 'x' }),
      await reader('DELETE', path),
    ]) {
      responses.push(String(response.status))
    }
  })
  assert.equal(responses.join(' '), '400 400 413 422 400 422 422 422 400 400 412 404 409 412 405 403')
  assert.deepEqual(rows, [])
})

test('a read does not add a row to the history', async () => {
  const path = `/customers.php?id=${await createCustomer('C')}`
  const rows = await rowsAddedBy(async () => {
    for (const [method, read] of [
      ['GET', path],
      ['HEAD', path],
      ['GET', '/customers.php'],
    ] as const) {
      assert.equal((await acme(method, read)).status, 200)
    }
  })
  assert.deepEqual(rows, [])
})

test('a replay does not add a row to the history, and the existing row keeps the id of the first request', async () => {
  const keys = [randomUUID(), randomUUID(), randomUUID()].map((key) => ({ 'idempotency-key': key }))
  const id = await createCustomer('C')
  const rows = await rowsAddedBy(async () => {
    for (const requestId of ['first', 'second', 'third']) {
      const header = { 'x-request-id': requestId }
      await acme('POST', '/customers.php', { name: 'A' }, { ...keys[0], ...header })
      await acme('PUT', `/customers.php?id=${id}`, { name: requestId }, { ...keys[1], ...header })
      await acme('DELETE', `/customers.php?id=${id}`, undefined, { ...keys[2], ...header })
    }
  })
  assert.deepEqual(
    rows.map((row) => [row.action, row.request_id]),
    [
      ['create', 'first'],
      ['update', 'first'],
      ['delete', 'first'],
    ],
  )
})

test('each of several concurrent changes adds one history row, numbered without gaps', async () => {
  const createRefused = () => acme('POST', '/hardware.php', { employee_id: 9876 })
  const rows = await rowsAddedBy(() =>
    Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0 ? createRefused() : createCustomer(`concurrent ${index}`),
      ),
    ),
  )
  assert.equal(rows.length, 30)
  assert.equal(new Set(rows.map((row) => row.record_id)).size, 30)
  const all = await history('acme')
  assert.deepEqual(
    all.map((row) => row.seq),
    all.map((_, index) => index + 1),
  )
})

test('each tenant has its own history', async () => {
  const acmeHistory = await history('acme')
  await zeta('POST', '/customers.php', { name: 'Zeta only' })
  assert.deepEqual(await history('acme'), acmeHistory)
  const zetaHistory = await history('zeta')
  assert.deepEqual([zetaHistory.length, zetaHistory[0].seq, zetaHistory[0].after.name], [1, 1, 'Zeta only'])
})

test('after the clock was set back, as_of with the present time shows every record once something has changed', async () => {
  const day = 86_400_000
  let time = Date.parse('2030-01-01T00:00:00.000Z')
  const { client, environment } = await startService({}, { now: () => new Date(time), nodes: 1 })
  await command(environment, 'tenant', 'create', 'jump')
  const jump = client(await createKey(environment, 'jump'))
  await jump('POST', '/customers.php', { name: 'Before' })
  time += 700 * day
  await jump('POST', '/customers.php', { name: 'In the future' })
  time -= 699 * day
  await jump('POST', '/customers.php', { name: 'After' })
  const namesAt = async (at: string) =>
    (await jump('GET', `/customers.php?as_of=${at}`)).body.data.map(({ name }: Json) => name)
  assert.deepEqual(await namesAt(new Date(time).toISOString()), ['Before', 'In the future', 'After'])
  assert.deepEqual(await namesAt('2030-01-01T12:00:00.000Z'), ['Before'])
})
