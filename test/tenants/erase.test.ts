// tenantdesk erase: deletes a tenant and everything stored about it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEvents } from '../../src/catalog/audit/audit-log.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { dumpAll, storedNames, tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { command, engine, makeTenant, startService, temporaryDirectory } from '../support/service.ts'

const service = await startService({}, { sweepIntervalMs: 3_600_000 })
const { environment } = service

async function eventsOf(settings: typeof environment) {
  const { catalog, close } = await openDatabases(readConfig(settings), resources)
  return listEvents(catalog, { limit: 100 }).finally(close)
}

test('erase without --yes or for an unknown tenant is refused and changes nothing', async () => {
  const client = await service.tenant('kept')
  const refused = await command(environment, 'erase', 'kept')
  assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
  assert.match(refused.stderr, /add --yes\.\n$/)
  assert.equal((await client('GET', '/customers.php')).status, 200)
  const unknown = await command(environment, 'erase', 'nobody', '--yes')
  assert.deepEqual([unknown.exitCode, unknown.stderr], [1, 'There is no tenant nobody.\n'])
})

test('the only trace of an erased tenant is one audit event with counts', async () => {
  const token = await makeTenant(environment, 'gone')
  const client = service.client(token)
  const { id } = await tenantDatabaseOf(environment, 'gone')
  await client('POST', '/customers.php', { name: 'Zyxwvut Industries' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'quetzal@zyx.example', name: 'Quetzal Zyx' })
  await client('PUT', '/employees.php?id=1', { name: 'Quetzal Zyxwv' }, { 'idempotency-key': crypto.randomUUID() })
  await command(environment, 'user', 'create', 'head@zyx.example', '--role', 'manager', '--tenant', 'gone')
  await command(environment, 'key', 'create', 'gone', '--scope', '*:read', '--name', 'Quetzal laptop')

  const erased = await command(environment, 'erase', 'gone', '--yes', '--json')
  assert.equal(erased.exitCode, 0, erased.stderr)
  const { erased_at, ...counts } = JSON.parse(erased.stdout)
  const records = {
    customers: 1,
    employees: 1,
    hardware: 0,
    settings: 0,
    views: 0,
    hand_over_forms: 0,
    import_mappings: 0,
    changes: 3,
  }
  assert.deepEqual(counts, { slug: 'gone', records, keys: 2, users: 1, audit_events: 5 })
  assert.match(
    erased.stderr,
    /^Tenant gone is erased \(customers: 1, .* changes: 3, API keys: 2, users: 1, security log entries: 5\)/,
  )
  assert.match(erased.stderr, /Backups and exports made earlier still contain it/)

  assertRefused(await client('GET', '/customers.php'), 'invalid_key')
  assert.deepEqual(
    (await storedNames(environment)).filter((name) => name.includes(id)),
    [],
  )
  const events = (await eventsOf(environment)).filter(({ tenant_id }) => tenant_id === id)
  assert.deepEqual(
    events.map(({ event, at, detail }) => [event, at, detail]),
    [['tenant_erased', erased_at, counts]],
  )
  for (const [path, bytes] of await dumpAll(environment)) {
    const found = ['Zyx', 'zyx', 'Quetzal'].filter((text) => bytes.includes(text))
    assert.deepEqual(found, [], path)
  }
})

test('a tenant whose database server is unavailable is not erased, and works as before once the server is available', async () => {
  const client = await service.tenant('far')
  await command(environment, 'server', 'add', 'away', 'postgres://127.0.0.1:1/away', '--offline')
  const { catalog, close } = await openDatabases(readConfig(environment), resources)
  const home = engine === 'sqlite' ? 'sqlite' : 'main'
  const moveTo = (server: string) =>
    catalog.transaction(async (database) => database.run(`update tenants set server = ? where slug = 'far'`, [server]))
  await moveTo('away')
  const refused = await command(environment, 'erase', 'far', '--yes')
  assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^Server away cannot be used/)
  await moveTo(home)
  await close()
  assert.equal((await client('GET', '/customers.php')).status, 200)
})

test('a tenant whose database is missing can be erased, without counting its records', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  await command(settings, 'tenant', 'create', 'lost')
  const database = await tenantDatabaseOf(settings, 'lost')
  await database.hide()
  const erased = await command(settings, 'erase', 'lost', '--yes', '--json')
  assert.equal(erased.exitCode, 0, erased.stderr)
  assert.equal(JSON.parse(erased.stdout).records, null)
})
