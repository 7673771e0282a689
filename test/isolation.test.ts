import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedNames, tenantDatabaseOf } from './support/databases/tenant-database.ts'
import { resourceNames, resourcePaths } from './support/resource-names.ts'
import {
  type Client,
  command,
  createKey,
  makeTenant,
  networkClient,
  type Response,
  startProcess,
  startService,
  temporaryDirectory,
} from './support/service.ts'

// Two tenants on one server. Globex has more records than Acme, so some ids of Globex do not exist in Acme. Every text
// field in Globex contains a canary. What Acme sees must not depend on Globex.

const canary = 'KANARYA'
const environment = { DATA_DIR: temporaryDirectory() }
const server = await startProcess(environment)
const acmeKey = await makeTenant(environment, 'acme')
const acmeClient = networkClient(server.url, acmeKey)
await command(environment, 'tenant', 'create', 'globex-kanarya', '--name', `Globex ${canary}`)
const globexKey = await createKey(environment, 'globex-kanarya')
const globex = networkClient(server.url, globexKey)
const acmeDatabase = await tenantDatabaseOf(environment, 'acme')
const globexDatabase = await tenantDatabaseOf(environment, 'globex-kanarya')

/** All responses to Acme. A later test searches these responses for text that belongs to Globex. */
const acmeResponses: string[] = []

async function acme(...request: Parameters<Client>): Promise<Response> {
  const response = await acmeClient(...request)
  acmeResponses.push(JSON.stringify(response.headers) + withoutEcho(response.text, request[2]))
  return response
}

/** Removes the external id of a reference, which an error repeats from the request. */
function withoutEcho(text: string, body: unknown): string {
  const { customer_external_id, employee_external_id } = (body ?? {}) as Record<string, unknown>
  const sent = customer_external_id ?? employee_external_id
  return sent === undefined ? text : text.replace(`_external_id \\"${sent}\\"`, '_external_id')
}

const uuid = (number: number) => `0190a1b2-c3d4-4e5f-8a6b-${String(number).padStart(12, '0')}`
let lastKey = 0

/** Creates a customer, its employee and the employee's hardware, each with its own Idempotency-Key. */
async function createRecords(client: Client, mark: string): Promise<Response[]> {
  const key = () => ({ 'idempotency-key': uuid(++lastKey) })
  const text = { name: `n ${mark}`, notes: `o ${mark}`, external_id: `y ${mark}` }
  const customer = await client(
    'POST',
    '/customers.php',
    {
      ...text,
      code: `c ${mark}`,
      email: `c.${mark}@example.com`,
      phone: `+1 ${mark}`,
      address: `a ${mark}`,
      city: `i ${mark}`,
      tax_id: `x ${mark}`,
    },
    key(),
  )
  const employee = await client(
    'POST',
    '/employees.php',
    {
      ...text,
      customer_id: customer.body.id,
      email: `e.${mark}@example.com`,
      department: `d ${mark}`,
      title: `t ${mark}`,
      employee_no: `m ${mark}`,
      phone: `+2 ${mark}`,
    },
    key(),
  )
  const hardware = await client(
    'POST',
    '/hardware.php',
    {
      ...text,
      employee_id: employee.body.id,
      asset_tag: `T ${mark}`,
      serial_number: `s ${mark}`,
      manufacturer: `f ${mark}`,
      model: `l ${mark}`,
    },
    key(),
  )
  const responses = [customer, employee, hardware]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [201, 201, 201],
  )
  return responses
}

await createRecords(acmeClient, 'acme1')
for (let count = 1; count <= 4; count++) await createRecords(globex, `${canary}${count}`)
/** `foreign` and `foreignExternal` exist only in Globex; `unknown` and `unknownExternal` exist in neither tenant. */
const [foreign, unknown] = [4, 4_000_004]
const [foreignExternal, unknownExternal] = [`y ${canary}4`, `y ${canary}5`]

/** Returns a response without its Date header. */
function comparable({ status, headers, text }: Response) {
  const { date: _, ...rest } = headers
  return { status, headers: rest, text }
}

test('the ids of two tenants overlap, and each tenant sees only its own records', async () => {
  for (const path of resourcePaths) {
    const [acmeResponse, globexResponse] = [await acme('GET', `${path}?id=1`), await globex('GET', `${path}?id=1`)]
    assert.deepEqual([acmeResponse.body.id, acmeResponse.body.name], [1, 'n acme1'])
    assert.deepEqual([globexResponse.body.id, globexResponse.body.name], [1, `n ${canary}1`])
    const ids = async (client: Client) => (await client('GET', path)).body.data.map(({ id }: { id: number }) => id)
    assert.deepEqual(await ids(acme), [1])
    assert.deepEqual(await ids(globex), [1, 2, 3, 4])
  }
})

test('a request for another tenant’s id gets the same response as one for an unknown id, whatever the method', async () => {
  const bodies = { customers: { name: 'x' }, employees: { email: 'x@y.z' }, hardware: { name: 'x' } }
  assert.deepEqual(Object.keys(bodies), resourceNames)
  for (const [name, body] of Object.entries(bodies)) {
    const etag = (await globex('GET', `/${name}.php?id=${foreign}`)).headers.etag!
    const requests: [method: string, body?: unknown, headers?: Record<string, string>][] = [
      ['GET'],
      ['HEAD'],
      ['PUT', body],
      ['DELETE'],
      ['GET', undefined, { 'if-none-match': etag }],
      ['PUT', body, { 'if-match': etag }],
      ['DELETE', undefined, { 'if-match': etag }],
    ]
    for (const [method, payload, headers = {}] of requests) {
      const fixed = { ...headers, 'x-request-id': 'the-same' }
      const [foreignResponse, unknownResponse] = [
        await acme(method, `/${name}.php?id=${foreign}`, payload, fixed),
        await acme(method, `/${name}.php?id=${unknown}`, payload, fixed),
      ]
      assert.deepEqual(comparable(foreignResponse), comparable(unknownResponse), `${method} ${name}`)
      assert.equal(foreignResponse.status, 404, `${method} ${name}`)
      if (method !== 'HEAD') assert.equal(foreignResponse.body.error.code, 'not_found')
    }
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const [foreignResponse, unknownResponse] = await Promise.all(
        [foreignExternal, unknownExternal].map((id) =>
          acme(method, `/${name}.php?external_id=${encodeURIComponent(id)}`, undefined, { 'x-request-id': 'the-same' }),
        ),
      )
      assert.deepEqual(
        [foreignResponse!.status, comparable(foreignResponse!)],
        [404, comparable(unknownResponse!)],
        `${method} ${name} by external id`,
      )
    }
    assert.equal((await globex('GET', `/${name}.php?id=${foreign}`)).headers.etag, etag, 'the record is unchanged')
  }
})

test('two tenants can use the same external id, and an upsert by external id does not change the other tenant’s record', async () => {
  for (const [client, name] of [
    [globex, 'Globex'],
    [acme, 'Acme'],
  ] as const) {
    const created = await client('PUT', '/customers.php?external_id=TAKEN', { name })
    assert.deepEqual([created.status, created.body.name], [201, name])
  }
  assert.equal((await globex('GET', '/customers.php?external_id=TAKEN')).body.name, 'Globex')
  for (const client of [globex, acme]) await client('DELETE', '/customers.php?external_id=TAKEN')
})

/** The response without the value that was sent, which the message repeats, and without the length that follows from
 *  it. */
function withoutValue(response: Response, reference: object) {
  const { headers, text, ...rest } = comparable(response)
  const { 'content-length': _, ...otherHeaders } = headers
  return {
    ...rest,
    headers: otherHeaders,
    text: text.replace(JSON.stringify(Object.values(reference)[0]).replaceAll('"', '\\"'), 'value'),
  }
}

test('a reference to another tenant’s record gets the same response as a reference to a missing record', async () => {
  const references: [path: string, field: string, rest: object, code: string][] = [
    ['/employees.php', 'customer_id', { email: 'x@y.z' }, 'invalid_customer'],
    ['/hardware.php', 'employee_id', {}, 'invalid_employee'],
  ]
  for (const [path, field, rest, code] of references) {
    for (const [method, url] of [
      ['POST', path],
      ['PUT', `${path}?id=1`],
    ] as const) {
      const fixed = { 'x-request-id': 'the-same' }
      const external = field.replace('_id', '_external_id')
      for (const [foreignReference, unknownReference] of [
        [{ [field]: foreign }, { [field]: unknown }],
        [{ [external]: foreignExternal }, { [external]: unknownExternal }],
      ]) {
        const foreignResponse = await acme(method, url, { ...rest, ...foreignReference }, fixed)
        const unknownResponse = await acme(method, url, { ...rest, ...unknownReference }, fixed)
        const expected = withoutValue(unknownResponse, unknownReference!)
        assert.match(expected.text, /value/)
        assert.deepEqual(withoutValue(foreignResponse, foreignReference!), expected, `${method} ${field}`)
        assert.deepEqual([foreignResponse.status, foreignResponse.body.error.code], [422, code])
      }
    }
  }
})

test('undo and the history return the same response for another tenant’s change set as for an unknown one', async () => {
  const { headers, body } = await globex('POST', '/customers.php', { name: canary })
  const [foreignSet, unknownSet] = [headers['change-set']!, '00000000-0000-7000-8000-000000000000']
  const fixed = { 'x-request-id': 'the-same' }
  for (const dry_run of [true, false]) {
    const [foreignResponse, unknownResponse] = [
      await acme('POST', '/undo.php', { change_set: foreignSet, dry_run }, fixed),
      await acme('POST', '/undo.php', { change_set: unknownSet, dry_run }, fixed),
    ]
    assert.deepEqual([foreignResponse.status, comparable(foreignResponse)], [404, comparable(unknownResponse)])
  }
  const [foreignResponse, unknownResponse] = [
    await acme('GET', `/changes.php?change_set=${foreignSet}`, undefined, fixed),
    await acme('GET', `/changes.php?change_set=${unknownSet}`, undefined, fixed),
  ]
  assert.deepEqual(comparable(foreignResponse), comparable(unknownResponse))
  assert.equal((await globex('DELETE', `/customers.php?id=${body.id}`)).status, 200)
})

test('a tenant can use an asset tag that another tenant uses', async () => {
  for (const client of [globex, acme]) {
    const created = await client('POST', '/hardware.php', { employee_id: 1, asset_tag: 'TD-1' })
    assert.deepEqual([created.status, created.body.asset_tag], [201, 'TD-1'])
  }
})

test('a response stored for another tenant’s Idempotency-Key is not replayed', async () => {
  const before = (await globex('GET', '/customers.php')).text
  for (let key = 4; key <= lastKey; key++) {
    const response = await acme('POST', '/customers.php', { name: `own ${key}` }, { 'idempotency-key': uuid(key) })
    assert.deepEqual([response.status, response.body.name], [201, `own ${key}`])
    assert.equal(response.headers['idempotent-replayed'], undefined)
  }
  assert.equal((await globex('GET', '/customers.php')).text, before)
})

test('concurrent requests from two tenants return only each tenant’s own records', async () => {
  const both = await Promise.all(
    Array.from({ length: 60 }, (_, index) => (index % 2 ? globex : acme)('GET', '/hardware.php?id=1')),
  )
  assert.deepEqual(
    both.map(({ body }) => body.name),
    both.map((_, index) => (index % 2 ? `n ${canary}1` : 'n acme1')),
  )
  const names = Array.from({ length: 40 }, (_, index) => (index % 2 ? canary : `own ${index}`))
  const created = await Promise.all(
    names.map((name, index) => (index % 2 ? globex : acme)('POST', '/customers.php', { name })),
  )
  assert.deepEqual(
    created.map(({ status, body }) => `${status} ${body.name}`),
    names.map((name) => `201 ${name}`),
  )
})

test('no list, search result, error or conflict contains text from another tenant', async () => {
  const cursor = (await globex('GET', '/customers.php?limit=1')).body.page?.next_cursor ?? 'none'
  const queries = [
    '',
    '?limit=200',
    '?sort=-id',
    '?q=n',
    '?total=true',
    '?name[contains]=n',
    '?id[gte]=1',
    `?cursor=${cursor}`,
    '?format=csv',
    '?format=ndjson&q=n',
  ]
  for (const path of [...resourcePaths, '/openapi.json', '/changes.php', '/tenants.php', '/api_keys.php']) {
    for (const query of [...queries, '?id=', '?id=x', `?id=${foreign}`]) await acme('GET', path + query)
    for (const method of ['POST', 'PUT', 'PATCH', 'OPTIONS'])
      await acme(method, `${path}?id=1`, '{"email": 7, "customer_id": []}')
    await acme('POST', path, 'no JSON')
  }
  await globex('POST', '/employees.php', { customer_id: 1, email: 'more@example.com' })
  await globex('POST', '/hardware.php', { employee_id: 1 })
  for (const [path, resource, reference] of [
    ['/customers.php?id=1', 'employees', 'customer_id'],
    ['/employees.php?id=1', 'hardware', 'employee_id'],
  ] as const) {
    const refused = await acme('DELETE', path)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    const { page } = (await acmeClient('GET', `/${resource}.php?${reference}=1&total=true`)).body
    assert.deepEqual(refused.body.dependents, [{ resource, count: page.total }])
  }
  assert.ok(acmeResponses.length > 150)
  assert.deepEqual(
    acmeResponses.filter((text) => text.toUpperCase().includes(canary)),
    [],
  )
})

test('a tenant’s database contains no text from another tenant', async () => {
  await server.end('SIGTERM')
  const [acmeDump, globexDump] = [await acmeDatabase.dump(), await globexDatabase.dump()]
  assert.ok(globexDump.includes(`o ${canary}4`))
  assert.ok(!globexDump.includes('n acme1'))
  assert.ok(acmeDump.includes('n acme1'))
  assert.ok(!acmeDump.includes(canary))
})

/** Starts and stops a service until this no longer changes Acme's database. Returns a dump of the database. */
async function dumpWhenUnchanged(): Promise<Buffer> {
  for (let before = await acmeDatabase.dump(); ; ) {
    const { service, client } = await startService(environment, { nodes: 1 })
    await client(acmeKey)('GET', '/customers.php')
    await service.close()
    const stored = await acmeDatabase.dump()
    if (stored.equals(before)) return stored
    before = stored
  }
}

test('deleting a tenant removes its database and leaves the other tenant unchanged', async () => {
  const stored = await dumpWhenUnchanged()
  const { service, client } = await startService(environment, { nodes: 1 })
  const [restartedAcme, restartedGlobex] = [client(acmeKey), client(globexKey)]
  const everything = () => Promise.all(resourcePaths.map(async (path) => (await restartedAcme('GET', path)).text))
  const before = await everything()
  assert.equal((await restartedGlobex('GET', '/customers.php')).status, 200)
  assert.equal((await command(environment, 'tenant', 'delete', 'globex-kanarya', '--yes')).exitCode, 0)
  assert.equal((await restartedGlobex('GET', '/customers.php')).body.error.code, 'invalid_key')
  assert.deepEqual(await everything(), before)
  await service.close()
  const databases = await storedNames(environment)
  assert.deepEqual([databases.length, databases[0]?.includes(acmeDatabase.id)], [1, true], String(databases))
  assert.ok((await acmeDatabase.dump()).equals(stored))
})
