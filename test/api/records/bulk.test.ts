// Bulk requests (contract §15): many changes in one transaction.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { createKey, engine, type Json, makeTenant, networkClient, runs, startService } from '../../support/service.ts'

const service = await startService({ BULK_LIMIT: '50' })
const acme = await service.tenant('acme')

const createCustomer = (name: string, fields: object = {}) => ({
  method: 'POST',
  resource: 'customers',
  body: { name, ...fields },
})
const bulk = (operations: unknown, members: object = {}, headers: Record<string, string> = {}) =>
  acme('POST', '/bulk.php', { operations, ...members }, headers)
const count = async (client = acme) => (await client('GET', '/customers.php?total=true&limit=1')).body.page.total

test('a bulk request applies its operations in order, and each operation sees the changes of earlier ones', async () => {
  const before = await count()
  const { status, body } = await bulk([
    createCustomer('first', { code: 'B-1' }),
    { method: 'POST', resource: 'employees', body: { customer_id: 1, email: 'ada@example.com' } },
    { method: 'PUT', resource: 'customers', id: 1, body: { city: 'Bonn' } },
    { method: 'DELETE', resource: 'employees', id: 1 },
    { method: 'PUT', resource: 'customers', id: '1', body: { city: null } },
  ])
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.mode, body.succeeded, body.failed], ['all_or_nothing', 5, 0])
  assert.deepEqual(
    body.results.map(({ status }: Json) => status),
    [201, 201, 200, 200, 200],
  )
  const [created, employee, changed, deleted] = body.results
  assert.equal(created.location, '/api/v1/customers.php?id=1')
  assert.match(created.etag, /^"\d+-\d+"$/)
  assert.equal(changed.body.city, 'Bonn')
  assert.deepEqual(employee.body.customer_id, 1)
  assert.deepEqual(deleted, { status: 200, body: { id: 1, deleted: true } })
  assert.equal(await count(), before + 1)
  const last = await acme('GET', '/customers.php?id=1')
  assert.deepEqual([last.body, last.headers.etag], [body.results[4].body, body.results[4].etag])
})

test('a bulk request with mode "all_or_nothing" applies no operation if one fails, and the response lists the outcome of each operation', async () => {
  const before = [await count(), (await acme('GET', '/changes.php')).text]
  const response = await bulk([
    createCustomer('not kept'),
    createCustomer(''),
    { method: 'DELETE', resource: 'customers', id: 987654 },
    { method: 'PUT', resource: 'customers', id: 1, body: { city: 'Rome' } },
  ])
  assertRefused(response, 'bulk_failed')
  const results = response.body.results.map(({ status, error }: Json) => `${status} ${error.code}`)
  assert.deepEqual(results, ['424 not_applied', '422 validation_failed', '404 not_found', '424 not_applied'])
  const single = await acme('POST', '/customers.php', { name: '' })
  assert.deepEqual(response.body.results[1], { status: 422, ...single.body })
  assert.deepEqual([await count(), (await acme('GET', '/changes.php')).text], before)
  const next = (await acme('POST', '/customers.php', { name: 'next' })).body.id
  const { data } = (await acme('GET', '/customers.php?sort=-id&limit=2')).body
  assert.deepEqual([data[0].id, data[1].id], [next, next - 1], 'undone operations do not use up ids')
})

test('a bulk request with mode "each" skips failed operations and applies the others', async () => {
  const before = await count()
  const { status, body } = await bulk(
    [createCustomer('one'), createCustomer(''), createCustomer('two'), { method: 'DELETE', resource: 'customers' }],
    { mode: 'each' },
  )
  assert.deepEqual([status, body.mode, body.succeeded, body.failed], [200, 'each', 2, 2])
  const results = body.results.map(({ status, error }: Json) => error?.code ?? status)
  assert.deepEqual(results, [201, 'validation_failed', 201, 'missing_id'])
  assert.equal(await count(), before + 2)
})

test('all changes made by a bulk request form one change set; a request that changes nothing has no change set', async () => {
  const response = await bulk([createCustomer('one'), createCustomer('two'), createCustomer('')], { mode: 'each' })
  const set = response.body.change_set
  assert.equal(response.headers['change-set'], set)
  const { data } = (await acme('GET', `/changes.php?change_set=${set}`)).body
  assert.deepEqual(
    data.map(({ after }: Json) => after.name),
    ['one', 'two'],
  )
  const nothing = await bulk([createCustomer('')], { mode: 'each' })
  assert.deepEqual([nothing.body.change_set, nothing.headers['change-set']], [null, undefined])
  assert.equal((await bulk([createCustomer('one'), createCustomer('')])).headers['change-set'], undefined)
})

test('a bulk request with a malformed envelope is refused with a message that names the mistake, and nothing is applied', async () => {
  const before = await count()
  const good = createCustomer('good')
  const assertMalformed = async (body: unknown, pattern: RegExp, headers = {}) => {
    const response = await acme('POST', '/bulk.php', body, headers)
    assertRefused(response, 'invalid_request', JSON.stringify(body)?.slice(0, 200))
    assert.match(response.body.error.message, pattern)
  }
  await assertMalformed({}, /^operations must be a list/)
  await assertMalformed([good], /JSON object/)
  for (const operations of [null, 'x', 7, { 0: good }])
    await assertMalformed({ operations }, /^operations must be a list/)
  await assertMalformed({ operations: [] }, /^operations is empty/)
  await assertMalformed({ operations: Array(51).fill(good) }, /at most 50/)
  for (const mode of ['EACH', '', 1, null, ['each']])
    await assertMalformed({ mode, operations: [good] }, /^mode must be one of/)
  await assertMalformed({ mode: 'best', operations: [good] }, /it is "best"\.$/)
  await assertMalformed({ mode: 7, operations: [good] }, /it is 7\.$/)
  for (const operation of [null, 1, 'x', [], [good]])
    await assertMalformed({ operations: [good, operation] }, /^operations\[1\] must be/)
  for (const method of ['post', 'GET', 'PATCH', '', 1, null, undefined])
    await assertMalformed(
      { operations: [good, good, { ...good, method }] },
      /^operations\[2\]\.method must be one of POST/,
    )
  for (const resource of ['Customers', 'changes', '', {}, null, undefined, '__proto__'])
    await assertMalformed(
      { operations: [{ ...good, resource }] },
      /^operations\[0\]\.resource must be one of customers/,
    )
  const deep = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)
  await assertMalformed({ operations: [good, { ...good, body: { name: 'x', deep } }] }, /^operations\[1\].*32 levels/)
  await assertMalformed(
    { operations: [{ ...good, body: { list: Array(300).fill(0) } }] },
    /^operations\[0\].*200 members/,
  )
  await assertMalformed(
    `{"operations": [1], "operations": ${JSON.stringify([good])}}`,
    /^operations is given more than once/,
  )
  await assertMalformed({ other: 'x'.repeat(70_000), operations: [good] }, /^Besides its operations/)
  await assertMalformed({ modus: 'each', operations: [good] }, /"modus".*nearest name is mode/, {
    prefer: 'handling=strict',
  })
  assert.equal(await count(), before)
})

test('a bulk request with a JSON syntax error is refused, wherever the error is', async () => {
  const before = await count()
  const good = JSON.stringify(createCustomer('good'))
  const nested = '['.repeat(100_000)
  for (const body of [
    '',
    '{',
    '{"operations": [',
    `{"operations": [${good}`,
    `{"operations": [${good}]`,
    '{"operations": [}',
    `{"operations": [${good},]}`,
    `{"operations": [,${good}]}`,
    `{"operations": [${good} ${good}]}`,
    `{"operations": [${good}]}}`,
    `{operations: [${good}]}`,
    `{"operations": [{"method": 'POST'}]}`,
    `{"mode": each, "operations": [${good}]}`,
    `{"operations": [{"method": "PATCH"}, nope]}`,
    `{"operations": ["\u0001"]}`,
    Buffer.from(`{"operations": [${good.replace('good', '\xff')}]}`, 'latin1'),
  ])
    assertRefused(await acme('POST', '/bulk.php', body), 'invalid_json', String(body).slice(0, 99))
  for (const name of ['operations', 'a'])
    assertRefused(await acme('POST', '/bulk.php', `{"${name}": ${nested}`), 'invalid_request')
  const type = { 'content-type': 'text/plain' }
  assertRefused(await acme('POST', '/bulk.php', { operations: [JSON.parse(good)] }, type), 'invalid_request')
  assert.equal(await count(), before)
})

test('the operations of a bulk request are recognized, whatever the spacing, escapes and order of members in the JSON', async () => {
  const good = '{ "method" : "POST", "resource":"customers",\n"body" : {"name":"]}, \\"[{"} }'
  for (const body of [
    `\n{ "mode" : "each" , "operations" :\t[ ${good} , ${good} ] }\n`,
    `{"\\u006fperations":[${good},${good}],"other":{"operations":[1,[2]]},"list":[[{}]]}`,
    `{"operations":7,"operations":[${good},${good}]}`,
    `{"a":"operations","b":["operations"],"operations":[${good},${good}]}`,
  ]) {
    const response = await acme('POST', '/bulk.php', body)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual([response.body.succeeded, response.body.results[1].body.name], [2, ']}, "[{'])
  }
})

test('an error in one operation of a bulk request becomes the result of that operation', async () => {
  const change = { method: 'PUT', resource: 'customers', id: 1, body: { city: 'x' } }
  const cases: [operation: object, outcome: string][] = [
    [{ ...change, id: undefined }, '400 missing_id'],
    [{ ...change, id: null }, '400 missing_id'],
    [{ ...change, id: '' }, '400 missing_id'],
    [{ ...change, id: 1.5 }, '400 invalid_request'],
    [{ ...change, id: true }, '400 invalid_request'],
    [{ ...change, id: [1] }, '400 invalid_request'],
    [{ ...change, id: 'abc' }, '400 invalid_request'],
    [{ ...change, id: 1e300 }, '404 not_found'],
    [{ ...change, id: -1 }, '404 not_found'],
    [{ ...change, body: undefined }, '400 invalid_json'],
    [{ ...change, body: [] }, '400 invalid_request'],
    [{ ...change, body: 'x' }, '400 invalid_request'],
    [{ ...change, body: {} }, '400 no_fields'],
    [{ ...change, body: { name: null, city: 7 } }, '422 validation_failed'],
    [{ ...change, if_match: '"stale"' }, '412 precondition_failed'],
    [{ ...change, if_match: 7 }, '400 invalid_request'],
    [{ method: 'POST', resource: 'employees', body: { customer_id: 999, email: 'a@b.c' } }, '422 invalid_customer'],
  ]
  const { body } = await bulk(
    cases.map(([operation]) => operation),
    { mode: 'each' },
  )
  const outcomes = body.results.map(({ status, error }: Json) => `${status} ${error?.code}`)
  assert.deepEqual(
    outcomes,
    cases.map(([, outcome]) => outcome),
  )
  assert.equal(body.succeeded, 0)
})

test('an operation of a bulk request can select, create and reference records by external id, including records created by earlier operations', async () => {
  const put = (resource: string, external_id: unknown, body: object) => ({ method: 'PUT', resource, external_id, body })
  const { body } = await bulk([
    put('customers', 'b-7', { name: 'Branch 7' }),
    put('employees', 'hr-1', { customer_external_id: 'b-7', email: 'ada@example.com' }),
    { ...createCustomer('Branch 8', { external_id: 'b-8' }) },
    put('employees', 'hr-1', { customer_external_id: 'b-8' }),
    { method: 'DELETE', resource: 'customers', external_id: 'b-7' },
  ])
  const [branch, employee, other, moved, deleted] = body.results
  assert.deepEqual(
    body.results.map(({ status }: Json) => status),
    [201, 201, 201, 200, 200],
  )
  assert.deepEqual([employee.body.customer_id, moved.body.customer_id], [branch.body.id, other.body.id])
  assert.deepEqual(deleted.body, { id: branch.body.id, deleted: true })
  const cases: [operation: object, outcome: string][] = [
    [put('customers', '', { name: 'C' }), '400 invalid_request'],
    [put('customers', 7, { name: 'C' }), '400 invalid_request'],
    [put('customers', '\ud800', { name: 'C' }), '400 invalid_request'],
    [{ ...put('customers', 'b-8', { name: 'C' }), id: 1 }, '400 invalid_request'],
    [put('customers', 'b-8', { external_id: 'b-9' }), '400 invalid_request'],
    [{ ...put('customers', 'b-new', { name: 'C' }), if_match: '*' }, '412 precondition_failed'],
    [put('employees', 'hr-2', { customer_external_id: 'b-7', email: 'a@b.c' }), '422 invalid_customer'],
    [{ method: 'DELETE', resource: 'customers', external_id: 'b-7' }, '404 not_found'],
  ]
  const failed = await bulk(
    cases.map(([operation]) => operation),
    { mode: 'each' },
  )
  assert.deepEqual(
    failed.body.results.map(({ status, error }: Json) => `${status} ${error?.code}`),
    cases.map(([, outcome]) => outcome),
  )
})

test('an operation of a bulk request with if_match is applied only if the record has that entity tag', async () => {
  const { body, headers } = await acme('POST', '/customers.php', { name: 'tagged' })
  const change = (city: string, if_match: string) => ({
    method: 'PUT',
    resource: 'customers',
    id: body.id,
    body: { city },
    if_match,
  })
  const first = (await bulk([change('A', headers.etag!)])).body.results[0]
  const second = await bulk([change('B', headers.etag!), change('C', first.etag)], { mode: 'each' })
  assert.deepEqual(
    second.body.results.map(({ status }: Json) => status),
    [412, 200],
  )
  const third = second.body.results[1].etag
  const several = await bulk([change('D', `"1-1", ${third}`), change('E', '"1-1", "2-2"')], { mode: 'each' })
  assert.deepEqual(
    several.body.results.map(({ status }: Json) => status),
    [200, 412],
  )
})

test('an operation of a bulk request with if_none_match "*" only creates a record', async () => {
  const upsert = { method: 'PUT', resource: 'customers', external_id: 'new', body: { name: 'N' }, if_none_match: '*' }
  const operations = [upsert, upsert, { ...upsert, external_id: 'other' }, { ...upsert, if_none_match: 7 }]
  const { body } = await bulk(operations, { mode: 'each' })
  assert.deepEqual(
    body.results.map(({ status, error }: Json) => [status, error?.code]),
    [
      [201, undefined],
      [412, 'precondition_failed'],
      [201, undefined],
      [400, 'invalid_request'],
    ],
  )
})

test('each operation of a bulk request requires the scope of the equivalent single request', async () => {
  const scopes = ['customers:create', 'employees:create', 'hardware:write']
  const clerk = service.client(await createKey(service.environment, 'acme', scopes))
  const { id } = (await acme('POST', '/customers.php', { name: 'scoped' })).body
  const operations = [
    createCustomer('of the clerk'),
    { method: 'PUT', resource: 'customers', id, body: { city: 'x' } },
    { method: 'DELETE', resource: 'customers', id },
    { method: 'POST', resource: 'employees', body: { customer_id: id, email: 'clerk@example.com' } },
    {
      method: 'PUT',
      resource: 'employees',
      external_id: 'clerk',
      body: { customer_id: id, email: 'clerk@example.com' },
    },
    { method: 'PUT', resource: 'hardware', external_id: 'clerk', body: { employee_id: 1 } },
  ]
  const { body } = await clerk('POST', '/bulk.php', { mode: 'each', operations })
  const outcomes = body.results.map(({ status, error }: Json) => error?.code ?? status)
  assert.deepEqual(outcomes, [201, 'forbidden', 'forbidden', 201, 'forbidden', 'invalid_employee'])
  const single = await clerk('PUT', `/customers.php?id=${id}`, { city: 'x' })
  assert.deepEqual(body.results[1], { status: 403, ...single.body })
  const reader = service.client(await createKey(service.environment, 'acme', ['*:read']))
  const refused = await reader('POST', '/bulk.php', { operations })
  assertRefused(refused, 'bulk_failed')
  assert.ok(refused.body.results.every(({ error }: Json) => error.code === 'forbidden'))
})

test('handling=strict refuses unknown fields and unknown members of an operation in a bulk request', async () => {
  const operations = [
    { ...createCustomer('C'), bodi: {} },
    createCustomer('C', { citty: 'x' }),
    { ...createCustomer('C'), id: 7 },
  ]
  assert.equal((await bulk(operations)).status, 200)
  const { body } = await bulk(operations, { mode: 'each' }, { prefer: 'handling=strict' })
  const [member, field, known] = body.results
  assert.deepEqual([member.fields, member.errors.bodi.code], [['bodi'], 'unknown_field'])
  assert.match(member.errors.bodi.message, /\bbody\b/)
  assert.deepEqual([field.fields, field.errors.citty.code], [['citty'], 'unknown_field'])
  assert.equal(known.status, 201)
})

test('repeating a bulk request, whether it succeeded or failed, returns the first response and changes nothing', async () => {
  for (const [operations, status] of [
    [[createCustomer('once'), createCustomer('once more')], 200],
    [[createCustomer('never'), createCustomer('')], 422],
  ] as const) {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await bulk(operations, {}, headers)
    assert.equal(first.status, status)
    const before = await count()
    for (const body of [{ operations }, { operations: [] }, { operations: [createCustomer('other')] }]) {
      const replay = await acme('POST', '/bulk.php', body, headers)
      assert.deepEqual(
        [replay.status, replay.text, replay.headers['idempotent-replayed']],
        [status, first.text, 'true'],
      )
    }
    assert.equal(await count(), before)
  }
})

test('a stored bulk response is replayed only to a key that has the scopes of all operations', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const operations = [createCustomer('C'), { method: 'DELETE', resource: 'hardware', id: 9999 }]
  const first = await bulk(operations, { mode: 'each' }, headers)
  const replayTo = async (...scopes: string[]) => {
    const client = service.client(await createKey(service.environment, 'acme', scopes))
    return client('POST', '/bulk.php', { operations }, headers)
  }
  assert.equal((await replayTo('customers:create', 'hardware:delete')).text, first.text)
  for (const scopes of [['customers:create'], ['hardware:write'], ['customers:update', 'hardware:delete']])
    assertRefused(await replayTo(...scopes), 'forbidden')
})

test('simultaneous bulk requests with the same Idempotency-Key are applied once, and all get the same response', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const before = await count()
  const operations = [createCustomer('a'), createCustomer('b')]
  const responses = await Promise.all(Array.from({ length: 20 }, () => bulk(operations, {}, headers)))
  for (const { status, text } of responses) assert.deepEqual([status, text], [200, responses[0]!.text])
  assert.equal(await count(), before + 2)
})

test('a bulk request counts as one request against the rate limit', async () => {
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '10' })
  const client = await limited.tenant('acme')
  const response = await client('POST', '/bulk.php', { operations: Array(5).fill(createCustomer('C')) })
  assert.deepEqual([response.status, response.headers['x-ratelimit-remaining']], [200, '9'])
})

test('a bulk request reads and changes only the records of its key’s tenant', async () => {
  const globex = await service.tenant('globex')
  const { id } = (await acme('POST', '/customers.php', { name: 'of acme' })).body
  const operations = [
    { method: 'PUT', resource: 'customers', id, body: { name: 'stolen' } },
    { method: 'DELETE', resource: 'customers', id },
    { method: 'POST', resource: 'employees', body: { customer_id: id, email: 'spy@example.com' } },
  ]
  const { body } = await globex('POST', '/bulk.php', { mode: 'each', operations })
  const codes = body.results.map(({ error }: Json) => error.code)
  assert.deepEqual(codes, ['not_found', 'not_found', 'invalid_customer'])
  assert.equal((await acme('GET', `/customers.php?id=${id}`)).body.name, 'of acme')
  assert.equal(await count(globex), 0)
})

test('a bulk request larger than BULK_BODY_LIMIT_BYTES is refused, and so is an operation larger than BODY_LIMIT_BYTES', async () => {
  const small = await startService({ BULK_BODY_LIMIT_BYTES: '4000', BODY_LIMIT_BYTES: '1000' })
  const client = await small.tenant('acme')
  const operations = [createCustomer('C'), createCustomer('C', { unknown: 'x'.repeat(1000) })]
  const { body } = await client('POST', '/bulk.php', { mode: 'each', operations })
  assert.deepEqual([body.results[0].status, body.results[1].error.code], [201, 'payload_too_large'])
  const large = [...operations, ...operations, ...operations, ...operations]
  assertRefused(await client('POST', '/bulk.php', { operations: large }), 'payload_too_large')
})

test('storing a new bulk response deletes all expired bulk responses', async () => {
  let clock = Date.now()
  const timed = await startService({}, { now: () => new Date(clock) })
  const client = await timed.tenant('acme')
  const operations = Array(50).fill(createCustomer('C', { notes: 'x'.repeat(2000) }))
  const send = async () => {
    const { status } = await client('POST', '/bulk.php', { operations }, { 'idempotency-key': randomUUID() })
    assert.equal(status, 200)
  }
  for (const _ of [1, 2, 3]) await send()
  clock += 24 * 60 * 60 * 1000
  await send()
  const { all } = await tenantDatabaseOf(timed.environment, 'acme')
  assert.equal((await all('select seq from stored_responses')).length, 1)
})

test('a bulk response of more than 4 KB is stored compressed, and replayed byte for byte', async () => {
  const { environment, tenant } = await startService()
  const client = await tenant('acme')
  const operations = Array.from({ length: 50 }, (_, index) => createCustomer(`Köln ${index}`))
  const key = { 'idempotency-key': randomUUID() }
  const first = await client('POST', '/bulk.php', { operations }, key)
  const replay = await client('POST', '/bulk.php', { operations }, key)
  assert.deepEqual([replay.text, replay.headers['idempotent-replayed']], [first.text, 'true'])
  const { all } = await tenantDatabaseOf(environment, 'acme')
  const [{ bytes }] = await all('select octet_length(body) as bytes from stored_responses')
  assert.ok(bytes < first.text.length / 5, `${bytes} of ${first.text.length}`)
})

/** Test options that skip a test on PostgreSQL, because the limit under test does not depend on the engine. */
const onSqlite = { skip: engine === 'postgres' }

test(
  'a tenant can have at most four large bulk requests in memory; more are refused until a response has been sent',
  onSqlite,
  async () => {
    const { listen, environment } = await startService()
    const url = new URL(await listen())
    const token = await makeTenant(environment, 'acme')
    const client = networkClient(url.href, token)
    await client('POST', '/customers.php', { name: 'C', notes: '\u0001'.repeat(2000) }) // 12 KB of JSON
    const change = { method: 'PUT', resource: 'customers', id: 1, body: { city: 'Rome' } }
    // 600 operations make the response too large for any socket buffer.
    const body = JSON.stringify({ operations: Array(600).fill(change) })
    const head = [`POST ${url.pathname}/bulk.php HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`]
    const request = `${[...head, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`
    const statuses: string[] = []
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(Number(url.port), '127.0.0.1')
      socket.once('data', (start) => {
        socket.pause() // stops reading the response
        statuses.push(start.toString('latin1').slice(9, 12))
      })
      return socket
    })
    for (const socket of sockets) socket.write(request)
    await eventually('all responses have begun', () => statuses.length === 5)
    assert.deepEqual(statuses.toSorted(), ['200', '200', '200', '200', '503'])
    const operations = [createCustomer('one more')]
    assertRefused(await client('POST', '/bulk.php', { operations }), 'server_busy')
    for (const socket of sockets) socket.destroy()
    await eventually('the next request is accepted', async () => {
      return (await client('POST', '/bulk.php', { operations })).status === 200
    })
  },
)

const field = fc.constantFrom('name', 'city', 'code', 'email', 'colour')
const value = fc.constantFrom<unknown>('', null, 'x', 'Izmir', 'nobody@example.com', 7, true)
const fields = fc.dictionary(field, value, { maxKeys: 3 })
const id = fc.integer({ min: 0, max: 8 })
const externalId = fc.constantFrom('x-1', 'x-2', 'x-3')
const operation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ method: fc.constant('POST'), resource: fc.constant('customers'), body: fields }),
  },
  fc.record({
    method: fc.constant('POST'),
    resource: fc.constant('hardware'),
    body: fc.record({ employee_id: id, asset_tag: fc.constantFrom('T-1', 'T-2', null) }),
  }),
  fc.record({
    method: fc.constant('POST'),
    resource: fc.constant('employees'),
    body: fc.record({ customer_id: id, email: fc.constantFrom('a@b.c', 'a') }),
  }),
  fc.record({
    method: fc.constant('PUT'),
    resource: fc.constant('customers'),
    external_id: externalId,
    body: fc.record({ name: value }),
  }),
  fc.record({
    method: fc.constant('PUT'),
    resource: fc.constant('employees'),
    external_id: externalId,
    body: fc.record({ customer_external_id: externalId, email: fc.constantFrom('a@b.c', 'a') }),
  }),
  fc.record({ method: fc.constant('DELETE'), resource: fc.constant('customers'), external_id: externalId }),
  fc.record({
    method: fc.constant('PUT'),
    resource: fc.constantFrom('customers', 'employees', 'hardware'),
    id,
    body: fields,
  }),
  fc.record({ method: fc.constant('DELETE'), resource: fc.constantFrom('customers', 'employees', 'hardware'), id }),
)

/** Generates operations that create a customer and its employees, and then create or change hardware. The hardware's
 *  tags and external ids often collide. */
const hardwareOperations = fc
  .array(
    fc.record(
      {
        method: fc.constantFrom('POST', 'PUT'),
        external_id: fc.constantFrom('x-1', 'x-2', 'x-3', 'x-4'),
        employee: fc.constantFrom({ employee_id: 1 }, { employee_id: 9 }, { employee_external_id: 'x-1' }),
        asset_tag: fc.constantFrom('T-1', 'T-2', 'T-3', 'T-4', 'T-5', null),
      },
      { noNullPrototype: true },
    ),
    { minLength: 2, maxLength: 12 },
  )
  .map((chosen) => [
    { method: 'PUT', resource: 'customers', external_id: 'x-1', body: { name: 'x' } },
    { method: 'POST', resource: 'employees', body: { customer_id: 1, email: 'a@b.c' } },
    { method: 'PUT', resource: 'employees', external_id: 'x-1', body: { customer_external_id: 'x-1', email: 'a@b.c' } },
    ...chosen.map(({ method, external_id, employee, asset_tag }) =>
      method === 'POST'
        ? { method, resource: 'hardware', body: { ...employee, asset_tag, external_id } }
        : { method, resource: 'hardware', external_id, body: { ...employee, asset_tag } },
    ),
  ])

const requests = fc.oneof(
  fc.array(operation, { minLength: 1, maxLength: 30 }),
  fc.tuple(hardwareOperations, fc.array(operation, { maxLength: 5 }), hardwareOperations).map((parts) => parts.flat()),
)

test('an operation of a bulk request can use a unique value that an earlier operation released, and refused operations leave no gaps in the ids', async () => {
  const client = await service.tenant('handed-on')
  await client('POST', '/customers.php', { name: 'x' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'a@b.c' })
  const hardware = (method: string, asset_tag: string, external_id?: string) => {
    return { method, resource: 'hardware', ...(external_id && { external_id }), body: { employee_id: 1, asset_tag } }
  }
  const operations = [
    hardware('PUT', 'T-1', 'x-1'),
    hardware('PUT', 'T-2', 'x-1'),
    hardware('POST', 'T-1'),
    hardware('POST', 'T-3'),
    hardware('POST', 'T-2'),
    hardware('POST', 'T-4'),
  ]
  const { body } = await client('POST', '/bulk.php', { mode: 'each', operations })
  assert.deepEqual(
    body.results.map((result: Json) => [result.status, result.body?.id]),
    [
      [201, 1],
      [200, 1],
      [201, 2],
      [201, 3],
      [422, undefined],
      [201, 4],
    ],
  )
})

test('the results of a bulk request equal the responses to the same operations sent as single requests', async () => {
  let tenants = 0
  const assertSameResults = async (operations: Json[]) => {
    const [singleClient, bulkClient] = [
      await service.tenant(`one-${++tenants}`),
      await service.tenant(`many-${tenants}`),
    ]
    const expected: Json[] = []
    for (const { method, resource, id, external_id, body } of operations) {
      const query = id !== undefined ? `?id=${id}` : external_id !== undefined ? `?external_id=${external_id}` : ''
      const path = `/${resource}.php${query}`
      const { status, headers, body: responseBody } = await singleClient(method, path, body)
      const { location, etag } = headers
      expected.push(status < 400 ? { status, location, etag, body: responseBody } : { status, ...responseBody })
    }
    const { body } = await bulkClient('POST', '/bulk.php', { mode: 'each', operations })
    assert.deepEqual(comparable(body.results), comparable(expected))
    for (const path of ['/customers.php', '/employees.php', '/hardware.php', '/changes.php'])
      assert.deepEqual(
        comparable((await bulkClient('GET', path)).body),
        comparable((await singleClient('GET', path)).body),
      )
  }
  await fc.assert(fc.asyncProperty(requests, assertSameResults), { numRuns: runs(16) })
})

const volatileMembers = ['created_at', 'updated_at', 'at', 'etag', 'api_key_id', 'request_id', 'change_set']

function comparable(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value, (name, member) =>
      member !== undefined && volatileMembers.includes(name) ? typeof member : member,
    ),
  )
}
