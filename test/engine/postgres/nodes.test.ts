// Three nodes on one database: a change on one node takes effect on the others with the next request.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { resources } from '../../../src/domain/declarations/all.ts'
import type { Resource } from '../../../src/domain/declarations/resource.ts'
import { schemaVersion } from '../../../src/domain/schema/migrations.ts'
import { assertRefused, keyId } from '../../support/api/shared-errors.ts'
import { query, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import {
  type Client,
  command,
  createKey,
  makeTenant,
  type Response,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

/** The command line creates tenants without this resource. The services add the resource on the first request. */
const licences = {
  name: 'licences',
  singular: 'licence',
  since: schemaVersion(resources) + 1,
  fields: { product: { kind: 'text', max: 40, required: true } },
} as const satisfies Resource

const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const shared = { DATABASE_URL, API_KEY_PEPPER: 'p'.repeat(32) }
/** Starts one node, because these tests choose the node for each request. */
const startOneNode = (settings = {}) =>
  startService({ ...shared, ...settings }, { resources: [...resources, licences], nodes: 1 })
const nodes = [await startOneNode(), await startOneNode(), await startOneNode()]
const { environment } = nodes[0]!
const limit = 10
const limits = { RATE_LIMIT_PER_MINUTE: String(limit), TENANT_RATE_LIMIT_PER_MINUTE: '0' }
const limited = await Promise.all(nodes.map(() => startOneNode(limits)))

/** Creates a tenant. Returns a client for each node. */
async function createTenantClients(slug: string): Promise<Client[]> {
  return clientsOf(await makeTenant(environment, slug))
}

function clientsOf(token: string, services = nodes): Client[] {
  return services.map((node) => node.client(token))
}

/** The client that sends the request with this number. Requests rotate among the clients. */
function clientFor(clients: Client[], request: number): Client {
  return clients[request % clients.length]!
}

/** Asserts that every node creates a record or, if `code` is given, refuses to do so with this code. */
async function assertEveryNode(
  clients: Client[],
  code?: 'key_revoked' | 'invalid_key' | 'tenant_suspended',
): Promise<void> {
  for (const client of clients) {
    const response = await client('POST', '/customers.php', { name: 'x' })
    if (code) assertRefused(response, code)
    else assert.equal(response.status, 201)
  }
}

const isReplay = ({ headers }: Response) => headers['idempotent-replayed'] === 'true'

test('concurrent requests to all nodes with one Idempotency-Key create one record and receive the same response', async () => {
  const clients = await createTenantClients('once')
  const keys = Array.from({ length: 15 }, () => randomUUID())
  await Promise.all(
    keys.map(async (key) => {
      const headers = { 'idempotency-key': key }
      const responses = await Promise.all(
        [...clients, ...clients].map((client) => client('POST', '/customers.php', { name: key }, headers)),
      )
      assert.deepEqual(
        responses.map(({ status, text }) => [status, text]),
        responses.map(() => [201, responses[0]!.text]),
      )
      assert.equal(responses.filter((response) => !isReplay(response)).length, 1)
    }),
  )
  const tenantDatabase = await tenantDatabaseOf(environment, 'once')
  const names = (await tenantDatabase.all('select name from customers')).map(({ name }) => name)
  assert.deepEqual(names.sort(), keys.sort())
  assert.equal((await tenantDatabase.all('select seq from changes')).length, keys.length)
})

test('a key that is revoked, then deleted, is refused by every node from the next request', async () => {
  const token = await makeTenant(environment, 'keys')
  const clients = clientsOf(token)
  const otherKeyClients = clientsOf(await createKey(environment, 'keys'))
  await assertEveryNode(clients)
  await command(environment, 'key', 'revoke', keyId(token))
  await assertEveryNode(clients, 'key_revoked')
  await assertEveryNode(otherKeyClients)
  await command(environment, 'key', 'delete', keyId(token))
  await assertEveryNode(clients, 'invalid_key')
  await assertEveryNode(otherKeyClients)
})

test('suspending, activating or deleting a tenant takes effect on every node with the next request', async () => {
  const clients = await createTenantClients('states')
  await assertEveryNode(clients)
  await command(environment, 'tenant', 'suspend', 'states')
  await assertEveryNode(clients, 'tenant_suspended')
  await command(environment, 'tenant', 'activate', 'states')
  await assertEveryNode(clients)
  await command(environment, 'tenant', 'delete', 'states', '--yes')
  await assertEveryNode(clients, 'invalid_key')
  await assertEveryNode(await createTenantClients('states'))
})

test('records created through all nodes at once receive distinct ids, and the history has no gaps', async () => {
  const clients = await createTenantClients('creations')
  const responses = await Promise.all(
    Array.from({ length: 80 }, (_, index) => {
      const client = clientFor(clients, index)
      if (index % 8 < 2) return client('POST', '/employees.php', { customer_id: 987_654, email: 'a@b.c' })
      return client('POST', '/customers.php', { name: `number ${index}` })
    }),
  )
  const created = responses.filter(({ status }) => status === 201).map(({ body }) => body.id as number)
  assert.deepEqual([created.length, new Set(created).size], [60, 60])
  const history = await (await tenantDatabaseOf(environment, 'creations')).all('select * from changes order by seq')
  assert.deepEqual(
    history.map(({ seq }) => seq),
    created.map((_, index) => index + 1),
  )
  assert.deepEqual(
    history.map(({ record_id }) => record_id).sort((a, b) => a - b),
    created.sort((a, b) => a - b),
  )
})

test('if concurrent requests to all nodes use the same asset tag or delete the same record, only one succeeds', async () => {
  const clients = await createTenantClients('races')
  const customer_id = (await clients[0]!('POST', '/customers.php', { name: 'C' })).body.id
  const employee_id = (await clients[0]!('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body.id
  for (let round = 0; round < 10; round++) {
    const values = { employee_id, asset_tag: `TD-${round}` }
    const created = await Promise.all(clients.map((client) => client('POST', '/hardware.php', values)))
    assert.deepEqual(created.map(({ status }) => status).sort(), [201, 422, 422])
    for (const { body } of created.filter(({ status }) => status === 422)) {
      assert.equal(body.errors.asset_tag.code, 'duplicate')
    }
    const { id } = created.find(({ status }) => status === 201)!.body
    const deletions = await Promise.all(clients.map((client) => client('DELETE', `/hardware.php?id=${id}`)))
    assert.deepEqual(deletions.map(({ status }) => status).sort(), [200, 404, 404])
  }
  const history = await (await tenantDatabaseOf(environment, 'races')).all(
    'select seq, action from changes order by seq',
  )
  assert.deepEqual(
    history.map(({ seq }) => seq),
    Array.from({ length: 22 }, (_, index) => index + 1),
  )
})

test('if all nodes upsert the same external id concurrently, one creates the record and the others update it', async () => {
  const clients = await createTenantClients('upserts')
  await clients[0]!('POST', '/customers.php', { name: 'C', external_id: 'erp' })
  for (let round = 0; round < 10; round++) {
    const path = `/employees.php?external_id=hr-${round}`
    const body = { customer_external_id: 'erp', email: 'a@b.c' }
    const responses = await Promise.all(
      clients.map((client, node) => client('PUT', path, { ...body, name: `N${node}` })),
    )
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 201])
    assert.equal(new Set(responses.map(({ body: { id } }) => id)).size, 1)
  }
  assert.equal((await clients[1]!('GET', '/employees.php?total=true')).body.page.total, 10)
})

test('a record is not deleted on one node while another node creates a reference to it', async () => {
  const clients = await createTenantClients('references')
  for (let round = 0; round < 20; round++) {
    const customer_id = (await clientFor(clients, round)('POST', '/customers.php', { name: 'C' })).body.id
    const [deleted, created] = await Promise.all([
      clientFor(clients, round + 1)('DELETE', `/customers.php?id=${customer_id}`),
      clientFor(clients, round + 2)('POST', '/employees.php', { customer_id, email: 'a@b.c' }),
    ])
    const outcome = `${deleted.body.error?.code ?? deleted.status} ${created.body.error?.code ?? created.status}`
    assert.ok(['200 invalid_customer', 'conflict 201'].includes(outcome), outcome)
  }
})

test('a tenant that all nodes open concurrently is migrated, and every node serves it', async () => {
  for (const slug of ['upgrade-1', 'upgrade-2', 'upgrade-3']) {
    const clients = await createTenantClients(slug)
    const created = await Promise.all(clients.map((client) => client('POST', '/licences.php', { product: 'Editor' })))
    assert.deepEqual(
      created.map(({ status }) => status),
      [201, 201, 201],
    )
    assert.deepEqual(created.map(({ body }) => body.id).sort(), [1, 2, 3])
  }
})

test('if two concurrent commands create the same tenant, only one succeeds', async () => {
  const created = await Promise.all([1, 2].map(() => command(environment, 'tenant', 'create', 'contested')))
  assert.deepEqual(created.map(({ exitCode }) => exitCode).sort(), [0, 1])
  assert.equal(created.find(({ exitCode }) => exitCode === 1)!.stderr, 'The tenant contested already exists.\n')
  await assertEveryNode(clientsOf(await createKey(environment, 'contested')))
})

/** Reads the rate-limit window from a response. `result`: the status and the number of remaining requests. `end`: when
 *  the window ends. */
function windowOf({ status, headers }: Response): { result: string; end: string | undefined } {
  return { result: `${status} ${headers['x-ratelimit-remaining']}`, end: headers['x-ratelimit-reset'] }
}

test('the nodes count a key’s requests in one window, which ends in the same second on every node', async () => {
  const clients = clientsOf(await makeTenant(environment, 'counted'), limited)
  const windows: ReturnType<typeof windowOf>[] = []
  for (let round = 0; round < limit; round++) {
    windows.push(windowOf(await clientFor(clients, round)('GET', '/customers.php')))
  }
  assert.deepEqual(
    windows.map(({ result }) => result),
    windows.map((_, index) => `200 ${limit - 1 - index}`),
  )
  for (const client of clients) {
    const refused = await client('GET', '/customers.php')
    assertRefused(refused, 'rate_limited')
    windows.push(windowOf(refused))
  }
  assert.equal(new Set(windows.map(({ end }) => end)).size, 1)
})

test('exactly as many concurrent requests to all nodes succeed as the rate limit allows', async () => {
  const tokens = [await makeTenant(environment, 'crowd'), ...(await createKeys('crowd', 3))]
  for (const token of tokens) {
    const clients = clientsOf(token, limited)
    const responses = await Promise.all(
      Array.from({ length: 3 * limit }, (_, index) =>
        clientFor(clients, index)('POST', '/customers.php', { name: token }),
      ),
    )
    const windows = responses.map(windowOf)
    assert.deepEqual(
      windows.map(({ result }) => result).sort(),
      [...Array.from({ length: limit }, (_, index) => `201 ${index}`), ...Array(2 * limit).fill('429 0')].sort(),
    )
    assert.equal(new Set(windows.map(({ end }) => end)).size, 1)
  }
  const created = await (await tenantDatabaseOf(environment, 'crowd')).all('select id from customers')
  assert.equal(created.length, limit * tokens.length, 'refused requests change nothing')
})

function createKeys(slug: string, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => createKey(environment, slug)))
}

test('a rate-limit window that ends on a full second ends at the same time on every node', async () => {
  const tokens = [await makeTenant(environment, 'sharp'), ...(await createKeys('sharp', 19))]
  const end = Math.floor(Date.now() / 1000) + 60
  const rows = tokens.map((token) => `('key:${keyId(token)}', 1, ${end}000)`)
  await query(DATABASE_URL, 'tenantdesk', `insert into rate_limit (key, points, expire) values ${rows.join(', ')}`)
  const responses = await Promise.all(
    tokens.flatMap((token) => clientsOf(token, limited).flatMap((client) => [get(client), get(client), get(client)])),
  )
  assert.deepEqual([...new Set(responses.map((response) => windowOf(response).end))], [String(end)])
})

const get = (client: Client) => client('GET', '/customers.php')
