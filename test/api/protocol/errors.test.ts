import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { endpointsOf } from '../../../src/api/endpoints/all.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { problems } from '../../../src/problem.ts'
import { testRefusals } from '../../support/api/refusals.ts'
import { assertCommonHeaders, assertRefused, seenCodes, statuses } from '../../support/api/shared-errors.ts'
import { corruptCatalog, insertRecords, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { type Client, engine, type Json, networkClient, type Response, startService } from '../../support/service.ts'

const service = await startService({ BODY_LIMIT_BYTES: '4096', BULK_BODY_LIMIT_BYTES: '4096' })
const strict = await startService({ RATE_LIMIT_PER_MINUTE: '2', IDEMPOTENCY_REUSE: 'reject' })
const unavailable = await startService()
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
const breaking = await startService({}, { log })
const broken = await breaking.tenant('acme')
const withoutCatalog = await startService()
const withShortQueues = await startService({}, { waiting: { maxPerTenant: 4, maxPerProcess: 6 } })
const withListTimeout = await startService({}, { listTimeoutMs: 1 })
const acme = await service.tenant('acme')
const uuid = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'

/** The paths tested on PostgreSQL. Three are enough, because the shared refusals do not depend on the engine. */
const representativePaths = ['/customers.php', '/bulk.php', '/undo.php']
testRefusals(
  service,
  endpointsOf(resources).filter(({ path }) => engine === 'sqlite' || representativePaths.includes(path)),
)

/** Creates a customer with an employee who has a piece of hardware. */
async function createChain(): Promise<{ customer: Json; employee: Json; hardware: Json }> {
  const customer = (await acme('POST', '/customers.php', { name: 'C' })).body
  const employee = (await acme('POST', '/employees.php', { customer_id: customer.id, email: 'e@x.y' })).body
  const hardware = (await acme('POST', '/hardware.php', { employee_id: employee.id })).body
  return { customer, employee, hardware }
}

test('every successful response of the API and the operational endpoints has the common headers', async () => {
  const { hardware } = await createChain()
  const path = `/hardware.php?id=${hardware.id}`
  const successes: Response[] = [
    await acme('POST', '/customers.php', { name: 'C' }),
    await acme('POST', '/customers.php', { name: 'C' }, { 'idempotency-key': uuid }),
    await acme('POST', '/customers.php', { name: 'C' }, { 'idempotency-key': uuid }),
    await acme('GET', path),
    await acme('HEAD', path),
    await acme('GET', '/hardware.php'),
    await acme('PUT', path, { notes: 'x' }),
    await acme('DELETE', path),
  ]
  assert.deepEqual(
    successes.map(({ status }) => status),
    [201, 201, 201, 200, 200, 200, 200, 200],
  )
  for (const address of ['/healthz', '/readyz']) {
    const response = await service.service.server.inject(address)
    assert.equal(response.statusCode, 200)
    successes.push({
      status: 200,
      headers: response.headers as Record<string, string>,
      text: response.payload,
      body: null,
    })
  }
  for (const success of successes) assertCommonHeaders(success)
  const ids = successes.map(({ headers }) => headers['x-request-id'])
  assert.equal(new Set(ids).size, ids.length)
})

test("the caller's X-Request-Id is echoed on success and on every refusal", async () => {
  for (const id of ['a', '!~{}"', 'x'.repeat(128)]) {
    const headers = { 'x-request-id': id }
    const responses = [
      await acme('GET', '/customers.php', undefined, headers),
      await acme('POST', '/customers.php', '{', headers),
      await acme('PATCH', '/customers.php', undefined, headers),
      await acme('GET', '/nowhere', undefined, headers),
      await service.request('GET', '/customers.php', headers),
    ]
    assert.deepEqual(
      responses.map((response) => `${response.status} ${response.headers['x-request-id']}`),
      [200, 400, 405, 404, 401].map((status) => `${status} ${id}`),
    )
  }
})

test('an X-Request-Id that is empty, too long or not visible ASCII is replaced with a new one', async () => {
  const invalidIds = ['', 'x'.repeat(129), 'two words', 'tab\there', 'ünïcode']
  for (const id of invalidIds) {
    for (const path of ['/customers.php', '/nowhere']) {
      const response = await acme('GET', path, undefined, { 'x-request-id': id })
      assertCommonHeaders(response)
      assert.notEqual(response.headers['x-request-id'], id)
    }
  }
})

test('the details of a refused deletion name the dependents, in the same words on every engine', async () => {
  const { customer, employee } = await createChain()
  for (const [path, dependents] of [
    [`/customers.php?id=${customer.id}`, 'customer: employees (1)'],
    [`/employees.php?id=${employee.id}`, 'employee: hardware (1)'],
  ]) {
    const refused = await acme('DELETE', path!)
    assertRefused(refused, 'conflict')
    assert.equal(refused.body.details, `FOREIGN KEY constraint failed: other records refer to this ${dependents}.`)
  }
})

test('a reference to a missing record and a stale If-Match are refused', async () => {
  assertRefused(await acme('POST', '/employees.php', { customer_id: 999, email: 'e@x.y' }), 'invalid_customer')
  assertRefused(await acme('POST', '/hardware.php', { employee_id: 999 }), 'invalid_employee')
  const { customer } = await createChain()
  for (const [method, body] of [['PUT', { notes: 'x' }] as const, ['DELETE', undefined] as const]) {
    const refused = await acme(method, `/customers.php?id=${customer.id}`, body, { 'if-match': '"stale"' })
    assertRefused(refused, 'precondition_failed', method)
  }
})

test('with IDEMPOTENCY_REUSE=reject, reusing a key for a different request is refused, and the refusal counts against the rate limit', async () => {
  const client = await strict.tenant('acme')
  const headers = { 'idempotency-key': uuid }
  assert.equal((await client('POST', '/customers.php', { name: 'A' }, headers)).status, 201)
  assertRefused(await client('POST', '/customers.php', { name: 'B' }, headers), 'idempotency_key_reused')
  assertRefused(await client('GET', '/customers.php'), 'rate_limited')
})

test('a request with headers that are too large is refused in the error format of the API', async () => {
  const url = await service.listen()
  const client = networkClient(url, 'x'.repeat(20_000))
  assertRefused(await client('GET', '/customers.php'), 'headers_too_large')
})

test('while a tenant’s database is unavailable, the tenant’s requests are refused with 503 and Retry-After', async () => {
  const client = await unavailable.tenant('acme')
  const tenantDatabase = await tenantDatabaseOf(unavailable.environment, 'acme')
  await tenantDatabase.hide()
  assertRefused(await client('GET', '/customers.php'), 'tenant_unavailable')
  await tenantDatabase.show()
  assert.equal((await client('GET', '/customers.php')).status, 200)
})

test('a 500 response to an internal error does not reveal internals, and the request changes nothing', async () => {
  const created = await broken('POST', '/customers.php', { name: 'Before' })
  const tenantDatabase = await tenantDatabaseOf(breaking.environment, 'acme')
  await tenantDatabase.run('alter table changes rename column request_id to of_request')
  const path = `/customers.php?id=${created.body.id}`
  const responses = [
    await broken('POST', '/customers.php', { name: 'After' }),
    await broken('PUT', path, { name: 'After' }),
    await broken('DELETE', path),
  ]
  for (const response of responses) {
    assertRefused(response, 'internal_error')
    assert.doesNotMatch(response.text, /changes|sql|table|column|request_id|node|src|\.ts|tmp|After|at \w+ \(/i)
  }
  assert.equal((await broken('GET', path)).text, created.text)
  assert.equal((await broken('GET', '/customers.php')).body.data.length, 1)
})

test('the cause of a 503 is logged at level warn, with the request id', async () => {
  const client = await breaking.tenant('gone')
  const tenantDatabase = await tenantDatabaseOf(breaking.environment, 'gone')
  await tenantDatabase.hide()
  const response = await client('GET', '/customers.php', undefined, { 'x-request-id': 'out-of-reach' })
  assertRefused(response, 'tenant_unavailable')
  const { level, tenant, status, code, reason } = JSON.parse(lines.find((line) => line.includes('out-of-reach'))!)
  assert.deepEqual([level, tenant, status, code], [pino.levels.values.warn, 'gone', 503, 'tenant_unavailable'])
  assert.match(reason, /no file|does not exist/)
  assert.ok(!response.text.includes(reason))
})

test('the cause of a 500 is logged with the request id', async () => {
  const client = await breaking.tenant('defective')
  const tenantDatabase = await tenantDatabaseOf(breaking.environment, 'defective')
  await tenantDatabase.run('alter table changes rename column request_id to of_request')
  const response = await client('POST', '/customers.php', { name: 'After' }, { 'x-request-id': 'look-me-up' })
  assertRefused(response, 'internal_error')
  const logLines = lines.filter((line) => line.includes('look-me-up')).join('')
  assert.match(logLines, /changes.*request_id|request_id.*changes/)
})

test('a list or history that exceeds its time limit is cancelled, and other requests are still served', async () => {
  const client = await withListTimeout.tenant('initech')
  await client('POST', '/customers.php', { name: 'A' })
  const tenantDatabase = await tenantDatabaseOf(withListTimeout.environment, 'initech')
  await insertRecords(tenantDatabase, 'customers', 30_000, (n) => ({ name: 'N', notes: `x${n}` }))
  assertRefused(await client('GET', '/customers.php?sort=notes&notes[ne]=x&q=nowhere'), 'query_too_slow')
  const [list, created] = await Promise.all([
    client('GET', '/customers.php?sort=-notes'),
    client('POST', '/customers.php', { name: 'B' }),
    client('GET', '/customers.php?id=1'),
  ])
  assertRefused(list, 'query_too_slow')
  assert.equal(created.status, 201)
  const pastList = await client('GET', `/customers.php?sort=-notes&as_of=${new Date().toISOString()}`)
  assertRefused(pastList, 'query_too_slow')
  assert.match(pastList.body.error.message, /later as_of/)
  const values = { customer_id: created.body.id, email: 'ada@example.com' }
  const ada = (await client('POST', '/employees.php', values)).body
  await tenantDatabase.run(
    `insert into changes (seq, at, resource, record_id, action, after, request_id)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 30000)
    select 1000 + n, '', 'employees', ${ada.id}, 'update', '{"notes":"x"}', '' from numbers`,
  )
  assertRefused(await client('GET', `/employees.php?id=${ada.id}&history=assignments`), 'query_too_slow')
})

test('requests beyond a tenant’s queue limit or the overall queue limit are refused, while requests already queued are served', async () => {
  const [one, other] = [await withShortQueues.tenant('one'), await withShortQueues.tenant('other')]
  const create = (client: Client, count: number) =>
    Array.from({ length: count }, () => client('POST', '/customers.php', { name: 'C' }))
  for (const requests of [() => create(one, 60), () => [...create(one, 40), ...create(other, 40)]]) {
    const responses = await Promise.all(requests())
    const refused = responses.filter(({ status }) => status !== 201)
    for (const response of refused) assertRefused(response, 'server_busy')
    assert.ok(refused.length > 0 && refused.length < responses.length, `${refused.length} refused`)
    for (const client of [one, other]) assert.equal((await client('GET', '/customers.php')).status, 200)
  }
})

test('if the catalog cannot be read, /readyz responds with 503 and /healthz with 200', async () => {
  await corruptCatalog(withoutCatalog.environment)
  const response = await withoutCatalog.service.server.inject('/readyz')
  assert.match(response.json().error.message, /catalog/)
  const headers = response.headers as Record<string, string>
  assertRefused(
    { status: response.statusCode, headers, text: response.payload, body: response.json() },
    'service_unavailable',
  )
  assert.equal((await withoutCatalog.service.server.inject('/healthz')).statusCode, 200)
})

test('if an operation in an all_or_nothing bulk request fails, the other operations are reported as not_applied', async () => {
  const operations = [
    { method: 'POST', resource: 'customers', body: { name: 'C' } },
    { method: 'DELETE', resource: 'customers', id: 987654 },
  ]
  const response = await acme('POST', '/bulk.php', { operations })
  assertRefused(response, 'bulk_failed')
  const [{ status, error }] = response.body.results
  assert.deepEqual([status, error.status, error.code], [statuses.not_applied, statuses.not_applied, 'not_applied'])
  seenCodes.add(error.code)
})

test('the service has exactly the error codes and statuses of the contract (§7)', () => {
  const declared = Object.entries(problems).map(([code, { status }]) => [code, status])
  assert.deepEqual(Object.fromEntries(declared), statuses)
})

/** False if --test-name-pattern selects only some tests. The check below is valid only if every test has run. */
const hasRunEveryTest = !process.execArgv.some((option) => option.startsWith('--test-name-pattern'))

after(() => {
  if (hasRunEveryTest)
    assert.deepEqual([...seenCodes].sort(), Object.keys(statuses).sort(), 'the tests check every error code')
})
