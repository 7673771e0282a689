import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { resources } from '../../../src/domain/declarations/all.ts'
import { type ProblemCode, problems } from '../../../src/problem.ts'
import { codePoint } from '../../support/code-points.ts'
import { resourceNames } from '../../support/resource-names.ts'
import { type Json, makeTenant, type Response, runs, startService } from '../../support/service.ts'

const limit = 1_048_576
const { environment, client, request } = await startService()
const token = await makeTenant(environment, 'acme')
const acme = client(token)
const customer = await acme('POST', '/customers.php', { name: 'C' })
const employee = await acme('POST', '/employees.php', { customer_id: customer.body.id, email: 'a@b.c' })
const hardware = await acme('POST', '/hardware.php', { employee_id: employee.body.id })

/** The endpoints that accept a body: POST and PUT for every resource. */
const endpoints = [customer, employee, hardware].flatMap(({ headers }) => {
  const one = headers.location!.slice('/api/v1'.length)
  return [
    ['POST', one.split('?')[0]!],
    ['PUT', one],
  ] as [string, string][]
})
const fieldNames = [...new Set(resources.flatMap(({ fields }) => Object.keys(fields)))]

/** Asserts that the response is a success or a 4xx error that §7 documents, in the error envelope. */
function assertDocumented({ status, headers, body }: Response): void {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  if (status < 300) assert.equal(typeof body.id, 'number')
  else assertEnvelope(status, body)
}

function assertEnvelope(status: number, { error, errors, fields, ...rest }: Json): void {
  assert.ok(status >= 400 && status < 500, `${status} ${error.code}`)
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'status'])
  assert.equal(error.status, status)
  assert.equal(problems[error.code as ProblemCode]?.status, status, error.code)
  assert.match(error.message, /\w/)
  assert.deepEqual(rest, {})
  assert.equal(errors !== undefined, error.code === 'validation_failed')
  assert.deepEqual(errors && Object.keys(errors), fields)
  for (const entry of Object.values<Json>(errors ?? {})) {
    assert.deepEqual(Object.keys(entry).sort(), ['code', 'message'])
    assert.match(entry.code, /^(required|invalid_(email|int|date|bool|text)|too_(long|short)|not_in_list|duplicate)$/)
    assert.match(entry.message, /\w/)
  }
  assert.notEqual(fields?.length, 0)
}

/** Sends a body to every endpoint. Returns responses in the form `400 invalid_json`. */
async function sendAll(body: string | Buffer, headers?: Record<string, string>): Promise<string[]> {
  const responses = await Promise.all(endpoints.map(([method, path]) => acme(method, path, body, headers)))
  for (const response of responses) assertDocumented(response)
  return responses.map(statusAndCode)
}

function statusAndCode({ status, body }: Response): string {
  return body?.error ? `${status} ${body.error.code}` : String(status)
}

async function assertAllRefused(
  expected: string,
  body: string | Buffer,
  headers?: Record<string, string>,
): Promise<void> {
  const label = `${String(body).slice(0, 60)} ${JSON.stringify(headers ?? {})}`
  assert.deepEqual(
    await sendAll(body, headers),
    endpoints.map(() => expected),
    label,
  )
}

test('any JSON value as a body gets a documented response', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (json) => void (await sendAll(json))),
    { numRuns: runs(100) },
  )
})

test('any bytes as a body get a documented response', async () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => void (await sendAll(body))),
    { numRuns: runs(100) },
  )
})

test('any field values get a documented response', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: codePoint }),
    fc.constantFrom('a@b.c', '2026-01-01', 'other', 'branch', 'lost', true, 1, '1', null, '', '\0', '\ud800'),
  )
  const bodies = fc.dictionary(fc.constantFrom(...fieldNames, 'id', 'created_at', '__proto__', 'constructor'), value)
  const property = fc.asyncProperty(bodies, async (body) => void (await sendAll(JSON.stringify(body))))
  await fc.assert(property, { numRuns: runs(100) })
})

test('a body that is empty, not JSON or not UTF-8 is refused with `invalid_json`', async () => {
  const texts = ['', ' ', 'name=x', '{', "{'name':'x'}", '{"name":"x",}', '{"name":"x"} {}', '{"name":NaN}', '\0']
  const moreTexts = ['{"name":"a\nb"}', '{"name":01}', '// {}\n{"name":"x"}', 'undefined', '[', '"', '{"name":"\\x41"}']
  const bytes = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]
  const invalid = bytes.map((each) => Buffer.from([...Buffer.from('{"name":"'), ...each, ...Buffer.from('"}')]))
  for (const body of [...texts, ...moreTexts, ...invalid, Buffer.from('{"name":"x"}', 'utf16le')]) {
    await assertAllRefused('400 invalid_json', body)
  }
  for (const [method, path] of endpoints) assert.equal(statusAndCode(await acme(method, path)), '400 invalid_json')
})

test('a byte order mark before JSON is ignored, also in a bulk request', async () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf])
  const marked = (body: object) => Buffer.concat([mark, Buffer.from(JSON.stringify(body))])
  const create = await acme('POST', '/customers.php', marked({ name: 'Marked' }))
  assert.deepEqual([create.status, create.body.name], [201, 'Marked'])
  const update = await acme('PUT', `/customers.php?id=${create.body.id}`, marked({ name: 'Again' }))
  assert.deepEqual([update.status, update.body.name], [200, 'Again'])
  const operations = [{ method: 'POST', resource: 'customers', body: { name: 'In bulk' } }]
  const bulk = await acme('POST', '/bulk.php', marked({ operations }))
  assert.deepEqual([bulk.status, bulk.body.results[0].status], [200, 201])
  for (const body of [mark, Buffer.concat([mark, marked({ name: 'x' })])])
    await assertAllRefused('400 invalid_json', body)
})

test('JSON that is not an object is refused with `invalid_request`', async () => {
  for (const body of ['[]', '[{"name":"x"}]', 'null', 'true', '0', '1e999', '"{}"', ' [1] ']) {
    await assertAllRefused('400 invalid_request', body)
  }
})

test('a Content-Type other than JSON is refused, but the header and its charset are optional', async () => {
  const path = endpoints[1]![1]
  const wrong = [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
  ]
  for (const type of [...wrong, 'application/jsonp', 'application/xml', '*/*', 'x', 'application/octet-stream']) {
    await assertAllRefused('400 invalid_request', '{"name":"x"}', { 'content-type': type })
  }
  for (const type of ['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON']) {
    assert.equal(statusAndCode(await acme('PUT', path, '{"name":"x"}', { 'content-type': type })), '200', type)
  }
  const bare = await request('PUT', path, { authorization: `Bearer ${token}` }, '{"name":"bare"}')
  assert.deepEqual([bare.status, bare.body.name], [200, 'bare'])
})

test('a body as large as the limit is accepted, and a larger body is refused with `payload_too_large`', async () => {
  const sized = (bytes: number) => `{"name":"x","customer_id":1,"email":"a@b.c","employee_id":1}`.padEnd(bytes)
  assert.deepEqual(await sendAll(sized(limit)), ['201', '200', '201', '200', '201', '200'])
  await assertAllRefused('413 payload_too_large', sized(limit + 1))
  await assertAllRefused('413 payload_too_large', '['.repeat(4 * limit))
  const inBytes = JSON.stringify({ notes: 'é'.repeat(limit / 2) })
  assert.ok(inBytes.length < limit)
  await assertAllRefused('413 payload_too_large', inBytes)
  const small = await (await startService({ BODY_LIMIT_BYTES: '20' })).tenant('small')
  assert.equal(statusAndCode(await small('POST', '/customers.php', '{"name":"12345678" }')), '201')
  assert.equal(statusAndCode(await small('POST', '/customers.php', '{"name":"12345678"  }')), '413 payload_too_large')
})

test('a megabyte of nested brackets is refused, wherever in the body the brackets are', async () => {
  const half = limit / 2
  await assertAllRefused('400 invalid_request', '['.repeat(limit))
  await assertAllRefused('400 invalid_request', '{"a":'.repeat(limit / 5))
  await assertAllRefused('400 invalid_request', '['.repeat(half) + ']'.repeat(half))
  await assertAllRefused('400 invalid_request', `{"notes":${'['.repeat(half - 20) + ']'.repeat(half - 20)}}`)
  await assertAllRefused('400 invalid_request', `${'{"a":'.repeat(limit / 8)}1${'}'.repeat(limit / 8)}`)
})

test('64 KB of nested brackets are parsed and then validated like any other value', async () => {
  const size = 65_536
  const half = size / 2
  await assertAllRefused('400 invalid_json', '['.repeat(size))
  await assertAllRefused('400 invalid_json', '{"a":'.repeat(size / 5))
  await assertAllRefused('400 invalid_request', '['.repeat(half) + ']'.repeat(half))
  const nested = '['.repeat(half - 20) + ']'.repeat(half - 20)
  const responses = await sendAll(`{"notes":${nested}}`)
  assert.deepEqual(
    responses,
    endpoints.map(() => '422 validation_failed'),
  )
  assert.equal(statusAndCode(await acme('PUT', endpoints[1]![1], `{"name":"x","unknown":${nested}}`)), '200')
  const objects = `${'{"a":'.repeat(size / 8)}1${'}'.repeat(size / 8)}`
  assert.equal(statusAndCode(await acme('PUT', endpoints[1]![1], objects)), '400 no_fields')
})

test('names such as `__proto__` and `constructor` are treated as unknown fields and do not modify any prototype', async () => {
  const [post, put] = [endpoints[0]![1], endpoints[1]![1]]
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '']) {
    const body = `{${JSON.stringify(name)}:{"name":"evil","prototype":{"name":"evil"}}}`
    const posted = await acme('POST', post, body)
    assert.deepEqual([statusAndCode(posted), posted.body.fields], ['422 validation_failed', ['name']], name)
    assert.equal(statusAndCode(await acme('PUT', put, body)), '400 no_fields', name)
  }
  assert.equal(({} as Json).name, undefined)
  const plain = await acme('POST', post, '{"name":"plain","__proto__":{"city":"evil"},"constructor":null}')
  assert.deepEqual([plain.status, plain.body.city, Object.hasOwn(plain.body, '__proto__')], [201, null, false])
})

test('duplicate keys and huge numbers in a body get a documented response', async () => {
  await sendAll('{"name":"a","name":1,"email":"a@b.c","email":null,"customer_id":1,"customer_id":[]}')
  const huge = ['1e999', '-1e999', '9'.repeat(5000), `0.${'0'.repeat(5000)}1`, '1e-999999']
  for (const number of huge) {
    await sendAll(`{"customer_id":${number},"employee_id":${number},"purchase_cost":${number},"is_active":${number}}`)
    assert.equal(
      statusAndCode(await acme('PUT', endpoints[1]![1], `{"name":"x","unknown":${number}}`)),
      '200',
      number.slice(0, 9),
    )
  }
})

test('DELETE ignores the body and the Content-Type', async () => {
  const bodies = ['', '{', '[]', Buffer.from([0xff, 0]), '{"id":1}', 'x'.repeat(limit + 1)]
  for (const type of ['text/plain', 'application/json', 'nonsense', 'multipart/form-data']) {
    for (const body of bodies) {
      const created = await acme('POST', '/customers.php', { name: 'x' })
      const path = `/customers.php?id=${created.body.id}`
      const deleted = await acme('DELETE', path, body, { 'content-type': type })
      assert.deepEqual([deleted.status, deleted.body], [200, { id: created.body.id, deleted: true }], type)
    }
  }
})

const queries = {
  'a missing or empty id is refused with `missing_id`': ['400 missing_id', '', '?', '?id', '?name=1', '?id='],
  'an id that is not an integer or is given twice is refused with `invalid_request` and a hint': [
    '400 invalid_request',
    '?id=abc',
    '?id=1.5',
    '?id=1.0',
    '?id=+1',
    '?id=%2B1',
    '?id=%201',
    '?id=1%20',
    '?id=1e3',
    '?id=0x1',
    '?id=1,2',
    '?id=--1',
    '?id=-',
    '?id=%EF%BC%91',
    '?id=null',
    '?id=%00',
    '?id=1%00',
    '?id=%FF',
    '?id=%',
    '?id=1%0A',
    '?id=1&id=1',
    '?id=1&id=2',
    '?id=1&id=',
    '?id=&id=1',
    '?id=1&%69d=1',
  ],
  'an integer that is not the id of any record is refused with `not_found`': [
    '404 not_found',
    '?id=0',
    '?id=-1',
    '?id=-0',
    '?id=987654321',
    '?id=9007199254740991',
    '?id=9007199254740992',
    '?id=-9007199254740993',
    '?id=18446744073709551617',
    `?id=${'9'.repeat(4000)}`,
  ],
}
for (const [title, [expected, ...forms]] of Object.entries(queries)) {
  test(title, async () => {
    for (const resource of resourceNames) {
      for (const form of forms) {
        // GET is not sent without an id, because it would list the records.
        const methods = form.startsWith('?id=') ? ['PUT', 'DELETE', 'GET'] : ['PUT', 'DELETE']
        for (const method of methods) {
          const response = await acme(method, `/${resource}.php${form}`, method === 'PUT' ? { notes: 'x' } : undefined)
          assertDocumented(response)
          assert.equal(statusAndCode(response), expected, `${method} ${resource} ${form.slice(0, 40)}`)
          if (expected === '400 invalid_request') assert.match(response.body.error.message, /\bid\b.*\?id=\d/)
          if (form.includes('&')) assert.match(response.body.error.message, /once|twice/)
        }
      }
    }
  })
}

test('a PUT request’s parts are checked in this order: id, body, fields, record', async () => {
  const order = [
    ['', '{', '400 missing_id'],
    ['?id=x', '{', '400 invalid_request'],
    ['?id=0', '{', '400 invalid_json'],
    ['?id=0', '{"colour":1}', '400 no_fields'],
    ['?id=0', '{"notes":1}', '422 validation_failed'],
    ['?id=0', '{"notes":"x","employee_id":987654}', '404 not_found'],
  ] as const
  for (const [query, body, expected] of order) {
    assert.equal(statusAndCode(await acme('PUT', `/hardware.php${query}`, body)), expected, body)
  }
})
