// The states of tenants and keys (§3), and the methods that scopes permit (contract §4). Every change takes effect on
// the next request.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deleteApiKey, revokeApiKey } from '../../src/access/api-keys.ts'
import { listEvents } from '../../src/catalog/audit/audit-log.ts'
import { readConfig } from '../../src/config.ts'
import { resources as declaredResources } from '../../src/domain/declarations/all.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { removeLeftovers } from '../../src/tenants/databases/leftover-databases.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { assertRefused, keyId } from '../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { resourceNames } from '../support/resource-names.ts'
import { type Client, command, createKey, engine, makeTenant, startService } from '../support/service.ts'

const service = await startService()
const { environment, client } = service
await makeTenant(environment, 'scopes')

let today = '2030-01-01T00:00:00.000Z'
const clocked = await startService({}, { now: () => new Date(today) })

const everything = ['--scope', '*:read', '--scope', '*:write']

type Run = (...line: string[]) => Promise<string>

/** Runs a command in the server's process. Returns its output. */
const runInProcess: Run = async (...line) => {
  const { exitCode, stdout, stderr } = await command(environment, ...line)
  assert.equal(exitCode, 0, stderr)
  return stdout
}

/** Runs a command in another process, as an operator would in a second terminal. */
const runInChildProcess: Run = async (...line) => {
  const args = ['src/main.ts', ...line]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...environment } })
  return stdout
}

async function assertServed(caller: Client): Promise<void> {
  assert.equal((await caller('GET', '/customers.php')).status, 200)
  assert.equal((await caller('POST', '/customers.php', { name: 'C' })).status, 201)
}

/** On PostgreSQL, a command in this process already has its own connections, as a command in another process would. */
const runners = [
  { run: runInProcess, by: 'this process', label: 'here' },
  ...(engine === 'sqlite' ? [{ run: runInChildProcess, by: 'another process', label: 'elsewhere' }] : []),
]

for (const { run, by, label } of runners) {
  test(`a tenant suspended by ${by} is refused from the next request, and served again after activation`, async () => {
    const slug = `pause-${label}`
    const token = await makeTenant(environment, slug)
    const caller = client(token)
    const neighbour = await service.tenant(`next-${label}`)
    await assertServed(caller)
    await run('tenant', 'suspend', slug)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      assertRefused(await caller(method, '/customers.php?id=1', { name: 'x' }), 'tenant_suspended', method)
    }
    await assertServed(neighbour)
    await run('tenant', 'activate', slug)
    const { data } = (await caller('GET', '/customers.php')).body
    assert.deepEqual([data.length, data[0].name], [1, 'C'])
    await assertServed(caller)
  })

  test(`a key revoked by ${by} is refused with key_revoked from the next request, and with invalid_key after its deletion`, async () => {
    const slug = `keys-${label}`
    const token = await makeTenant(environment, slug)
    const otherClient = client(await createKey(environment, slug))
    const caller = client(token)
    await assertServed(caller)
    await run('key', 'revoke', keyId(token))
    for (const method of ['GET', 'POST', 'PATCH']) {
      assertRefused(await caller(method, '/customers.php', { name: 'x' }), 'key_revoked', method)
    }
    await assertServed(otherClient)
    await run('key', 'delete', keyId(token))
    assertRefused(await caller('GET', '/customers.php'), 'invalid_key')
    await assertServed(otherClient)
    assert.equal((await otherClient('GET', '/customers.php')).body.data.length, 3)
  })

  test(`a key deleted by ${by} is refused with invalid_key from the next request`, async () => {
    const token = await makeTenant(environment, `gone-${label}`)
    await assertServed(client(token))
    await run('key', 'delete', keyId(token))
    assertRefused(await client(token)('GET', '/customers.php'), 'invalid_key')
  })

  test(`a key created by ${by} works from the next request`, async () => {
    const slug = `new-${label}`
    await run('tenant', 'create', slug)
    const token = (await run('key', 'create', slug, '--scope', '*:read', '--scope', '*:write')).trim()
    await assertServed(client(token))
  })

  test(`after ${by} deletes a tenant, its keys are invalid, its database is deleted, and other tenants are not affected`, async () => {
    const slug = `end-${label}`
    const token = await makeTenant(environment, slug)
    const second = await createKey(environment, slug)
    const neighbour = await service.tenant(`stays-${label}`)
    await assertServed(neighbour)
    await assertServed(client(token))
    const tenantDatabase = await tenantDatabaseOf(environment, slug)
    assert.equal(await tenantDatabase.exists(), true)
    await run('tenant', 'delete', slug, '--yes')
    assertRefused(await client(token)('GET', '/customers.php'), 'invalid_key')
    assertRefused(await client(second)('POST', '/customers.php', { name: 'x' }), 'invalid_key')
    assert.equal(await tenantDatabase.exists(), false)
    await assertServed(neighbour)
    await sleep(500) // time for the server to close its files
    assert.equal(await tenantDatabase.exists(), false)
    const fresh = await service.tenant(slug)
    assert.deepEqual((await fresh('GET', '/customers.php')).body.data, [])
    assertRefused(await client(token)('GET', '/customers.php'), 'invalid_key')
  })
}

test('a trial is active until the end of its last day in UTC', async () => {
  assert.equal(
    (await command(clocked.environment, 'tenant', 'create', 'trial', '--trial-ends', '2031-02-28')).exitCode,
    0,
  )
  const caller = clocked.client(await createKey(clocked.environment, 'trial'))
  for (const moment of ['2030-01-01T00:00:00.000Z', '2031-02-28T00:00:00.000Z', '2031-02-28T23:59:59.999Z']) {
    today = moment
    await assertServed(caller)
  }
  for (const moment of ['2031-03-01T00:00:00.000Z', '2031-03-01T12:00:00.000Z', '2040-01-01T00:00:00.000Z']) {
    today = moment
    assertRefused(await caller('GET', '/customers.php'), 'tenant_suspended', moment)
  }
})

test('a key with an expiry date is valid until the end of that day in UTC, and then refused with key_revoked', async () => {
  today = new Date().toISOString() // the command line uses the real clock
  await makeTenant(clocked.environment, 'expiring')
  const created = await command(
    clocked.environment,
    'key',
    'create',
    'expiring',
    ...everything,
    '--expires',
    '2999-02-28',
  )
  const caller = clocked.client(created.stdout.trim())
  for (const moment of [today, '2999-02-28T00:00:00.000Z', '2999-02-28T23:59:59.999Z']) {
    today = moment
    await assertServed(caller)
  }
  for (const moment of ['2999-03-01T00:00:00.000Z', '3040-01-01T00:00:00.000Z']) {
    today = moment
    assertRefused(await caller('GET', '/customers.php'), 'key_revoked', moment)
  }
  const soon = new Date().toISOString().slice(0, 10)
  const last = await command(clocked.environment, 'key', 'create', 'expiring', ...everything, '--expires', soon)
  assert.equal(last.exitCode, 0, 'a key that expires today is accepted')
})

test('the response to a suspended tenant does not reveal the reason for the suspension', async () => {
  const token = await makeTenant(environment, 'unpaid')
  await runInProcess('tenant', 'suspend', 'unpaid', '--reason', 'Invoice overdue')
  const refused = await client(token)('GET', '/customers.php')
  assertRefused(refused, 'tenant_suspended')
  assert.ok(!JSON.stringify(refused).includes('Invoice'))
})

test('a key of another tenant cannot be revoked or deleted', async () => {
  const engine = await openDatabases(readConfig(environment), declaredResources)
  after(() => engine.close())
  const [ownKey, foreignKey] = [await makeTenant(environment, 'own'), await makeTenant(environment, 'foreign')]
  const tenant = await requireTenant(engine.catalog, 'own')
  const actor = { now: new Date(), by: null, address: null, agent: null }
  for (const key of [keyId(foreignKey), '0000000000', '\0', '']) {
    await assert.rejects(revokeApiKey(engine.catalog, key, actor, tenant), UserError)
    await assert.rejects(deleteApiKey(engine.catalog, key, actor, tenant), UserError)
  }
  await assertServed(client(foreignKey))
  await revokeApiKey(engine.catalog, keyId(ownKey), actor, tenant)
  assertRefused(await client(ownKey)('GET', '/customers.php'), 'key_revoked')
  await deleteApiKey(engine.catalog, keyId(ownKey), actor, tenant)
  assertRefused(await client(ownKey)('GET', '/customers.php'), 'invalid_key')
  const events = await listEvents(engine.catalog, { tenantIds: [tenant.id], limit: 9 })
  assert.deepEqual(
    events.map(({ event }) => event),
    ['key_deleted', 'key_revoked', 'key_created', 'tenant_created'],
  )
})

test('a tenant on an unavailable server is deleted immediately; its database is deleted once the server is available', async () => {
  const engine = await openDatabases(readConfig(environment), declaredResources)
  after(() => engine.close())
  const { catalog } = engine
  const token = await makeTenant(environment, 'stranded')
  const [tenantDatabase, { id, server: home }] = [
    await tenantDatabaseOf(environment, 'stranded'),
    await requireTenant(catalog, 'stranded'),
  ]
  await runInProcess('server', 'add', 'away', 'postgres://127.0.0.1:1/away', '--offline')
  const setServer = (server: string) =>
    catalog.transaction(async (database) => database.run('update tenants set server = ? where id = ?', [server, id]))
  await setServer('away')
  const deleted = await command(environment, 'tenant', 'delete', 'stranded', '--yes')
  assert.deepEqual([deleted.exitCode, deleted.stdout], [0, ''])
  assert.match(deleted.stderr, /stranded is deleted.* as soon as their server can be reached\.\n$/)
  assertRefused(await client(token)('GET', '/customers.php'), 'invalid_key')
  const [latestEvent] = await listEvents(catalog, { tenantIds: [id], limit: 1 })
  assert.equal(latestEvent?.event, 'tenant_deleted')
  assert.equal(await tenantDatabase.exists(), true)
  await catalog.transaction(async (database) =>
    // Changing the token aborts any attempt that the service is making.
    database.run(`update leftover_databases set server = ?, token = 'new', lease_expires_at = '' where tenant_id = ?`, [
      home,
      id,
    ]),
  )
  await eventually('the database is deleted', async () => {
    await removeLeftovers(catalog, engine.databases, () => {})
    return !(await tenantDatabase.exists())
  })
})

test('activating a tenant removes its expired trial; suspending a tenant ends its running trial', async () => {
  today = '2031-03-01T00:00:00.000Z'
  const { environment } = clocked
  await command(environment, 'tenant', 'create', 'bought', '--trial-ends', '2031-02-28')
  await command(environment, 'tenant', 'create', 'stopped', '--trial-ends', '2031-12-31')
  const bought = clocked.client(await createKey(environment, 'bought'))
  const stopped = clocked.client(await createKey(environment, 'stopped'))
  assertRefused(await bought('GET', '/customers.php'), 'tenant_suspended')
  await assertServed(stopped)
  await command(environment, 'tenant', 'activate', 'bought')
  await command(environment, 'tenant', 'suspend', 'stopped')
  await assertServed(bought)
  assertRefused(await stopped('GET', '/customers.php'), 'tenant_suspended')
  today = '2099-01-01T00:00:00.000Z'
  await assertServed(bought)
})

test('with the real clock, a tenant whose trial ended in the past is suspended; a tenant whose trial ends tomorrow is served', async () => {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  for (const [slug, ends] of [
    ['past', '2001-01-01'],
    ['yesterday', day(-1)],
    ['tomorrow', day(1)],
  ] as const) {
    assert.equal((await command(environment, 'tenant', 'create', slug, '--trial-ends', ends)).exitCode, 0)
    const caller = client(await createKey(environment, slug))
    if (slug === 'tomorrow') await assertServed(caller)
    else assertRefused(await caller('GET', '/customers.php'), 'tenant_suspended', slug)
  }
})

/** The methods that each scope permits. */
const permittedMethods: Record<string, string[]> = {
  read: ['GET', 'HEAD'],
  write: ['POST', 'PUT', 'DELETE'],
  create: ['POST'],
  update: ['PUT'],
  delete: ['DELETE'],
}
/** The status of a permitted request that has no id and no fields. */
const permittedStatus: Record<string, number> = { GET: 200, HEAD: 200, POST: 422, PUT: 400, DELETE: 400 }

async function assertPermits(
  scopes: string[],
  isPermitted: (resource: string, method: string) => boolean,
): Promise<void> {
  const caller = client(await createKey(environment, 'scopes', scopes))
  for (const resource of resourceNames) {
    for (const [method, status] of Object.entries(permittedStatus)) {
      const response = await caller(method, `/${resource}.php`, method === 'POST' ? {} : undefined)
      const request = `${method} ${resource} with ${scopes.join(' ')}`
      assert.equal(response.status, isPermitted(resource, method) ? status : 403, request)
      if (method !== 'HEAD' && response.status === 403) assertRefused(response, 'forbidden', request)
    }
  }
}

for (const [word, methods] of Object.entries(permittedMethods)) {
  test(`the scope :${word} permits ${methods.join(', ')} on its resource and nothing else`, async () => {
    for (const resource of resourceNames) {
      await assertPermits(
        [`${resource}:${word}`],
        (requested, method) => requested === resource && methods.includes(method),
      )
    }
  })
}

test('*:read and *:write cover every resource', async () => {
  await assertPermits(['*:read'], (_resource, method) => permittedMethods.read!.includes(method))
  await assertPermits(['*:write'], (_resource, method) => permittedMethods.write!.includes(method))
})

test('a key permits what any of its scopes permits', async () => {
  await assertPermits(
    ['customers:read', 'employees:delete', 'hardware:create', 'hardware:update'],
    (resource, method) =>
      (resource === 'customers' && permittedMethods.read!.includes(method)) ||
      (resource === 'employees' && method === 'DELETE') ||
      (resource === 'hardware' && ['POST', 'PUT'].includes(method)),
  )
})
