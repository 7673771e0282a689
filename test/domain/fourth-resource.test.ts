import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from '../../src/app/service.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import type { Resource, Resources } from '../../src/domain/declarations/resource.ts'
import { importFile } from '../support/api/imports.ts'
import { checkAgainst, documentOf } from '../support/api/openapi-check.ts'
import { foreignKeySentence } from '../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import {
  type Client,
  type Environment,
  generousTimeouts,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'
import { newFields, nextVersion, withFields } from '../support/versions/next-version.ts'

/** A new resource needs only this declaration. Tenants created on the command line have the current schema version, so
 *  they start without this resource. */
const licences = {
  name: 'licences',
  singular: 'licence',
  since: nextVersion,
  fields: {
    customer_id: { kind: 'reference', to: 'customers', missingCode: 'invalid_customer', required: true },
    employee_id: { kind: 'reference', to: 'employees', missingCode: 'invalid_employee' },
    product: { kind: 'text', min: 2, max: 40, required: true, isDistinctive: true },
    serial: { kind: 'text', max: 40, unique: true },
    contact: { kind: 'email', max: 60 },
    metric: { kind: 'choice', of: ['user', 'device', 'core'], default: 'user' },
    seats: { kind: 'integer', min: 1, max: 1000 },
    is_perpetual: { kind: 'boolean', default: false },
    ends: { kind: 'date' },
  },
} as const satisfies Resource

const { environment, request, client, tenant } = await startService({}, { resources: [...resources, licences] })
const acme = await tenant('acme')
const path = '/licences.php'

async function createCustomerAndEmployee(client: Client): Promise<[customer: number, employee: number]> {
  const customer = await client('POST', '/customers.php', { name: 'Head office' })
  const employee = await client('POST', '/employees.php', { customer_id: customer.body.id, email: 'ada@example.com' })
  assert.deepEqual([customer.status, employee.status], [201, 201], customer.text + employee.text)
  return [customer.body.id, employee.body.id]
}

const [customer_id, employee_id] = await createCustomerAndEmployee(acme)

test('a record of a newly declared resource can be created, read, listed, changed and deleted', async () => {
  const created = await acme('POST', path, { customer_id, product: ' Editor ', seats: '25', is_perpetual: 1 })
  assert.equal(created.status, 201)
  assert.equal(created.headers.location, `/api/v1/licences.php?id=${created.body.id}`)
  const { created_at, updated_at, ...rest } = created.body
  assert.equal(created_at, updated_at)
  assert.deepEqual(Object.entries(rest), [
    ['id', created.body.id],
    ['customer_id', customer_id],
    ['employee_id', null],
    ['product', 'Editor'],
    ['serial', null],
    ['contact', null],
    ['metric', 'user'],
    ['seats', 25],
    ['is_perpetual', true],
    ['ends', null],
  ])
  const recordPath = `${path}?id=${created.body.id}`
  assert.equal((await acme('GET', recordPath)).text, created.text)
  const changes = { employee_id, metric: 'core', is_perpetual: 'false', ends: '2028-02-29', contact: 'it@example.com' }
  const put = await acme('PUT', recordPath, changes)
  assert.deepEqual(
    { ...put.body, updated_at: null },
    { ...created.body, ...changes, is_perpetual: false, updated_at: null },
  )
  assert.deepEqual((await acme('GET', path)).body.data, [put.body])
  assert.deepEqual((await acme('DELETE', recordPath)).body, { id: created.body.id, deleted: true })
  assert.equal((await acme('GET', recordPath)).body.error.code, 'not_found')
})

test('an import of a newly declared resource says how many new records share a value that is rarely shared', async () => {
  const client = await tenant('distinctive')
  await createCustomerAndEmployee(client)
  await client('POST', path, { customer_id: 1, product: 'Editor' })
  const { assumptions } = await importFile(client, 'resource=licences', 'product,customer_id\nEditor,1\nViewer,1\n')
  assert.match(assumptions.join('\n'), /1 new record has a value in "product" that an existing record already has/)
})

test('the fields of a newly declared resource are validated together, in declaration order', async () => {
  const wrong = {
    ends: '2026-02-30',
    is_perpetual: 'yes',
    seats: 1001,
    metric: 'galaxy',
    contact: 'nobody',
    serial: 'x'.repeat(41),
    product: 'x',
    employee_id: 'ada',
  }
  const { status, body } = await acme('POST', path, wrong)
  assert.deepEqual([status, body.error.code], [422, 'validation_failed'])
  assert.deepEqual(body.fields, Object.keys(licences.fields))
  const codes = Object.values<Json>(body.errors).map(({ code }) => code)
  assert.deepEqual(codes, [
    'required',
    'invalid_int',
    'too_short',
    'too_long',
    'invalid_email',
    'not_in_list',
    'invalid_int',
    'invalid_bool',
    'invalid_date',
  ])
  const none = await acme('PUT', `${path}?id=1`, { colour: 'red' })
  assert.deepEqual([none.status, none.body.error.code], [400, 'no_fields'])
})

test('records that a newly declared resource refers to must exist, and cannot be deleted while it refers to them', async () => {
  const [customer, employee] = await createCustomerAndEmployee(acme)
  const missingCustomer = await acme('POST', path, { customer_id: 987654, product: 'Editor' })
  assert.deepEqual([missingCustomer.status, missingCustomer.body.error.code], [422, 'invalid_customer'])
  const missingEmployee = await acme('POST', path, { customer_id: customer, employee_id: 987654, product: 'Editor' })
  assert.deepEqual([missingEmployee.status, missingEmployee.body.error.code], [422, 'invalid_employee'])
  const secondCustomer = (await acme('POST', '/customers.php', { name: 'Without employees' })).body.id
  const created = await acme('POST', path, { customer_id: secondCustomer, employee_id: employee, product: 'Editor' })
  const newEmployee = (await acme('POST', '/employees.php', { customer_id: secondCustomer, email: 'a@b.c' })).body.id
  const dependents = { resource: path.slice(1, -'.php'.length), count: 1 }
  for (const [referenced, counts] of [
    [`/customers.php?id=${secondCustomer}`, [{ resource: 'employees', count: 1 }, dependents]],
    [`/employees.php?id=${employee}`, [dependents]],
  ] as const) {
    const refused = await acme('DELETE', referenced)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    assert.match(refused.body.details, foreignKeySentence)
    assert.deepEqual(refused.body.dependents, counts)
  }
  assert.equal((await acme('DELETE', `/employees.php?id=${newEmployee}`)).status, 200)
  assert.equal((await acme('DELETE', `${path}?id=${created.body.id}`)).status, 200)
  assert.equal((await acme('DELETE', `/customers.php?id=${secondCustomer}`)).status, 200)
  assert.equal((await acme('DELETE', `/employees.php?id=${employee}`)).status, 200)
})

test('unique fields and Idempotency-Keys work for a newly declared resource', async () => {
  const headers = { 'idempotency-key': '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' }
  const body = { customer_id, product: 'Editor', serial: 'L-1' }
  const created = await acme('POST', path, body, headers)
  const replay = await acme('POST', path, body, headers)
  assert.deepEqual([replay.status, replay.text, replay.headers['idempotent-replayed']], [201, created.text, 'true'])
  const duplicate = await acme('POST', path, body)
  assert.deepEqual([duplicate.status, duplicate.body.errors.serial.code], [422, 'duplicate'])
})

test('requests for a newly declared resource require its scopes or those that cover every resource', async () => {
  const body = { customer_id, product: 'Editor' }
  const statusesWith = async (slug: string, scopes: string[]) => {
    const limited = client(await makeTenant(environment, slug, scopes))
    const responses = [
      await limited('GET', path),
      await limited('POST', path, body),
      await limited('DELETE', `${path}?id=9`),
    ]
    return responses.map(({ status }) => status)
  }
  assert.deepEqual(await statusesWith('reader', ['*:read']), [200, 403, 403])
  assert.deepEqual(await statusesWith('writer', ['*:write']), [403, 422, 404])
  assert.deepEqual(
    await statusesWith('others', ['customers:read', 'customers:write', 'hardware:delete']),
    [403, 403, 403],
  )
  assert.equal((await request('GET', path, {})).body.error.code, 'unauthorized')
  const unsupported = await acme('PATCH', path, {})
  assert.deepEqual([unsupported.status, unsupported.headers.allow], [405, 'GET, HEAD, POST, PUT, DELETE'])
})

test('the API document names an unknown field in its examples, whatever the fields of a resource are called', async () => {
  const colour = { kind: 'text', max: 30, since: nextVersion } as const
  const colourful = ['customers', 'employees', 'hardware'].reduce(
    (declarations: Resources, name) => withFields({ colour, other_colour: colour }, name, declarations),
    [...resources, licences],
  )
  const { request, tenant } = await startService({}, { resources: colourful, nodes: 1 })
  const document = (await request('GET', '/openapi.json', {})).text
  assert.ok(document.includes('"fields":["other_other_colour"]'))
  const client = await tenant('colourful')
  const strict = { prefer: 'handling=strict' }
  const body = { name: 'A', colour: 'red', other_colour: 'blue' }
  assert.equal((await client('POST', '/customers.php', body, strict)).body.colour, 'red')
  const refused = await client('POST', '/customers.php', { ...body, other_other_colour: 'red' }, strict)
  assert.deepEqual(Object.keys(refused.body.errors), ['other_other_colour'])
})

const withNewFields = withFields(newFields)

/** Runs a service with these declarations. Calls `use` with a function that creates clients of the service. */
async function withService<T>(
  settings: Environment,
  resources: Resources,
  use: (client: (token: string) => Client) => Promise<T>,
) {
  const config = readConfig({ RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...(await withEngineUrl(settings)) })
  const { server, close } = await openService(config, { resources, workers: 1, ...generousTimeouts })
  const check = checkAgainst(() => documentOf(config, resources))
  const client =
    (token: string): Client =>
    async (method, path, body, extraHeaders = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...extraHeaders }
      const payload = body !== undefined && { payload: JSON.stringify(body) }
      const injected = await server.inject({ method: method as 'GET', url: `/api/v1${path}`, headers, ...payload })
      const { statusCode, headers: responseHeaders, payload: text } = injected
      const response = {
        status: statusCode,
        headers: responseHeaders as Record<string, string>,
        text,
        body: JSON.parse(text),
      }
      check(method, path, response)
      return response
    }
  try {
    return await use(client)
  } finally {
    await close()
  }
}

test('new fields are added to a tenant of an older version, empty or with their defaults, and its data is kept', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'acme')
  const old = await withService(settings, resources, async (client) => {
    const [, employee_id] = await createCustomerAndEmployee(client(token))
    const created = await client(token)('POST', '/hardware.php', { employee_id, asset_tag: 'TD-1', is_loaner: true })
    await client(token)('POST', '/hardware.php', { employee_id, asset_tag: 'TD-2' })
    return created.body
  })
  const empty = {
    location: null,
    barcode: null,
    condition: 'used',
    is_insured: true,
    weight: null,
    inspected: null,
    lender_id: null,
  }
  await withService(settings, withNewFields, async (client) => {
    const acme = client(token)
    const found = await acme('GET', '/hardware.php?id=1')
    assert.deepEqual(found.body, { ...old, ...empty })
    assert.deepEqual(Object.keys(found.body).slice(-2), ['created_at', 'updated_at'])
    const given = { barcode: 'B-1', condition: 'new', is_insured: false, weight: 3, lender_id: 1 }
    const put = await acme('PUT', '/hardware.php?id=1', given)
    assert.deepEqual({ ...put.body, updated_at: '' }, { ...old, ...empty, ...given, updated_at: '' })
    const duplicate = await acme('PUT', '/hardware.php?id=2', { barcode: 'B-1' })
    assert.deepEqual([duplicate.status, duplicate.body.errors?.barcode?.code], [422, 'duplicate'])
    const missing = await acme('POST', '/hardware.php', { employee_id: old.employee_id, lender_id: 987654 })
    assert.equal(missing.body.error.code, 'invalid_customer')
    const created = await acme('POST', '/hardware.php', { employee_id: old.employee_id, barcode: 'B-2' })
    assert.deepEqual([created.status, created.body.id, created.body.condition], [201, 3, 'used'])
    const [lender] = await createCustomerAndEmployee(acme)
    await acme('PUT', '/hardware.php?id=3', { lender_id: lender })
    assert.equal((await acme('DELETE', `/customers.php?id=${lender}`)).status, 409)
  })
  await withService(settings, withNewFields, async (client) => {
    assert.equal(
      (await client(token)('GET', '/hardware.php?id=1')).body.barcode,
      'B-1',
      'a second start does not change anything',
    )
  })
})

test('a new field that is not searched is added to every record, even if its JSON was stored earlier', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'acme')
  const old = await withService(settings, resources, async (client) => {
    const [, employee_id] = await createCustomerAndEmployee(client(token))
    return (await client(token)('POST', '/hardware.php', { employee_id })).body
  })
  await withService(settings, withFields({ is_insured: newFields.is_insured }), async (client) => {
    const expected = { ...old, is_insured: true }
    assert.deepEqual((await client(token)('GET', '/hardware.php?id=1')).body, expected)
    assert.deepEqual((await client(token)('GET', '/hardware.php')).body.data, [expected])
  })
})

test('an older version refuses only the tenants that a newer version has migrated', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const moved = await makeTenant(settings, 'moved')
  await withService(settings, withNewFields, async (client) => {
    assert.equal((await client(moved)('POST', '/customers.php', { name: 'A' })).status, 201)
  })
  // This tenant is created afterwards, because the newer version migrates every existing tenant.
  const stayed = await makeTenant(settings, 'stayed')
  await withService(settings, resources, async (client) => {
    const refused = await client(moved)('GET', '/customers.php')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'tenant_unavailable'])
    assert.equal(refused.headers['retry-after'], '5')
    assert.equal((await client(stayed)('POST', '/customers.php', { name: 'A' })).status, 201)
    assert.equal((await client(moved)('POST', '/customers.php', { name: 'B' })).status, 503)
  })
  await withService(settings, withNewFields, async (client) => {
    const names = (await client(moved)('GET', '/customers.php')).body.data.map(({ name }: Json) => name)
    assert.deepEqual(names, ['A'])
  })
})

test('every change to a newly declared resource is recorded as a history row', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'acme')
  await withService(settings, [...resources, licences], async (client) => {
    const acme = client(token)
    await acme('POST', '/customers.php', { name: 'A' })
    await acme('POST', path, { customer_id: 1, product: 'Editor' }, { 'x-request-id': 'request-1' })
    await acme('PUT', `${path}?id=1`, { product: 'Viewer', metric: 'user' }, { 'x-request-id': 'request-2' })
    await acme('DELETE', `${path}?id=1`, undefined, { 'x-request-id': 'request-3' })
    await acme('DELETE', `${path}?id=1`, undefined, { 'x-request-id': 'request-4' })
  })
  const tenantDatabase = await tenantDatabaseOf(settings, 'acme')
  const rows = await tenantDatabase.all(`select * from changes where resource = 'licences' order by seq`)
  const summaries = rows.map(({ record_id, action, api_key_id, request_id }) => [
    record_id,
    action,
    api_key_id,
    request_id,
  ])
  assert.deepEqual(summaries, [
    [1, 'create', token.slice(4, 14), 'request-1'],
    [1, 'update', token.slice(4, 14), 'request-2'],
    [1, 'delete', token.slice(4, 14), 'request-3'],
  ])
  const [created, updated, deleted] = rows.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)])
  assert.equal(created![0], null)
  assert.equal(created![1].product, 'Editor')
  assert.deepEqual(updated, [{ product: 'Editor' }, { product: 'Viewer' }])
  assert.equal(deleted![0].product, 'Viewer')
  assert.equal(deleted![1], null)
})
