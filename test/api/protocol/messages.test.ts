// What error messages say about the request at hand (contract §27).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findSyntaxError } from '../../../src/api/json-syntax.ts'
import { command, createKey, startService } from '../../support/service.ts'

const service = await startService()
const acme = await service.tenant('acme')
await acme('POST', '/customers.php', { name: 'Head office', external_id: 'erp-1' })
await acme('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com', external_id: 'hr-1' })
await acme('POST', '/hardware.php', { employee_id: 1, asset_tag: 'TD-1', external_id: 'hw-1' })

async function clientWith(...scopes: string[]) {
  return service.client(await createKey(service.environment, 'acme', scopes))
}

test('a response with 401 has WWW-Authenticate: Bearer', async () => {
  const values = [undefined, 'Basic x', 'Bearer x', `Bearer tdk_${'x'.repeat(48)}`]
  for (const headers of values.map(
    (authorization): Record<string, string> => (authorization ? { authorization } : {}),
  )) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const response = await service.request(method, '/customers.php', headers)
      assert.deepEqual([response.status, response.headers['www-authenticate']], [401, 'Bearer'])
    }
  }
})

test('forbidden names the missing scopes and those of the key, in the message and in WWW-Authenticate', async () => {
  const reader = await clientWith('employees:read')
  const writer = await clientWith('imports:write', 'employees:create', 'hardware:read')
  const hardwareWriter = await clientWith('hardware:write')
  const change = await acme('PUT', '/customers.php?id=1', { city: 'Bern' })
  const undo = { change_set: change.headers['change-set'] }
  const requests = [
    [reader('GET', '/hardware.php'), 'hardware:read', 'employees:read'],
    [reader('POST', '/hardware.php', {}), 'hardware:create', 'employees:read'],
    [reader('PUT', '/hardware.php?external_id=x', {}), 'hardware:update hardware:create', 'employees:read'],
    [reader('DELETE', '/employees.php?id=1'), 'employees:delete', 'employees:read'],
    [reader('GET', '/employees.php?include=customer'), 'customers:read', 'employees:read'],
    [reader('GET', '/employees.php?format=csv&fields=id,customer_name'), 'customers:read', 'employees:read'],
    [
      writer('GET', '/hardware.php?employee.department=IT'),
      'employees:read',
      'imports:write, employees:create, hardware:read',
    ],
    [
      writer('POST', '/imports.php?resource=employees', 'email\n'),
      'employees:update employees:delete',
      'imports:write',
    ],
    [writer('POST', '/imports.php?resource=customers', 'name\n'), 'customers:write', 'imports:write'],
    [hardwareWriter('POST', '/undo.php', undo), 'customers:write', 'hardware:write'],
  ] as const
  for (const [sent, missing, held] of requests) {
    const { status, body, headers } = await sent
    assert.equal(status, 403)
    assert.equal(headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${missing}"`)
    for (const scope of [...missing.split(' '), held]) assert.ok(body.error.message.includes(scope), body.error.message)
  }
  const head = await reader('HEAD', '/hardware.php')
  assert.match(head.headers['www-authenticate']!, /scope="hardware:read"/)
  const { body } = await reader('GET', '/hardware.php')
  assert.equal(body.error.message, 'This request needs hardware:read. The API key has employees:read.')
})

test('a suspended tenant’s 403 does not ask for other scopes', async () => {
  const other = await service.tenant('other')
  await command(service.environment, 'tenant', 'suspend', 'other')
  const { status, headers } = await other('GET', '/customers.php')
  assert.deepEqual([status, headers['www-authenticate']], [403, undefined])
})

test('412 tells apart another version, a record that exists, a record that does not, and a tag without quotation marks', async () => {
  const put = (query: string, headers: Record<string, string>) =>
    acme('PUT', `/customers.php?${query}`, { name: 'New' }, headers)
  const { etag } = (await acme('GET', '/customers.php?id=1')).headers
  const refusals = [
    [put('id=1', { 'if-match': '"1-2"' }), /^The record has changed/],
    [put('id=1', { 'if-match': 'W/"1-2"' }), /^The record has changed/],
    [acme('DELETE', '/customers.php?id=1', undefined, { 'if-match': '"1-2"' }), /^The record has changed/],
    [put('external_id=erp-1', { 'if-none-match': '*' }), /^A record with this external_id already exists/],
    [put('external_id=none', { 'if-match': '*' }), /^There is no record with this external_id/],
    [put('external_id=none', { 'if-match': etag! }), /^There is no record with this external_id/],
    [
      put('id=1', { 'if-match': etag!.replaceAll('"', '') }),
      /^If-Match must be \*, or ETags with their quotation marks/,
    ],
    [acme('PUT', '/settings.php', { currency: 'EUR' }, { 'if-match': 'abc' }), /quotation marks/],
    [acme('PUT', '/settings.php', { currency: 'EUR' }, { 'if-match': '"abc"' }), /^The record has changed/],
  ] as const
  for (const [sent, message] of refusals) {
    const { status, body } = await sent
    assert.deepEqual([status, body.error.code], [412, 'precondition_failed'])
    assert.match(body.error.message, message)
  }
  const bulk = await acme('POST', '/bulk.php', {
    operations: [{ method: 'PUT', resource: 'customers', id: 1, if_match: '1-2', body: { name: 'x' } }],
  })
  assert.match(bulk.body.results[0].error.message, /quotation marks/)
})

test('a missing reference is named with the parameter and the value that were sent', async () => {
  const email = 'lin@example.com'
  const refusals = [
    [acme('POST', '/employees.php', { customer_id: 99, email }), 'There is no customer with customer_id 99.'],
    [acme('POST', '/employees.php', { customer_id: '99', email }), 'There is no customer with customer_id 99.'],
    [
      acme('POST', '/employees.php', { customer_external_id: ' no"pe ', email }),
      'There is no customer with customer_external_id "no\\"pe".',
    ],
    [acme('PUT', '/employees.php?id=1', { customer_id: 98 }), 'There is no customer with customer_id 98.'],
    [
      acme('PUT', '/employees.php?external_id=hr-1', { customer_external_id: 'x' }),
      'There is no customer with customer_external_id "x".',
    ],
    [
      acme('PUT', '/employees.php?external_id=hr-9', { customer_external_id: 'x', email }),
      'There is no customer with customer_external_id "x".',
    ],
    [acme('POST', '/hardware.php', { employee_id: 97 }), 'There is no employee with employee_id 97.'],
    [
      acme('PUT', '/hardware.php?id=1', { employee_external_id: 'y' }),
      'There is no employee with employee_external_id "y".',
    ],
  ] as const
  for (const [sent, message] of refusals) {
    const { status, body } = await sent
    assert.deepEqual([status, body.error.message], [422, message])
  }
  const operations = ['a', 'b', 'c'].map((id) => ({
    method: 'POST',
    resource: 'hardware',
    body: { employee_external_id: id },
  }))
  const { body } = await acme('POST', '/bulk.php', { mode: 'each', operations })
  for (const [index, id] of ['a', 'b', 'c'].entries())
    assert.equal(body.results[index].error.message, `There is no employee with employee_external_id "${id}".`)
})

test('duplicate gives the id of the record that has the value, but only to a key that may read it', async () => {
  await acme('POST', '/hardware.php', { employee_id: 1, asset_tag: 'TD-2' })
  const writer = await clientWith('hardware:write')
  const values = { employee_id: 1, asset_tag: 'TD-1', external_id: 'hw-1' }
  const requests = [
    (client: typeof acme) => client('POST', '/hardware.php', values),
    (client: typeof acme) => client('PUT', '/hardware.php?id=2', { asset_tag: 'TD-1', external_id: 'hw-1' }),
    (client: typeof acme) => client('PUT', '/hardware.php?external_id=hw-new', { employee_id: 1, asset_tag: 'TD-1' }),
  ]
  for (const send of requests) {
    const [open, hidden] = [await send(acme), await send(writer)]
    for (const name of open.body.fields) {
      assert.equal(open.body.errors[name].code, 'duplicate')
      assert.equal(open.body.errors[name].message, 'The hardware record with id 1 already has this value.')
      assert.equal(hidden.body.errors[name].message, 'Another record already has this value.')
    }
  }
  const operations = [{ method: 'POST', resource: 'hardware', body: { employee_id: 1, asset_tag: 'TD-2' } }]
  const bulk = await acme('POST', '/bulk.php', { operations })
  assert.match(bulk.body.results[0].errors.asset_tag.message, /id 2 /)
})

test('a suggestion is made only if a known name is close', async () => {
  const suggestions = {
    serial: 'serial_number',
    Serial: 'serial_number',
    tag: 'asset_tag',
    nmae: 'name',
    manufac: 'manufacturer',
    serialNumber: 'serial_number',
    purchase: 'purchase_date',
    employe: 'employee_id',
    modell: 'model',
    foo: null,
    page: null,
    hostname: null,
    owner: null,
    make: null,
    role: null,
    colour: null,
    xyzzy: null,
    x: null,
  }
  for (const [name, suggestion] of Object.entries(suggestions)) {
    const strict = { prefer: 'handling=strict' }
    const { body } = await acme('POST', '/hardware.php', { employee_id: 1, [name]: 'x' }, strict)
    const list = await acme('GET', `/hardware.php?${name}=x`)
    const operator = await acme('GET', `/hardware.php?${name}[in]=x`)
    for (const message of [body.errors[name].message, list.body.error.message, operator.body.error.message]) {
      const [, suggested = null] = /; the nearest name is (\w+)/.exec(message) ?? []
      assert.equal(suggested, suggestion, `${name}: ${message}`)
    }
    assert.match(list.body.error.message, /; allowed: limit, /)
  }
  const changes = await acme('GET', '/changes.php?resources=hardware')
  assert.match(
    changes.body.error.message,
    /^There is no parameter "resources"; the nearest name is resource; allowed: /,
  )
  const owner = await acme('GET', '/changes.php?owner=ada') // two letters of the form of "order", with another meaning
  assert.match(owner.body.error.message, /^There is no parameter "owner"; allowed: .*\border\b/)
  const mode = await acme('POST', '/bulk.php', { mode: 'best', operations: [] })
  assert.match(mode.body.error.message, /it is "best"\.$/)
})

const invalidTexts: [text: string, place: string, reason: RegExp][] = [
  ['', '1, column 1', /it is empty/],
  [' \n ', '2, column 2', /it is empty/],
  ['{"name": "a",}', '1, column 14', /remove the comma before \}/],
  ['{"name": [1,]}', '1, column 13', /remove the comma before \]/],
  ['{\n  "name": "ü😀" "city": 1\n}', '2, column 16', /a comma or a closing bracket is expected, not "\\""/],
  ['{"name": "a"', '1, column 13', /it ends without \}/],
  ['{"a": [1, {"b": 2}', '1, column 19', /it ends without \]\}/],
  ['{"name": "a', '1, column 10', /no closing quotation mark/],
  ['{"name": "a\nb"}', '1, column 12', /must be escaped/],
  ['{"name": "C:\\dir"}', '1, column 13', /backslash/],
  ["{'name': 1}", '1, column 2', /enclosed in ", not in '/],
  ['{name: 1}', '1, column 2', /a name in double quotation marks or \} is expected, not "name"/],
  ['{"a": True}', '1, column 7', /write true instead of True/],
  ['{"a": NaN}', '1, column 7', /write null instead of NaN/],
  ['{"a": constructor}', '1, column 7', /a value is expected, not "constructor"/],
  ['{"a" 1}', '1, column 6', /a colon is expected, not "1"/],
  ['{"a": 01}', '1, column 8', /a comma or a closing bracket is expected/],
  ['{"a": 1]', '1, column 8', /\] does not close/],
  ['{"a": 1} {}', '1, column 10', /nothing may follow/],
  ['{"a": 1 // one\n}', '1, column 9', /no comments/],
  ['name=Acme&city=Bern', '1, column 1', /it is a form/],
  ['<xml/>', '1, column 1', /a value is expected, not "<"/],
]

test('invalid_json gives the line, the column in characters, and the reason', async () => {
  for (const [text, place, reason] of invalidTexts) {
    const { status, body } = await acme('POST', '/customers.php', text)
    assert.deepEqual([status, body.error.code], [400, 'invalid_json'], text)
    assert.ok(
      body.error.message.startsWith(`The body is not valid JSON at line ${place}: `),
      `${text}: ${body.error.message}`,
    )
    assert.match(body.error.message, reason)
  }
  const latin = await acme('POST', '/customers.php', Buffer.from('{"name": "Müller"}', 'latin1'))
  assert.match(latin.body.error.message, /^The body is not valid JSON at line 1, column 12: it is not UTF-8\.$/)
  const bulk = await acme(
    'POST',
    '/bulk.php',
    '{"operations": [\n  {"method": "DELETE", "id": 1},\n  {"method": "DELETE", "id": 2,}]}',
  )
  assert.match(bulk.body.error.message, /^The body is not valid JSON at line 3, column 32: remove the comma before \}/)
  const list = await acme('POST', '/bulk.php', '{"operations": [{"method": "DELETE"},\n]}')
  assert.match(list.body.error.message, /at line 2, column 1: remove the comma before \]/)
})

test('a place is found in every text that JSON.parse rejects, however deep or long it is', () => {
  const randomText = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', 'true', ' ', '\n', '"', '\\', 'ü'),
    { maxLength: 14 },
  )
  fc.assert(
    fc.property(randomText, (parts) => {
      const text = parts.join('')
      assert.equal(errorIn(text) === null, isJson(text), text)
    }),
    { numRuns: 3000 },
  )
  for (const text of ['['.repeat(60_000), '{"a":'.repeat(60_000), `"${'x'.repeat(5_000_000)}`, '\n'.repeat(5_000_000)])
    assert.notEqual(errorIn(text), null)
})

function errorIn(text: string) {
  const search = findSyntaxError(text)
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('413 and 429 name the limit', async () => {
  const small = await startService({
    BODY_LIMIT_BYTES: '4096',
    BULK_BODY_LIMIT_BYTES: '8192',
    IMPORT_LIMIT_BYTES: '5000',
  })
  const tiny = await small.tenant('tiny')
  const long = JSON.stringify({ name: 'x'.repeat(9000) })
  const messages: [path: string, body: string, message: string][] = [
    ['/customers.php', long, 'The body is larger than 4096 bytes, which is the limit.'],
    ['/bulk.php', long, 'The body is larger than 8192 bytes, which is the limit.'],
    [
      '/imports.php?resource=customers',
      `name\n${'x'.repeat(6000)}`,
      'The file is larger than 5000 bytes, which is the limit.',
    ],
  ]
  for (const [path, body, message] of messages) {
    const response = await tiny('POST', path, body, {
      'content-type': path.startsWith('/imports') ? 'text/csv' : 'application/json',
    })
    assert.deepEqual([response.status, response.body.error.message], [413, message])
  }
  const operations = [{ method: 'POST', resource: 'customers', body: { name: 'x'.repeat(5000) } }]
  const bulk = await tiny('POST', '/bulk.php', { operations })
  assert.match(bulk.body.results[0].error.message, /^operations\[0\] is larger than 4096 bytes/)
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '3' })
  const client = await limited.tenant('limited')
  for (let sent = 0; sent < 3; sent++) await client('GET', '/me.php')
  const { status, body, headers } = await client('GET', '/me.php')
  const end = new Date(Number(headers['x-ratelimit-reset']) * 1000).toISOString().replace('.000', '')
  assert.deepEqual([status, headers['retry-after']], [429, '60'])
  assert.equal(body.error.message, `This API key may send 3 requests a minute. The current window ends at ${end}.`)
})

test('an email address with other letters than those of ASCII is refused with its ASCII form, if it has one', async () => {
  const messageFor = async (email: string) => {
    const { body } = await acme('POST', '/employees.php', { customer_id: 1, email })
    assert.equal(body.errors.email.code, 'invalid_email')
    return body.errors.email.message
  }
  assert.equal(
    await messageFor('ada@müller.de'),
    'Must be an email address in ASCII: write it as ada@xn--mller-kva.de.',
  )
  assert.equal(await messageFor('jürgen@example.com'), 'Must be an email address in ASCII: it contains "ü".')
  assert.equal(await messageFor('ada'), 'Must be an email address.')
})
