import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { resourcePaths } from '../../support/resource-names.ts'
import {
  type Client,
  createKey,
  makeTenant,
  type Response,
  startService,
  temporaryDirectory,
} from '../../support/service.ts'

const hourMs = 60 * 60 * 1000
let clock = Date.now()

const service = await startService({ RATE_LIMIT_PER_MINUTE: '100000', BODY_LIMIT_BYTES: '4096' })
const acme = await service.tenant('acme')
const zeta = await service.tenant('zeta')
const rejecting = await (await startService({ IDEMPOTENCY_REUSE: 'reject' })).tenant('acme')
const timed = await (await startService({}, { now: () => new Date(clock) })).tenant('acme')
const limited = await (await startService({ RATE_LIMIT_PER_MINUTE: '1' }, { windowSeconds: 1 })).tenant('acme')

const tooLarge = JSON.stringify({ name: 'x'.repeat(5000) })
const name = () => `Customer ${randomUUID()}`
const withKey = (key: string, headers: Record<string, string> = {}) => ({ 'idempotency-key': key, ...headers })
const isReplay = (response: Response) => response.headers['idempotent-replayed'] === 'true'
const mismatch = ({ headers }: Response) => headers['idempotency-mismatch']

/** Returns the parts of a response that the service stores. */
function storedParts({ status, text, headers }: Response) {
  return { status, text, location: headers.location, etag: headers.etag }
}

/** Creates a customer that cannot be deleted, because it has an employee. */
async function createCustomerWithEmployee(client: Client) {
  const customer = (await client('POST', '/customers.php', { name: name() })).body.id as number
  const employee = (await client('POST', '/employees.php', { customer_id: customer, email: 'e@x.y' })).body.id as number
  return { customer, employee }
}

/** Returns all of the tenant's records as JSON. */
async function allRecords(client: Client) {
  return Promise.all(resourcePaths.map(async (path) => (await client('GET', path)).text))
}

const uuids = {
  nil: '00000000-0000-0000-0000-000000000000',
  max: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'version 1': '2a8f4c40-1dd2-11b2-8000-08002b30309d',
  'version 4': '9f0c5c0e-5a0f-4f6e-9a39-0c8f6a3d1b57',
  'version 7': '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b',
  'of no version': '0190a1b2-c3d4-0e5f-0a6b-7c8d9e0f1a2b',
}

for (const [kind, uuid] of Object.entries(uuids)) {
  test(`a UUID (${kind}) is the same key in any letter case, with or without double quotes`, async () => {
    const first = await acme('POST', '/customers.php', { name: name() }, withKey(uuid))
    assert.deepEqual([first.status, isReplay(first)], [201, false])
    for (const form of [uuid, uuid.toUpperCase(), `"${uuid}"`, `"${uuid.toUpperCase()}"`]) {
      const replay = await acme('POST', '/customers.php', { name: name() }, withKey(form))
      assert.deepEqual([storedParts(replay), isReplay(replay)], [storedParts(first), true], form)
    }
  })
}

test('an Idempotency-Key that is not a UUID is refused before the query and the body are checked', async () => {
  const uuid = randomUUID()
  const before = await allRecords(acme)
  for (const value of [
    '',
    'x',
    '1',
    uuid.slice(1),
    `${uuid}0`,
    uuid.replaceAll('-', ''),
    `${uuid.slice(0, 35)}g`,
    `"${uuid}`,
    `${uuid}"`,
    `'${uuid}'`,
    `{${uuid}}`,
    `urn:uuid:${uuid}`,
    `${uuid},${uuid}`,
    `${uuid}, ${uuid}`,
    `""${uuid}""`,
  ]) {
    for (const response of [
      await acme('POST', '/customers.php', { name: name() }, withKey(value)),
      await acme('POST', '/customers.php', '{', withKey(value)),
      await acme('PUT', '/customers.php', { name: name() }, withKey(value)),
      await acme('DELETE', '/customers.php?id=x', undefined, withKey(value)),
    ]) {
      assert.deepEqual([response.status, response.body.error.code], [400, 'invalid_request'], value)
      assert.match(response.body.error.message, /Idempotency-Key.*UUID/)
    }
  }
  assert.deepEqual(await allRecords(acme), before)
})

type RequestParts = [method: string, path: string, body?: unknown, headers?: Record<string, string>]

/** Requests whose method, path, query or body differs from the first request with the key. Most are invalid. */
const differentRequests: RequestParts[] = [
  ['POST', '/customers.php', { name: 'Another' }],
  ['POST', '/customers.php?id=1&x=y', { name: 'Another' }],
  ['POST', '/customers.php', {}],
  ['POST', '/customers.php', '[]'],
  ['POST', '/customers.php', tooLarge],
  ['POST', '/customers.php', 'name=Another', { 'content-type': 'text/plain' }],
  ['POST', '/employees.php', { customer_id: 1, email: 'another@example.com' }],
  ['PUT', '/customers.php?id=1', { name: 'Another' }],
  ['PUT', '/customers.php?id=1', { name: 'Another' }, { 'if-match': '"stale"' }],
  ['PUT', '/hardware.php?id=1', { name: 'Another' }],
  ['PUT', '/customers.php', { name: 'Another' }],
  ['PUT', '/customers.php?id=x', {}],
  ['DELETE', '/employees.php?id=1'],
  ['DELETE', '/hardware.php?id=999'],
  ['DELETE', '/customers.php?id=1&id=2'],
]

const storedCases: [what: string, outcome: string, request: (client: Client) => Promise<RequestParts>][] = [
  ['a creation', '201', async () => ['POST', '/customers.php', { name: name() }]],
  [
    'an update',
    '200',
    async (client) => [
      'PUT',
      `/customers.php?id=${(await createCustomerWithEmployee(client)).customer}`,
      { city: 'A' },
    ],
  ],
  [
    'a deletion',
    '200',
    async (client) => ['DELETE', `/employees.php?id=${(await createCustomerWithEmployee(client)).employee}`],
  ],
  ['an update of a missing record', '404 not_found', async () => ['PUT', '/customers.php?id=9876', { name: 'x' }]],
  ['a deletion of a missing record', '404 not_found', async () => ['DELETE', '/hardware.php?id=9876']],
  [
    'a deletion of a record that others refer to',
    '409 conflict',
    async (client) => ['DELETE', `/customers.php?id=${(await createCustomerWithEmployee(client)).customer}`],
  ],
  ['an invalid field', '422 validation_failed', async () => ['POST', '/customers.php', { name: '', country: 'x' }]],
  [
    'an asset tag in use',
    '422 validation_failed',
    async (client) => {
      const hardware = { employee_id: (await createCustomerWithEmployee(client)).employee, asset_tag: 'TD-1' }
      assert.equal((await client('POST', '/hardware.php', hardware)).status, 201)
      return ['POST', '/hardware.php', hardware]
    },
  ],
  [
    'a reference to a missing customer',
    '422 invalid_customer',
    async () => ['POST', '/employees.php', { customer_id: 9876, email: 'e@x.y' }],
  ],
  [
    'a reference to a missing employee',
    '422 invalid_employee',
    async () => ['POST', '/hardware.php', { employee_id: 9876 }],
  ],
  ['an update without id', '400 missing_id', async () => ['PUT', '/customers.php', { name: 'x' }]],
  ['an update without fields', '400 no_fields', async () => ['PUT', '/customers.php?id=1', { created_at: 'x' }]],
  ['an id that is not an integer', '400 invalid_request', async () => ['DELETE', '/customers.php?id=one']],
  ['a body that is not an object', '400 invalid_request', async () => ['POST', '/customers.php', '[]']],
  [
    'a body with an unsupported Content-Type',
    '400 invalid_request',
    async () => ['POST', '/customers.php', '{}', { 'content-type': 'text/plain' }],
  ],
]

const client = await service.tenant('kept')

for (const [index, [what, outcome, request]] of storedCases.entries()) {
  test(`the response to ${what} (${outcome}) is stored: later requests with its Idempotency-Key get the same response and change nothing`, async () => {
    const key = randomUUID()
    const original = await request(client)
    const [method, path, body, headers] = original
    const first = await client(method, path, body, withKey(key, headers))
    assert.equal([first.status, first.body.error?.code].join(' ').trim(), outcome)
    assert.equal(isReplay(first), false)
    assert.equal(first.headers.location, outcome === '201' ? `/api/v1/customers.php?id=${first.body.id}` : undefined)
    const before = await allRecords(client)
    const different =
      index === 0
        ? differentRequests
        : [
            differentRequests[index % differentRequests.length]!,
            differentRequests[(index + 7) % differentRequests.length]!,
          ]
    for (const [method, path, body, headers] of [original, ...different]) {
      const traced = { 'x-request-id': `again-${randomUUID()}` }
      const counted = Number((await client('GET', '/customers.php')).headers['x-ratelimit-remaining'])
      const replay = await client(method, path, body, withKey(key, { ...headers, ...traced }))
      assert.deepEqual([storedParts(replay), isReplay(replay)], [storedParts(first), true], `${method} ${path} ${body}`)
      assert.equal(replay.headers['x-request-id'], traced['x-request-id'])
      assert.equal(replay.headers['x-ratelimit-limit'], '100000')
      assert.equal(Number(replay.headers['x-ratelimit-remaining']), counted - 1)
    }
    assert.deepEqual(await allRecords(client), before)
  })
}

const readerOnly = service.client(await createKey(service.environment, 'acme', ['*:read']))

/** Requests whose refusals are not stored. Each is sent with the Idempotency-Key that its retry will use. */
const notStored: Record<string, (key: string) => Promise<Response>> = {
  '400 invalid_json': (key) => acme('POST', '/customers.php', '{"name":', withKey(key)),
  '401 unauthorized': (key) => service.request('POST', '/customers.php', withKey(key), '{}'),
  '403 forbidden': (key) => readerOnly('POST', '/customers.php', { name: 'x' }, withKey(key)),
  '405 method_not_allowed': (key) => acme('PATCH', '/customers.php', { name: 'x' }, withKey(key)),
  '412 precondition_failed': async (key) =>
    acme(
      'PUT',
      `/customers.php?id=${(await createCustomerWithEmployee(acme)).customer}`,
      { name: 'x' },
      withKey(key, { 'if-match': '"x"' }),
    ),
  '413 payload_too_large': (key) => acme('POST', '/customers.php', tooLarge, withKey(key)),
  '503 tenant_unavailable': async (key) => {
    const tenantDatabase = await tenantDatabaseOf(service.environment, 'acme')
    await tenantDatabase.hide()
    const response = await acme('POST', '/customers.php', { name: 'x' }, withKey(key))
    await tenantDatabase.show()
    return response
  },
}

for (const [refusal, request] of Object.entries(notStored)) {
  test(`${refusal} is not stored: a retry with the same key is executed`, async () => {
    const key = randomUUID()
    const refused = await request(key)
    assert.equal(`${refused.status} ${refused.body.error.code}`, refusal)
    const retry = await acme('POST', '/customers.php', { name: 'Retried' }, withKey(key))
    assert.deepEqual([retry.status, retry.body.name, isReplay(retry)], [201, 'Retried', false])
    const replay = await acme('POST', '/customers.php', { name: 'Retried' }, withKey(key))
    assert.deepEqual([storedParts(replay), isReplay(replay)], [storedParts(retry), true])
  })
}

test('429 rate_limited is not stored: a retry after the window is executed', async () => {
  const create = (key: string) => limited('POST', '/customers.php', { name: 'x' }, withKey(key))
  const key = await eventually('a key is refused', async () => {
    const tried = randomUUID()
    return (await create(tried)).status === 429 && tried
  })
  const retry = await eventually('the window is over', async () => {
    const response = await create(key)
    return response.status !== 429 && response
  })
  assert.deepEqual([retry.status, isReplay(retry)], [201, false])
})

test('a tenant’s API keys share stored responses if their scopes permit the request', async () => {
  const key = randomUUID()
  const first = await acme('POST', '/customers.php', { name: name() }, withKey(key))
  const colleague = service.client(await createKey(service.environment, 'acme'))
  const replay = await colleague('POST', '/customers.php', { name: name() }, withKey(key))
  assert.deepEqual([storedParts(replay), isReplay(replay)], [storedParts(first), true])
  const refused = await readerOnly('POST', '/customers.php', { name: name() }, withKey(key))
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
})

test('if two tenants send requests with the same Idempotency-Key, both requests are executed', async () => {
  const key = randomUUID()
  const ours = await acme('POST', '/customers.php', { name: 'Ours' }, withKey(key))
  const theirs = await zeta('POST', '/customers.php', { name: 'Theirs' }, withKey(key))
  assert.deepEqual([theirs.status, theirs.body.name, isReplay(theirs)], [201, 'Theirs', false])
  assert.equal((await acme('POST', '/customers.php', {}, withKey(key))).text, ours.text)
  assert.equal((await zeta('POST', '/customers.php', {}, withKey(key))).text, theirs.text)
})

test('a replay repeats the stored response and changes nothing', async () => {
  const [creation, update, deletion] = [randomUUID(), randomUUID(), randomUUID()]
  const created = await acme('POST', '/customers.php', { name: name() }, withKey(creation))
  const path = `/customers.php?id=${created.body.id}`
  const put = await acme('PUT', path, { city: 'Izmir' }, withKey(update))
  const later = await acme('PUT', path, { city: 'Ankara' })
  assert.equal((await acme('PUT', path, { city: 'Izmir' }, withKey(update))).text, put.text)
  assert.equal((await acme('GET', path)).text, later.text)
  const deleted = await acme('DELETE', path, undefined, withKey(deletion))
  assert.deepEqual(storedParts(await acme('DELETE', path, undefined, withKey(deletion))), storedParts(deleted))
  assert.deepEqual(
    storedParts(await acme('POST', '/customers.php', { name: name() }, withKey(creation))),
    storedParts(created),
  )
  assert.equal((await acme('GET', path)).status, 404)
})

test('20 concurrent requests with the same Idempotency-Key create one record and get identical responses', async () => {
  const key = randomUUID()
  const values = { name: name() }
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => acme('POST', '/customers.php', values, withKey(key))),
  )
  for (const response of responses) assert.deepEqual(storedParts(response), storedParts(responses[0]!))
  assert.equal(responses[0]!.status, 201)
  assert.equal(responses.filter((response) => !isReplay(response)).length, 1)
  const next = await acme('POST', '/customers.php', { name: name() })
  assert.equal(next.body.id, responses[0]!.body.id + 1)
})

test('only a replay of a request with another method, path, query or body has Idempotency-Mismatch: true', async () => {
  const first: RequestParts = ['POST', '/customers.php?a=1&b=2', { name: 'First' }]
  const [method, path, body] = first
  const same: Record<string, RequestParts> = {
    'the same request': first,
    'another header': [method, path, body, { prefer: 'handling=strict' }],
  }
  const different: Record<string, RequestParts> = {
    'another body': [method, path, { name: 'Second' }],
    'the same JSON in other bytes': [method, path, '{ "name": "First" }'],
    'another path': [method, '/employees.php?a=1&b=2', body],
    'another method': ['PUT', path, body],
    'no query': [method, '/customers.php', body],
    'the same query in another order': [method, '/customers.php?b=2&a=1', body],
    'another query and another body': [method, '/customers.php?a=1', { name: 'Second' }],
  }
  const key = randomUUID()
  const send = ([method, path, body, headers]: RequestParts) => acme(method, path, body, withKey(key, headers))
  const created = await send(first)
  assert.deepEqual([created.status, isReplay(created), mismatch(created)], [201, false, undefined])
  for (const [requests, expected] of [
    [same, undefined],
    [different, 'true'],
  ] as const) {
    for (const [what, request] of Object.entries(requests)) {
      const replay = await send(request)
      assert.deepEqual([replay.text, isReplay(replay), mismatch(replay)], [created.text, true, expected], what)
    }
  }
})

test('a replayed refusal has Idempotency-Mismatch: true if the request differs', async () => {
  const [key, path] = [randomUUID(), '/customers.php?id=9876']
  const refused = await acme('DELETE', path, undefined, withKey(key))
  assert.deepEqual([refused.status, isReplay(refused), mismatch(refused)], [404, false, undefined])
  const again = await acme('DELETE', path, undefined, withKey(key))
  assert.deepEqual([again.status, isReplay(again), mismatch(again)], [404, true, undefined])
  const other = await acme('DELETE', '/customers.php?id=9877', undefined, withKey(key))
  assert.deepEqual([other.text, isReplay(other), mismatch(other)], [refused.text, true, 'true'])
})

test('with IDEMPOTENCY_REUSE=reject, a repeated request is replayed and a different one is refused with 422', async () => {
  const [key, error] = [randomUUID(), randomUUID()]
  const values = { name: name() }
  const first = await rejecting('POST', '/customers.php', values, withKey(key))
  const failed = await rejecting('POST', '/customers.php', {}, withKey(error))
  const before = await allRecords(rejecting)
  for (const [method, path, body, headers] of differentRequests) {
    for (const used of [key, error.toUpperCase()]) {
      if (used !== key && method === 'POST' && path === '/customers.php' && JSON.stringify(body) === '{}') continue
      const refused = await rejecting(method, path, body, withKey(used, headers))
      assert.deepEqual([refused.status, refused.body.error.code], [422, 'idempotency_key_reused'], `${method} ${path}`)
      assert.deepEqual([isReplay(refused), mismatch(refused)], [false, undefined])
    }
  }
  for (const [method, path] of [
    ['POST', '/customers.php?x=y'],
    ['POST', '/employees.php'],
    ['PUT', '/customers.php'],
  ] as const) {
    const refused = await rejecting(method, path, values, withKey(key))
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'idempotency_key_reused'], `${method} ${path}`)
  }
  const replay = await rejecting('POST', '/customers.php', values, withKey(`"${key}"`))
  assert.deepEqual([storedParts(replay), isReplay(replay)], [storedParts(first), true])
  assert.deepEqual(storedParts(await rejecting('POST', '/customers.php', {}, withKey(error))), storedParts(failed))
  assert.deepEqual(await allRecords(rejecting), before)
})

test('a stored response is kept for 24 hours after the first request, even if it is replayed', async () => {
  const [start, key] = [clock, randomUUID()]
  const send = () => timed('POST', '/customers.php', { name: name() }, withKey(key))
  const first = await send()
  clock = start + 24 * hourMs - 1000
  const late = await send()
  assert.deepEqual([storedParts(late), isReplay(late)], [storedParts(first), true])
  clock = start + 24 * hourMs
  const second = await send()
  assert.deepEqual([second.status, second.body.id, isReplay(second)], [201, first.body.id + 1, false])
  clock = start + 48 * hourMs - 1000
  const replay = await send()
  assert.deepEqual([storedParts(replay), isReplay(replay)], [storedParts(second), true])
})

test('a stored response survives a restart', async () => {
  const DATA_DIR = temporaryDirectory()
  const token = await makeTenant({ DATA_DIR }, 'acme')
  const key = randomUUID()
  const before = await startService({ DATA_DIR })
  const first = await before.client(token)('POST', '/customers.php', { name: 'Once' }, withKey(key))
  await Promise.all(before.services.map((node) => node.close()))
  const after = (await startService({ DATA_DIR })).client(token)
  const replay = await after('POST', '/customers.php', { name: 'Once' }, withKey(key))
  assert.deepEqual([storedParts(replay), isReplay(replay)], [storedParts(first), true])
  assert.equal((await after('GET', '/customers.php')).body.data.length, 1)
})
