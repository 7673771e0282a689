// The order of checks (contract §5). Each list starts with a request that has several faults. Each step fixes the fault
// that the previous response reported. The response must then report the fault that is checked next.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, type Code, keyId } from '../../support/api/shared-errors.ts'
import { type TenantDatabase, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { type Client, command, createKey, makeTenant, type Response, startService } from '../../support/service.ts'

const service = await startService({ RATE_LIMIT_PER_MINUTE: '100000', BODY_LIMIT_BYTES: '1000' })
const limited = await startService({ RATE_LIMIT_PER_MINUTE: '1' })
const acme = await service.tenant('acme')
const reader = service.client(await createKey(service.environment, 'acme', ['*:read']))
const writer = service.client(await createKey(service.environment, 'acme', ['*:write']))

const customer = (await acme('POST', '/customers.php', { name: 'C' })).body
const employee = (await acme('POST', '/employees.php', { customer_id: customer.id, email: 'e@x.y' })).body
await acme('POST', '/hardware.php', { employee_id: employee.id, asset_tag: 'TD-1' })

const refusedCallers = await createRefusedCallers()

/** A request and its expected result. `message` distinguishes causes that have the same code. */
type Step = [expected: Code | 200, client: Client, method: string, path: string, body?: unknown, options?: Options]
type Options = { key?: string | undefined; match?: string; type?: string | undefined; message?: RegExp }

const wrong = { key: 'not-a-uuid', match: '"stale"', type: 'text/plain' }
const [json, stale] = [{ ...wrong, key: undefined, type: undefined }, { match: '"stale"' }]
const existing = `/employees.php?id=${employee.id}`

const steps: Record<string, Step[]> = {
  PUT: [
    ['not_found', reader, 'PATCH', '/people.php', '{', wrong],
    ['method_not_allowed', reader, 'PATCH', '/employees.php', '{', wrong],
    ['forbidden', reader, 'PUT', '/employees.php', '{', wrong],
    ['invalid_request', writer, 'PUT', '/employees.php', '{', { ...wrong, message: /Idempotency-Key/ }],
    ['missing_id', writer, 'PUT', '/employees.php', '{', { ...json, type: 'text/plain' }],
    ['invalid_request', writer, 'PUT', '/employees.php?id=x', '{', { ...json, message: /\bid\b/ }],
    ['invalid_json', writer, 'PUT', '/employees.php?id=999', '{', json],
    ['invalid_request', writer, 'PUT', '/employees.php?id=999', '[]', { ...json, message: /object/ }],
    ['no_fields', writer, 'PUT', '/employees.php?id=999', { id: 5 }, json],
    ['validation_failed', writer, 'PUT', '/employees.php?id=999', { email: 'no', customer_id: 999 }, json],
    ['not_found', writer, 'PUT', '/employees.php?id=999', { customer_id: 999 }, stale],
    ['precondition_failed', writer, 'PUT', existing, { customer_id: 999 }, stale],
    ['invalid_customer', writer, 'PUT', existing, { customer_id: 999 }, { match: '*' }],
    [200, writer, 'PUT', existing, { customer_id: customer.id }],
  ],
  POST: [
    ['forbidden', reader, 'POST', '/hardware.php', '{', wrong],
    ['invalid_request', writer, 'POST', '/hardware.php', '{', { ...wrong, message: /Idempotency-Key/ }],
    ['payload_too_large', writer, 'POST', '/hardware.php', `{${' '.repeat(1000)}`],
    ['invalid_json', writer, 'POST', '/hardware.php', '{'],
    ['invalid_request', writer, 'POST', '/hardware.php', '[]', { message: /object/ }],
    ['validation_failed', writer, 'POST', '/hardware.php', { employee_id: 999, type: 'boat' }],
    ['invalid_employee', writer, 'POST', '/hardware.php', { employee_id: 999, type: 'laptop' }],
  ],
  DELETE: [
    ['forbidden', reader, 'DELETE', '/customers.php', undefined, wrong],
    ['invalid_request', writer, 'DELETE', '/customers.php', undefined, { ...wrong, message: /Idempotency-Key/ }],
    ['missing_id', writer, 'DELETE', '/customers.php', undefined, json],
    ['invalid_request', writer, 'DELETE', '/customers.php?id=x', undefined, { ...json, message: /\bid\b/ }],
    ['not_found', writer, 'DELETE', '/customers.php?id=999', undefined, json],
    ['precondition_failed', writer, 'DELETE', `/customers.php?id=${customer.id}`, undefined, json],
    ['conflict', writer, 'DELETE', `/customers.php?id=${customer.id}`],
  ],
  GET: [
    ['not_found', writer, 'GET', '/people.php?id=x'],
    ['forbidden', writer, 'GET', '/employees.php?id=x'],
    ['invalid_request', reader, 'GET', '/employees.php?id=x', undefined, { message: /\bid\b/ }],
    ['not_found', reader, 'GET', '/employees.php?id=999'],
    [200, reader, 'GET', existing],
  ],
}

function sendStep([, client, method, path, body, options = {}]: Step, as = client): Promise<Response> {
  return as(method, path, body, {
    ...(options.key && { 'idempotency-key': options.key }),
    ...(options.match && { 'if-match': options.match }),
    ...(options.type && { 'content-type': options.type }),
  })
}

async function assertSteps(list: Step[]): Promise<void> {
  for (const step of list) {
    const [expected, , method, path, body, options] = step
    const response = await sendStep(step)
    if (expected === 200) assert.equal(response.status, 200)
    else assertRefused(response, expected, `${method} ${path} ${JSON.stringify(body)}`)
    if (options?.message) assert.match(response.body.error.message, options.message)
    assertRateLimitHeaders(response)
  }
}

const rateLimitHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

function assertRateLimitHeaders(response: Response): void {
  for (const name of rateLimitHeaders) assert.match(response.headers[name] ?? '', /^\d+$/, name)
}

for (const [method, list] of Object.entries(steps)) {
  test(`a ${method} request with several faults is refused with the error of the earliest check`, () =>
    assertSteps(list))
}

const everyStep = Object.values(steps).flat()

/** Creates clients that are always refused, each with the expected code. If two codes are possible, the earlier check
 *  decides. */
async function createRefusedCallers(): Promise<[Code, Client][]> {
  const { environment } = service
  const ofDeletedTenant = await makeTenant(environment, 'gone')
  const ofSuspendedTenant = await makeTenant(environment, 'off')
  const [revoked, deleted] = [await createKey(environment, 'off'), await createKey(environment, 'off')]
  await command(environment, 'key', 'revoke', keyId(revoked))
  await command(environment, 'key', 'revoke', keyId(deleted))
  await command(environment, 'key', 'delete', keyId(deleted))
  await command(environment, 'tenant', 'suspend', 'off')
  await command(environment, 'tenant', 'suspend', 'gone')
  await command(environment, 'tenant', 'delete', 'gone', '--yes')
  return [
    ['unauthorized', (method, path, body, headers = {}) => service.request(method, path, headers, toText(body))],
    ['invalid_key_format', service.client('tdk_short')],
    ['invalid_key', service.client(deleted)],
    ['invalid_key', service.client(ofDeletedTenant)],
    ['key_revoked', service.client(revoked)],
    ['tenant_suspended', service.client(ofSuspendedTenant)],
  ]
}

function toText(body: unknown): string | undefined {
  return typeof body === 'object' ? JSON.stringify(body) : (body as string | undefined)
}

test('a caller without access is refused before all other checks, and without rate-limit headers', async () => {
  for (const [code, client] of refusedCallers) {
    for (const step of everyStep) {
      const response = await sendStep(step, client)
      assertRefused(response, code, `${step[2]} ${step[3]}`)
      for (const name of rateLimitHeaders) assert.equal(response.headers[name], undefined, `${name} with ${code}`)
    }
  }
})

/** Runs `action` while a tenant's database is unavailable. */
async function whileUnavailable(tenantDatabase: TenantDatabase, action: () => Promise<void>): Promise<void> {
  await tenantDatabase.hide()
  try {
    await action()
  } finally {
    await tenantDatabase.show()
  }
}

test('an unavailable database is reported after the rate limit is checked and before path, method and scope are checked', async () => {
  await whileUnavailable(await tenantDatabaseOf(service.environment, 'acme'), async () => {
    for (const step of everyStep) {
      const response = await sendStep(step)
      assertRefused(response, 'tenant_unavailable', `${step[2]} ${step[3]} ${JSON.stringify(step[4])}`)
      assertRateLimitHeaders(response)
    }
    for (const [code, client] of refusedCallers) assertRefused(await client('GET', '/customers.php'), code)
  })
  for (const list of Object.values(steps)) await assertSteps(list)
})

test('a stored response is replayed after path, method and scope are checked and before query and body are checked', async () => {
  const headers = { 'idempotency-key': '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' }
  const first = await acme('POST', '/customers.php', { name: 'Once' }, headers)
  assert.equal(first.status, 201)
  for (const [method, path, body] of [
    ['POST', '/customers.php', { name: 5 }] as const,
    ['PUT', '/customers.php', { name: 'x' }] as const,
    ['PUT', '/customers.php?id=x', {}] as const,
    ['DELETE', '/employees.php', undefined] as const,
  ]) {
    const replay = await acme(method, path, body, headers)
    assert.deepEqual([replay.status, replay.text], [201, first.text], `${method} ${path}`)
  }
  assertRefused(await acme('POST', '/people.php', {}, headers), 'not_found')
  assertRefused(await acme('PATCH', '/customers.php', {}, headers), 'method_not_allowed')
  assertRefused(await reader('POST', '/customers.php', {}, headers), 'forbidden')
})

test('the rate limit is checked after the tenant’s state, and before the tenant’s database and the request', async () => {
  const client = await limited.tenant('acme')
  assert.equal((await client('GET', '/customers.php')).status, 200)
  await whileUnavailable(await tenantDatabaseOf(limited.environment, 'acme'), async () => {
    for (const step of everyStep) {
      const response = await sendStep(step, client)
      assertRefused(response, 'rate_limited', `${step[2]} ${step[3]}`)
      assertRateLimitHeaders(response)
    }
    await command(limited.environment, 'tenant', 'suspend', 'acme')
    assertRefused(await client('GET', '/customers.php'), 'tenant_suspended')
  })
})
