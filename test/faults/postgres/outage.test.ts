// Outages of PostgreSQL: the server stops, connections are cut, or a tenant's schema is missing. This file starts and
// stops its own server.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertRefused, everyRequest } from '../../support/api/shared-errors.ts'
import { query, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { boundedMs, eventually } from '../../support/eventually.ts'
import { startPostgres } from '../../support/postgres.ts'
import { type Client, command, createKey, type Response, startService } from '../../support/service.ts'

const server = await startPostgres()
const DATABASE_URL = `${server.url}/postgres`
const service = await startService({ DATABASE_URL, RATE_LIMIT_PER_MINUTE: '100000' })
after(server.remove)
const { environment } = service

type Tenant = { slug: string; client: Client; reader: Client }

async function newTenant(slug: string, server = 'main'): Promise<Tenant> {
  await command(environment, 'tenant', 'create', slug, '--server', server)
  const client = service.client(await createKey(environment, slug))
  const reader = service.client(await createKey(environment, slug, ['*:read']))
  assert.equal((await client('POST', '/customers.php', { name: `Of ${slug}` })).status, 201)
  return { slug, client, reader }
}

async function requireOutage(tenant: Tenant): Promise<void> {
  const start = Date.now()
  for (const [at, answer] of (
    await Promise.all(everyRequest(tenant.client, tenant.reader, '/customers.php?id=1'))
  ).entries()) {
    assertRefused(answer, 'tenant_unavailable', `request ${at}`)
    assert.doesNotMatch(answer.text, /postgres|schema|select|ECONN|127\.0|\bt_|terminat|shut/i)
  }
  assert.ok(Date.now() - start < boundedMs, `answered after ${Date.now() - start} ms`)
}

/** Waits until the tenant has recovered: its list is the same, and it accepts changes. */
async function requireRecovery({ client }: Tenant, list: string): Promise<void> {
  const isBack = async () => (await client('GET', '/customers.php')).status !== 503
  await eventually('the tenant is available again', isBack, { everyMs: 100 })
  assert.equal((await client('GET', '/customers.php')).text, list)
  assert.equal((await client('POST', '/customers.php', { name: 'After the outage' })).status, 201)
}

/** Creates records one after another, and repeats each request with its Idempotency-Key until it succeeds. */
async function createEach(client: Client, names: string[]): Promise<{ answers: Response[]; refusals: Response[] }> {
  const [answers, refusals]: Response[][] = [[], []]
  for (const name of names) {
    const headers = { 'idempotency-key': randomUUID(), 'x-request-id': name }
    let response = await client('POST', '/customers.php', { name }, headers)
    while (response.status === 503) {
      refusals!.push(response)
      await wait(20)
      response = await client('POST', '/customers.php', { name }, headers)
    }
    answers!.push(response)
    const again = await client('POST', '/customers.php', { name }, headers)
    if (again.status === 201) assert.equal(again.text, response.text)
    else refusals!.push(again)
  }
  return { answers: answers!, refusals: refusals! }
}

/** Runs `work` while six clients create records. Asserts that each record exists once, and that all responses were 201
 *  or 503. */
async function duringLoad(slug: string, count: number, work: () => Promise<void>): Promise<Response[]> {
  const { client } = await newTenant(slug)
  const names = (sender: number) => Array.from({ length: count }, (_, index) => `sender-${sender}-number-${index}`)
  const loads = Promise.all(Array.from({ length: 6 }, (_, sender) => createEach(client, names(sender))))
  const latest = async () => (await tenantDatabaseOf(environment, slug)).all('select max(id) as id from customers')
  await eventually('records are created', async () => (await latest())[0].id > 10)
  await work()
  const results = await loads
  const refusals = results.flatMap((sender) => sender.refusals)
  for (const refused of refusals) assertRefused(refused, 'tenant_unavailable')
  const responses = results.flatMap((sender) => sender.answers)
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [201])
  const created = responses.map(({ body }) => ({ id: body.id as number, name: body.name as string }))
  const tenantDatabase = await tenantDatabaseOf(environment, slug)
  const stored = await tenantDatabase.all('select id, name from customers where id > 1 order by id')
  assert.deepEqual(
    stored,
    created.sort((a, b) => a.id - b.id),
    'every record exists exactly once',
  )
  const history = await tenantDatabase.all(
    'select request_id as name from changes where record_id > 1 order by request_id',
  )
  assert.deepEqual(
    history.map(({ name }) => name),
    created.map(({ name }) => name).sort(),
  )
  return refusals
}

test('requests of tenants fail with 503 in bounded time while their database server is stopped, and succeed after it restarts', async () => {
  const tenant = await newTenant('stopped')
  const list = (await tenant.client('GET', '/customers.php')).text
  const headers = { 'idempotency-key': randomUUID() }
  await server.stop()
  await requireOutage(tenant)
  await requireOutage(tenant)
  assertRefused(await tenant.client('POST', '/customers.php', { name: 'Once' }, headers), 'tenant_unavailable')
  assert.equal((await service.service.server.inject('/readyz')).statusCode, 503)
  assert.equal((await service.service.server.inject('/healthz')).statusCode, 200)
  await server.start()
  await requireRecovery(tenant, list)
  const retry = await tenant.client('POST', '/customers.php', { name: 'Once' }, headers)
  assert.deepEqual([retry.status, retry.headers['idempotent-replayed']], [201, undefined])
  const again = await tenant.client('POST', '/customers.php', { name: 'Once' }, headers)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [retry.text, 'true'])
})

test('a command that cannot reach the database server fails with a message that does not contain the password', async () => {
  await server.stop()
  const { exitCode, stdout, stderr } = await command(environment, 'tenant', 'list')
  await server.start()
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.match(stderr, /^[^\n]+\.\n$/)
  assert.doesNotMatch(stderr, /postgres:tests|\bat \w+/)
})

test('no change is lost or applied twice while the database server restarts under load', async () => {
  const refusals = await duringLoad('restarted', 60, async () => {
    for (let round = 0; round < 2; round++) {
      await server.stop()
      await wait(200)
      await server.start()
      await wait(200)
    }
  })
  assert.ok(refusals.length > 0, 'requests were refused during the stops')
})

test('requests whose connection is cut under load succeed or fail with 503, and a retry does not create a second record', async () => {
  let cut = 0
  await duringLoad('cut', 100, async () => {
    const others = 'datname = current_database() and pid <> pg_backend_pid()'
    for (let round = 0; round < 20; round++) {
      const sql = `select pg_terminate_backend(pid) from pg_stat_activity where ${others} and state <> 'idle'`
      cut += (await query(DATABASE_URL, 'public', round % 2 ? sql : sql.replace(` and state <> 'idle'`, ''))).length
      await wait(30)
    }
  })
  assert.ok(cut >= 20, `only ${cut} connections were cut`)
})

test("while a tenant's schema is renamed, only that tenant is unavailable, and it recovers afterwards", async () => {
  const [tenant, other] = [await newTenant('hidden'), await newTenant('other')]
  const list = (await tenant.client('GET', '/customers.php')).text
  const tenantDatabase = await tenantDatabaseOf(environment, 'hidden')
  await tenantDatabase.hide()
  try {
    for (let round = 0; round < 2; round++) {
      await Promise.all([requireOutage(tenant), requireServed(other)])
    }
  } finally {
    await tenantDatabase.show()
  }
  await requireRecovery(tenant, list)
})

test('a schema that belongs to another tenant is not served', async () => {
  const [tenant, other] = [await newTenant('replaced'), await newTenant('impostor')]
  const list = (await tenant.client('GET', '/customers.php')).text
  const [database, otherDatabase] = [
    await tenantDatabaseOf(environment, 'replaced'),
    await tenantDatabaseOf(environment, 'impostor'),
  ]
  const rename = (from: string, to: string) =>
    query(DATABASE_URL, 'public', `alter schema "t_${from}" rename to "t_${to}"`)
  await database.hide()
  await rename(otherDatabase.id, database.id)
  try {
    await requireOutage(tenant)
    await requireOutage(other)
  } finally {
    await rename(database.id, otherDatabase.id)
    await database.show()
  }
  await requireRecovery(tenant, list)
  await requireServed(other)
})

test("while permissions on a tenant's tables are missing, only that tenant is unavailable, and it recovers afterwards", async () => {
  await query(DATABASE_URL, 'public', `create role guest login password 'tests'`)
  await query(DATABASE_URL, 'public', 'grant create on database postgres to guest')
  await command(environment, 'server', 'add', 'guest', DATABASE_URL.replace('postgres:tests', 'guest:tests'))
  const [tenant, other] = [await newTenant('locked', 'guest'), await newTenant('unlocked')]
  const list = (await tenant.client('GET', '/customers.php')).text
  const tenantDatabase = await tenantDatabaseOf(environment, 'locked')
  await tenantDatabase.run(`revoke all on all tables in schema t_${tenantDatabase.id} from guest`)
  await Promise.all([requireOutage(tenant), requireServed(other)])
  await tenantDatabase.run(`grant all on all tables in schema t_${tenantDatabase.id} to guest`)
  await requireRecovery(tenant, list)
})

test('if a database server does not support the TLS that its URL requires, its tenants are unavailable and commands are refused', async () => {
  const tenant = await newTenant('encrypted')
  await command(environment, 'server', 'add', 'encrypted', `${DATABASE_URL}?sslmode=verify-full`, '--offline')
  await query(DATABASE_URL, 'tenantdesk', `update tenants set server = 'encrypted' where slug = 'encrypted'`)
  await query(DATABASE_URL, 'tenantdesk', 'update catalog_version set changes = changes + 1')
  await requireOutage(tenant)
  const { exitCode, stderr } = await command(environment, 'tenant', 'create', 'refused', '--server', 'encrypted')
  assert.equal(exitCode, 1)
  assert.match(stderr, /^[^\n]+\.\n$/)
})

async function requireServed({ client }: Tenant): Promise<void> {
  assert.equal((await client('GET', '/customers.php?id=1')).status, 200)
  assert.equal((await client('POST', '/customers.php', { name: 'Served' })).status, 201)
}
