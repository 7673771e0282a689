import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from '../../src/app/service.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import type { Resource, Resources } from '../../src/resources/resource.ts'
import { newFields, nextVersion, withFields } from '../support/next-version.ts'
import { checkAgainst, documentOf } from '../support/openapi-check.ts'
import {
  type Client,
  type Environment,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'
import { foreignKeySentence } from '../support/shared-errors.ts'
import { tenantDatabaseOf } from '../support/tenant-database.ts'

/** Plain data, which is all that a new resource needs. The command line creates tenants without it, at the current
 *  version. */
const licences = {
  name: 'licences',
  singular: 'licence',
  since: nextVersion,
  fields: {
    customer_id: { kind: 'reference', to: 'customers', missingCode: 'invalid_customer', required: true },
    employee_id: { kind: 'reference', to: 'employees', missingCode: 'invalid_employee' },
    product: { kind: 'text', min: 2, max: 40, required: true },
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

async function customerAndEmployee(client: Client): Promise<[customer: number, employee: number]> {
  const customer = await client('POST', '/customers.php', { name: 'Head office' })
  const employee = await client('POST', '/employees.php', { customer_id: customer.body.id, email: 'ada@example.com' })
  return [customer.body.id, employee.body.id]
}

const [customer_id, employee_id] = await customerAndEmployee(acme)

test('a record of a newly declared resource can be created, read, listed, changed and deleted', async () => {
  const made = await acme('POST', path, { customer_id, product: ' Editor ', seats: '25', is_perpetual: 1 })
  assert.equal(made.status, 201)
  assert.equal(made.headers.location, `/api/v1/licences.php?id=${made.body.id}`)
  const { created_at, updated_at, ...rest } = made.body
  assert.equal(created_at, updated_at)
  assert.deepEqual(Object.entries(rest), [
    ['id', made.body.id],
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
  const one = `${path}?id=${made.body.id}`
  assert.equal((await acme('GET', one)).text, made.text)
  const changes = { employee_id, metric: 'core', is_perpetual: 'false', ends: '2028-02-29', contact: 'it@example.com' }
  const put = await acme('PUT', one, changes)
  assert.deepEqual(
    { ...put.body, updated_at: null },
    { ...made.body, ...changes, is_perpetual: false, updated_at: null },
  )
  assert.deepEqual((await acme('GET', path)).body.data, [put.body])
  assert.deepEqual((await acme('DELETE', one)).body, { id: made.body.id, deleted: true })
  assert.equal((await acme('GET', one)).body.error.code, 'not_found')
})

test('the fields of a newly declared resource are validated together, in the order of the declaration', async () => {
  const wrong = {
    ...{ ends: '2026-02-30', is_perpetual: 'yes', seats: 1001, metric: 'galaxy', contact: 'nobody' },
    ...{ serial: 'x'.repeat(41), product: 'x', employee_id: 'ada' },
  }
  const { status, body } = await acme('POST', path, wrong)
  assert.deepEqual([status, body.error.code], [422, 'validation_failed'])
  assert.deepEqual(body.fields, Object.keys(licences.fields))
  const codes = Object.values<Json>(body.errors).map(({ code }) => code)
  assert.deepEqual(codes, [
    ...['required', 'invalid_int', 'too_short', 'too_long', 'invalid_email', 'not_in_list'],
    ...['invalid_int', 'invalid_bool', 'invalid_date'],
  ])
  const none = await acme('PUT', `${path}?id=1`, { colour: 'red' })
  assert.deepEqual([none.status, none.body.error.code], [400, 'no_fields'])
})

test('the references of a newly declared resource must exist, and cannot be deleted while they are referenced', async () => {
  const [customer, employee] = await customerAndEmployee(acme)
  const missing = await acme('POST', path, { customer_id: 987654, product: 'Editor' })
  assert.deepEqual([missing.status, missing.body.error.code], [422, 'invalid_customer'])
  const nobody = await acme('POST', path, { customer_id: customer, employee_id: 987654, product: 'Editor' })
  assert.deepEqual([nobody.status, nobody.body.error.code], [422, 'invalid_employee'])
  const other = (await acme('POST', '/customers.php', { name: 'Without employees' })).body.id
  const created = await acme('POST', path, { customer_id: other, employee_id: employee, product: 'Editor' })
  const both = (await acme('POST', '/employees.php', { customer_id: other, email: 'a@b.c' })).body.id
  const dependents = { resource: path.slice(1, -'.php'.length), count: 1 }
  for (const [referenced, counts] of [
    [`/customers.php?id=${other}`, [{ resource: 'employees', count: 1 }, dependents]],
    [`/employees.php?id=${employee}`, [dependents]],
  ] as const) {
    const refused = await acme('DELETE', referenced)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    assert.match(refused.body.details, foreignKeySentence)
    assert.deepEqual(refused.body.dependents, counts)
  }
  assert.equal((await acme('DELETE', `/employees.php?id=${both}`)).status, 200)
  assert.equal((await acme('DELETE', `${path}?id=${created.body.id}`)).status, 200)
  assert.equal((await acme('DELETE', `/customers.php?id=${other}`)).status, 200)
  assert.equal((await acme('DELETE', `/employees.php?id=${employee}`)).status, 200)
})

test('a newly declared resource has unique fields and stored responses', async () => {
  const headers = { 'idempotency-key': '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' }
  const body = { customer_id, product: 'Editor', serial: 'L-1' }
  const created = await acme('POST', path, body, headers)
  const again = await acme('POST', path, body, headers)
  assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [201, created.text, 'true'])
  const duplicate = await acme('POST', path, body)
  assert.deepEqual([duplicate.status, duplicate.body.errors.serial.code], [422, 'duplicate'])
})

test('a newly declared resource needs its own scopes or those of every resource', async () => {
  const body = { customer_id, product: 'Editor' }
  const opens = async (slug: string, scopes: string[]) => {
    const limited = client(await makeTenant(environment, slug, scopes))
    const responses = [
      await limited('GET', path),
      await limited('POST', path, body),
      await limited('DELETE', `${path}?id=9`),
    ]
    return responses.map(({ status }) => status)
  }
  assert.deepEqual(await opens('reader', ['*:read']), [200, 403, 403])
  assert.deepEqual(await opens('writer', ['*:write']), [403, 422, 404])
  assert.deepEqual(await opens('others', ['customers:read', 'customers:write', 'hardware:delete']), [403, 403, 403])
  assert.equal((await request('GET', path, {})).body.error.code, 'unauthorized')
  const unsupported = await acme('PATCH', path, {})
  assert.deepEqual([unsupported.status, unsupported.headers.allow], [405, 'GET, HEAD, POST, PUT, DELETE'])
})

const withNewFields = withFields(newFields)

/** Runs a service with these declarations on this data directory while `work` runs. */
async function during<T>(
  settings: Environment,
  resources: Resources,
  work: (client: (token: string) => Client) => Promise<T>,
) {
  const config = readConfig({ RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...(await withEngineUrl(settings)) })
  const { server, close } = await openService(config, { resources, workers: 1 })
  const check = checkAgainst(() => documentOf(config, resources))
  const client =
    (token: string): Client =>
    async (method, path, body, more = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const answer = await server.inject({ method: method as 'GET', url: `/api/v1${path}`, headers, payload })
      const { statusCode, headers: answered, payload: text } = answer
      const response = { status: statusCode, headers: answered as Record<string, string>, text, body: JSON.parse(text) }
      check(method, path, response)
      return response
    }
  try {
    return await work(client)
  } finally {
    await close()
  }
}

test('a tenant of an older version gets the new fields, empty or with their defaults, and keeps its data', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'acme')
  const old = await during(settings, resources, async (client) => {
    const [, employee_id] = await customerAndEmployee(client(token))
    const created = await client(token)('POST', '/hardware.php', { employee_id, asset_tag: 'TD-1', is_loaner: true })
    await client(token)('POST', '/hardware.php', { employee_id, asset_tag: 'TD-2' })
    return created.body
  })
  const empty = {
    ...{ location: null, barcode: null, condition: 'used', is_insured: true },
    ...{ weight: null, inspected: null, lender_id: null },
  }
  await during(settings, withNewFields, async (client) => {
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
    const [lender] = await customerAndEmployee(acme)
    await acme('PUT', '/hardware.php?id=3', { lender_id: lender })
    assert.equal((await acme('DELETE', `/customers.php?id=${lender}`)).status, 409)
  })
  await during(settings, withNewFields, async (client) => {
    assert.equal(
      (await client(token)('GET', '/hardware.php?id=1')).body.barcode,
      'B-1',
      'a second start changes nothing',
    )
  })
})

test('a new field that is not searched is part of every record, including those with stored JSON', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'acme')
  const old = await during(settings, resources, async (client) => {
    const [, employee_id] = await customerAndEmployee(client(token))
    return (await client(token)('POST', '/hardware.php', { employee_id })).body
  })
  await during(settings, withFields({ is_insured: newFields.is_insured }), async (client) => {
    const expected = { ...old, is_insured: true }
    assert.deepEqual((await client(token)('GET', '/hardware.php?id=1')).body, expected)
    assert.deepEqual((await client(token)('GET', '/hardware.php')).body.data, [expected])
  })
})

test('an older version refuses only the tenants that a newer version has migrated', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const moved = await makeTenant(settings, 'moved')
  await during(settings, withNewFields, async (client) => {
    assert.equal((await client(moved)('POST', '/customers.php', { name: 'A' })).status, 201)
  })
  const stayed = await makeTenant(settings, 'stayed') // the newer version brings every tenant to its schema by itself
  await during(settings, resources, async (client) => {
    const refused = await client(moved)('GET', '/customers.php')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'tenant_unavailable'])
    assert.equal(refused.headers['retry-after'], '5')
    assert.equal((await client(stayed)('POST', '/customers.php', { name: 'A' })).status, 201)
    assert.equal((await client(moved)('POST', '/customers.php', { name: 'B' })).status, 503)
  })
  await during(settings, withNewFields, async (client) => {
    const names = (await client(moved)('GET', '/customers.php')).body.data.map(({ name }: Json) => name)
    assert.deepEqual(names, ['A'])
  })
})

test('every change of a declared resource is a row of the history', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'acme')
  await during(settings, [...resources, licences], async (client) => {
    const acme = client(token)
    await acme('POST', '/customers.php', { name: 'A' })
    await acme('POST', path, { customer_id: 1, product: 'Editor' }, { 'x-request-id': 'request-1' })
    await acme('PUT', `${path}?id=1`, { product: 'Viewer', metric: 'user' }, { 'x-request-id': 'request-2' })
    await acme('DELETE', `${path}?id=1`, undefined, { 'x-request-id': 'request-3' })
    await acme('DELETE', `${path}?id=1`, undefined, { 'x-request-id': 'request-4' })
  })
  const tenantDatabase = await tenantDatabaseOf(settings, 'acme')
  const rows = await tenantDatabase.all(`select * from changes where resource = 'licences' order by seq`)
  const told = rows.map(({ record_id, action, api_key_id, request_id }) => [record_id, action, api_key_id, request_id])
  assert.deepEqual(told, [
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
