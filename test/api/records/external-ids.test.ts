// External ids: clients address records by ids from their own systems (contract §14).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { type Client, createKey, type Response, startService } from '../../support/service.ts'

const { tenant, client, environment } = await startService()

/** Returns a response's status, followed by the error code if the response is an error. */
function result({ status, body }: Response): [number, string?] {
  return body?.error ? [status, body.error.code] : [status]
}

/** Creates a tenant with one record of each resource, each with an external id. Returns its client. */
async function createTenantWithRecords(slug: string): Promise<Client> {
  const acme = await tenant(slug)
  await acme('POST', '/customers.php', { name: 'Head office', external_id: 'b-7' })
  await acme('POST', '/employees.php', { customer_external_id: 'b-7', email: 'ada@example.com', external_id: 'hr 1' })
  await acme('POST', '/hardware.php', { employee_external_id: 'hr 1', external_id: 'HW-1' })
  return acme
}

test('GET, PUT and DELETE can select a record by external id, which is trimmed and then compared exactly', async () => {
  const acme = await createTenantWithRecords('selects')
  const { body } = await acme('GET', '/hardware.php?id=1')
  for (const query of ['HW-1', '%20HW-1%20']) {
    assert.deepEqual((await acme('GET', `/hardware.php?external_id=${query}`)).body, body)
  }
  for (const query of ['hw-1', 'HW', 'HW-1x', '%EF%BC%A8W-1', 'x'.repeat(500)]) {
    assert.deepEqual(result(await acme('GET', `/hardware.php?external_id=${query}`)), [404, 'not_found'])
    assert.deepEqual(result(await acme('DELETE', `/hardware.php?external_id=${query}`)), [404, 'not_found'])
  }
  for (const option of ['include=employee.customer&', 'history=assignments&']) {
    const path = `/hardware.php?${option}`
    const byExternalId = await acme('GET', `${path}external_id=HW-1`)
    assert.deepEqual([byExternalId.status, byExternalId.body], [200, (await acme('GET', `${path}id=1`)).body])
  }
  const { headers } = await acme('GET', '/hardware.php?external_id=HW-1')
  const known = { 'if-none-match': String(headers.etag) }
  assert.equal((await acme('GET', '/hardware.php?external_id=HW-1', undefined, known)).status, 304)
  assert.equal((await acme('PUT', '/hardware.php?external_id=HW-1', { model: 'M' })).body.model, 'M')
  assert.deepEqual((await acme('DELETE', '/hardware.php?external_id=HW-1')).body, { id: 1, deleted: true })
  assert.deepEqual(result(await acme('GET', '/hardware.php?external_id=HW-1')), [404, 'not_found'])
})

test('every external id that can be created can be addressed; bytes that are not UTF-8 address nothing', async () => {
  const acme = await tenant('odd')
  for (const id of [
    '\u{FFFD}',
    'a\u{1}b',
    'a\u{7F}\u{85}b',
    '\u{FFFE}\u{1FFFF}',
    'a\u{2028}b',
    '100%',
    'a+b&c=d#e;,[]',
    '😀',
  ]) {
    const query = `external_id=${encodeURIComponent(id)}`
    const { status, body } = await acme('POST', '/customers.php', { name: 'N', external_id: id })
    assert.deepEqual([status, body.external_id], [201, id])
    assert.equal((await acme('GET', `/customers.php?${query}`)).body.id, body.id)
    assert.equal((await acme('PUT', `/customers.php?${query}`, { name: 'M' })).body.id, body.id)
    const operations = [{ method: 'PUT', resource: 'customers', external_id: id, body: { city: 'C' } }]
    assert.equal((await acme('POST', '/bulk.php', { operations })).body.results[0].body.id, body.id)
  }
  for (const query of [
    'external_id=%FC',
    'external_id=%EF%BF',
    'external_id=%ED%A0%80',
    'q=%FC',
    'external_id[in]=%FC',
  ]) {
    const { status, body } = await acme('GET', `/customers.php?${query}`)
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], query)
    assert.match(body.error.message, /must be text without U\+0000, in UTF-8\.$/)
  }
  for (const external_id of ['\ud800', 'a\0'])
    assert.deepEqual(result(await acme('POST', '/customers.php', { name: 'N', external_id })), [
      422,
      'validation_failed',
    ])
  assert.equal((await acme('DELETE', `/customers.php?external_id=${encodeURIComponent('\u{FFFD}')}`)).status, 200)
})

test('as_of finds the record that had the external id at that time', async () => {
  const acme = await createTenantWithRecords('moment')
  const then = (await acme('GET', '/customers.php?id=1')).body.created_at
  await eventually('the clock has advanced', () => new Date().toISOString() > then)
  await acme('PUT', '/customers.php?id=1', { external_id: 'b-8' })
  await acme('POST', '/customers.php', { name: 'Another', external_id: 'b-7' })
  assert.equal((await acme('GET', '/customers.php?external_id=b-7')).body.id, 2)
  assert.equal((await acme('GET', `/customers.php?external_id=b-7&as_of=${then}`)).body.id, 1)
  assert.deepEqual(result(await acme('GET', `/customers.php?external_id=b-8&as_of=${then}`)), [404, 'not_found'])
})

test('an external_id that is empty, repeated or combined with an id is refused; PUT and DELETE require an id or an external_id', async () => {
  const acme = await createTenantWithRecords('refuses')
  const invalid = [
    'id=1&external_id=HW-1',
    'id=&external_id=HW-1',
    'external_id=',
    'external_id=%20',
    'external_id=%00',
    'external_id=%FF',
    'external_id=%ED%A0%80',
  ]
  for (const query of [...invalid, 'external_id=HW-1&external_id=HW-1', 'external_id']) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { model: 'M' } : undefined
      const response = await acme(method, `/hardware.php?${query}`, body)
      assert.deepEqual(result(response), [400, 'invalid_request'], `${method} ${query}`)
      assert.match(response.body.error.message, /external_id/)
    }
  }
  for (const method of ['PUT', 'DELETE']) {
    assert.deepEqual(result(await acme(method, '/hardware.php', { model: 'M' })), [400, 'missing_id'])
  }
})

test('lists can be filtered by external_id[in], and q also searches external ids', async () => {
  const acme = await createTenantWithRecords('lists')
  const idsOf = async (query: string) =>
    (await acme('GET', `/hardware.php?${query}`)).body.data.map(({ id }: { id: number }) => id)
  await acme('POST', '/hardware.php', { employee_id: 1, external_id: 'hw-1' })
  assert.deepEqual(await idsOf('external_id[in]=HW-1'), [1])
  assert.deepEqual(await idsOf('external_id[in]=HW-1,hw-1'), [1, 2])
  assert.deepEqual(await idsOf('q=Hw-1'), [1, 2])
})

test('PUT by external id creates a record under the same rules as POST, or updates the existing record', async () => {
  const acme = await createTenantWithRecords('upserts')
  const path = '/employees.php?external_id=hr%202'
  const created = await acme('PUT', path, { customer_external_id: ' b-7 ', email: 'bob@example.com' })
  assert.deepEqual([created.status, created.body.id, created.body.external_id], [201, 2, 'hr 2'])
  assert.deepEqual([created.body.customer_id, created.body.kind], [1, 'person'])
  assert.match(String(created.headers.location), /\/employees\.php\?id=2$/)
  const read = await acme('GET', '/employees.php?id=2')
  assert.deepEqual([read.body, read.headers.etag], [created.body, created.headers.etag])

  const updated = await acme('PUT', path, { external_id: ' hr 2', kind: 'storage' })
  assert.deepEqual([updated.status, updated.headers.location], [200, undefined])
  assert.deepEqual(updated.body, { ...created.body, kind: 'storage', updated_at: updated.body.updated_at })
  const { body: history } = await acme('GET', '/changes.php?resource=employees&id=2')
  assert.deepEqual(
    history.data.map(({ action }: { action: string }) => action),
    ['create', 'update'],
  )
  const missing = await acme('PUT', '/employees.php?external_id=hr%203', { kind: 'storage', name: 5 })
  assert.deepEqual(result(missing), [422, 'validation_failed'])
  assert.deepEqual(missing.body.fields, ['customer_id', 'email', 'name'])
  const long = await acme('PUT', `/customers.php?external_id=${'x'.repeat(101)}`, { name: 'N' })
  assert.deepEqual([result(long), long.body.fields], [[422, 'validation_failed'], ['external_id']])
  const wrong = await acme('PUT', path, { name: 5, email: null })
  assert.deepEqual(wrong.body.fields, ['email', 'name'])
})

test('an upsert is refused if its body contains another external id or no fields', async () => {
  const acme = await createTenantWithRecords('bodies')
  for (const externalId of ['b-7', 'new']) {
    const path = `/customers.php?external_id=${externalId}`
    for (const other of ['b-8', null, '', 7, 'B-7']) {
      const response = await acme('PUT', path, { name: 5, external_id: other })
      assert.deepEqual(result(response), [400, 'invalid_request'], String(other))
    }
    assert.deepEqual(result(await acme('PUT', path, {})), [400, 'no_fields'])
    assert.deepEqual(result(await acme('PUT', path, '{')), [400, 'invalid_json'])
    assert.deepEqual(result(await acme('PUT', path, [])), [400, 'invalid_request'])
  }
  assert.deepEqual(result(await acme('PUT', '/customers.php?id=1', { external_id: null })), [200])
})

test('If-Match limits an upsert to an existing record, and If-None-Match: * limits it to a new one; both are checked after the fields', async () => {
  const acme = await createTenantWithRecords('preconditions')
  const put = (externalId: string, headers: Record<string, string>, body: object = { name: 'N' }) =>
    acme('PUT', `/customers.php?external_id=${externalId}`, body, headers)
  const etag = String((await acme('GET', '/customers.php?id=1')).headers.etag)
  for (const match of ['*', etag]) {
    assert.deepEqual(result(await put('none', { 'if-match': match })), [412, 'precondition_failed'])
  }
  assert.deepEqual(result(await put('none', { 'if-match': '*' }, { city: 'C' })), [422, 'validation_failed'])
  assert.deepEqual(result(await put('b-7', { 'if-none-match': '*' })), [412, 'precondition_failed'])
  assert.deepEqual(result(await put('b-7', { 'if-none-match': '*' }, { name: 5 })), [422, 'validation_failed'])
  assert.deepEqual(result(await put('b-7', { 'if-match': '"stale"' })), [412, 'precondition_failed'])
  assert.deepEqual(result(await put('b-7', { 'if-match': etag })), [200])
  assert.deepEqual(result(await put('none', { 'if-none-match': '*' })), [201])
  const byId = await acme('PUT', '/customers.php?id=1', { name: 'O' }, { 'if-none-match': '*' })
  assert.deepEqual(result(byId), [200])
})

test('an upsert requires the :write scope, or both :create and :update; scopes are checked before the rest of the request', async () => {
  const acme = await createTenantWithRecords('scopes')
  const withScopes = async (...scopes: string[]) => client(await createKey(environment, 'scopes', scopes))
  for (const scopes of [['customers:create'], ['customers:update'], ['customers:read', 'employees:write']]) {
    const caller = await withScopes(...scopes)
    for (const query of ['external_id=b-7', 'external_id=new', 'external_id=', 'external_id=b-7&id=1']) {
      const response = await caller('PUT', `/customers.php?${query}`, '{', { 'idempotency-key': 'no uuid' })
      assert.deepEqual(result(response), [403, 'forbidden'])
    }
  }
  for (const scopes of [['customers:write'], ['customers:create', 'customers:update'], ['*:write']]) {
    const caller = await withScopes(...scopes)
    assert.deepEqual(result(await caller('PUT', '/customers.php?external_id=b-7', { name: 'N' })), [200])
  }
  const key = { 'idempotency-key': randomUUID() }
  assert.deepEqual(result(await acme('PUT', '/customers.php?external_id=n', { name: 'N' }, key)), [201])
  const updater = await withScopes('customers:update')
  assert.deepEqual(result(await updater('PUT', '/customers.php?id=1', { name: 'N' }, key)), [403, 'forbidden'])
})

test('POST and PUT accept a reference by external id', async () => {
  const acme = await createTenantWithRecords('references')
  await acme('POST', '/customers.php', { name: 'Branch', external_id: 'b-8' })
  const path = '/employees.php?id=1'
  assert.equal((await acme('PUT', path, { customer_external_id: 'b-8' })).body.customer_id, 2)
  assert.equal('customer_external_id' in (await acme('GET', path)).body, false)
  const { data } = (await acme('GET', '/changes.php?resource=employees&action=update')).body
  assert.deepEqual([data[0].before, data[0].after], [{ customer_id: 1 }, { customer_id: 2 }])
  assert.equal((await acme('GET', '/employees.php?customer_id=2')).body.data.length, 1)
  for (const absent of [null, '', ' ']) {
    const changed = await acme('PUT', path, { customer_external_id: absent, name: 'N' })
    assert.deepEqual([changed.status, changed.body.customer_id], [200, 2])
    assert.deepEqual(result(await acme('PUT', path, { customer_external_id: absent })), [400, 'no_fields'])
  }
  const email = 'bob@example.com'
  const bodies: [object, [number, string?], object?][] = [
    [{ customer_external_id: 'B-8', email }, [422, 'invalid_customer']],
    [{ customer_external_id: null, email }, [422, 'validation_failed'], { customer_id: 'required' }],
    [{ customer_external_id: 5, email }, [422, 'validation_failed'], { customer_external_id: 'invalid_text' }],
    [
      { customer_external_id: 'x'.repeat(101), email },
      [422, 'validation_failed'],
      { customer_external_id: 'too_long' },
    ],
    [
      { customer_id: 2, customer_external_id: 'b-8', email },
      [422, 'validation_failed'],
      { customer_external_id: 'not_in_list' },
    ],
    [
      { customer_id: 'x', customer_external_id: 'b-8', email: 5 },
      [422, 'validation_failed'],
      { customer_external_id: 'not_in_list', customer_id: 'invalid_int', email: 'invalid_email' },
    ],
  ]
  for (const [body, expected, errors] of bodies) {
    const response = await acme('POST', '/employees.php', body)
    assert.deepEqual(result(response), expected, JSON.stringify(body))
    const codes = Object.entries(response.body.errors ?? {}).map(([name, error]) => [
      name,
      (error as { code: string }).code,
    ])
    assert.deepEqual(Object.fromEntries(codes), errors ?? {})
  }
  const unknown = { employee_external_id: 'nobody' }
  assert.deepEqual(result(await acme('PUT', '/hardware.php?id=1', unknown)), [422, 'invalid_employee'])
  assert.deepEqual(result(await acme('PUT', '/hardware.php?id=99', unknown)), [404, 'not_found'])
  assert.deepEqual(result(await acme('PUT', '/hardware.php?external_id=new', unknown)), [422, 'invalid_employee'])
  assert.equal((await acme('GET', '/employees.php?total=true')).body.page.total, 1)
})

test('if several upserts of one external id run concurrently, one creates the record and the others update the record', async () => {
  const acme = await createTenantWithRecords('concurrent')
  for (const externalId of ['a', 'b', 'c', 'd']) {
    const upserts = Array.from({ length: 12 }, (_, index) =>
      acme('PUT', `/employees.php?external_id=${externalId}`, {
        customer_external_id: 'b-7',
        email: 'a@b.c',
        department: `D${index}`,
      }),
    )
    const statuses = (await Promise.all(upserts)).map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array<number>(11).fill(200), 201])
  }
  assert.equal((await acme('GET', '/employees.php?total=true')).body.page.total, 5)
})

test('an upsert runs once per Idempotency-Key', async () => {
  const acme = await createTenantWithRecords('once')
  const headers = { 'idempotency-key': randomUUID() }
  const upsert = () => acme('PUT', '/customers.php?external_id=new', { name: 'N' }, headers)
  const responses = await Promise.all([upsert(), upsert(), upsert()])
  for (const { status, body, headers } of responses) {
    assert.deepEqual([status, body, headers.location], [201, responses[0]!.body, responses[0]!.headers.location])
  }
  await acme('DELETE', '/customers.php?external_id=new')
  assert.equal((await upsert()).headers['idempotent-replayed'], 'true')
  assert.deepEqual(result(await acme('GET', '/customers.php?external_id=new')), [404, 'not_found'])
})
