// A new schema reaches every tenant: first one, then ten, then all. A failed migration affects only its own tenant.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { resources } from '../../src/resources/declarations/all.ts'
import type { Resource } from '../../src/resources/resource.ts'
import { schemaVersion } from '../../src/resources/schema/migrations.ts'
import { eventually } from '../support/eventually.ts'
import { command, engine, type Json, makeTenant, startService, temporaryDirectory } from '../support/service.ts'
import { assertRefused } from '../support/shared-errors.ts'
import {
  catalogDatabaseOf,
  catalogVersion,
  insertRecords,
  schemaOf,
  type TenantDatabase,
  tenantDatabaseOf,
} from '../support/tenant-database.ts'

const currentVersion = schemaVersion(resources)
const licences = {
  name: 'licences',
  singular: 'licence',
  since: currentVersion + 1,
  fields: {
    customer_id: { kind: 'reference', to: 'customers', missingCode: 'invalid_customer', required: true },
    product: { kind: 'text', min: 2, max: 40, required: true },
  },
} as const satisfies Resource
const newer = [...resources, licences]

const settings = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
const slugs = Array.from({ length: 14 }, (_, at) => `tenant-${String(at).padStart(2, '0')}`)
const tokens = new Map<string, string>()
for (const slug of slugs) tokens.set(slug, await makeTenant(settings, slug))
const rows: Json[] = await list()
const byId = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ slug }) => slug as string)
const [bad, good, large] = [byId[0]!, byId[1]!, byId[13]!]

async function list(): Promise<Json[]> {
  return JSON.parse((await command(settings, 'tenant', 'list', '--json')).stdout)
}

async function versionOf(slug: string): Promise<number> {
  const tenantDatabase = await tenantDatabaseOf(settings, slug)
  const sql = engine === 'sqlite' ? 'pragma user_version' : 'select schema_version::integer as user_version from tenant'
  return (await tenantDatabase.all(sql))[0].user_version
}

/** How many tenants are at a version. */
async function countAt(version: number): Promise<number> {
  const versions = await Promise.all(slugs.map(versionOf))
  return versions.filter((each) => each === version).length
}

/** A service with the newer schema, and the migration metrics of its nodes. */
async function startNewer() {
  const lines: Json[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const service = await startService(settings, { resources: newer, log })
  const logged = (words: string) => lines.filter(({ msg }) => msg.includes(words))
  const waitForLog = (words: string) =>
    eventually(`the log contains: ${words}`, () => logged(words).length > 0 && logged(words))
  return { ...service, logged, waitForLog }
}

/** Creates a table with the name of one that the migration creates, and clears the recorded schema version, so that the command
 *  line considers the tenant outdated. */
async function blockMigration(tenantDatabase: TenantDatabase): Promise<void> {
  await tenantDatabase.run('create table licences (id integer)')
  await (await catalogDatabaseOf(settings)).run(
    `update tenants set schema_version = null where id = '${tenantDatabase.id}'`,
  )
}
const unblockMigration = (tenantDatabase: TenantDatabase) => tenantDatabase.run('drop table licences')

test('new tenants are ready, and listed as ready', async () => {
  assert.deepEqual([...new Set(rows.map(({ database }) => database))], ['ready'])
  assert.match((await command(settings, 'tenant', 'list')).stdout, /^tenant-00 .* ready .*\n/)
})

test('a first tenant whose migration fails stops the others, is unavailable alone, and is listed with the reason', async () => {
  await blockMigration(await tenantDatabaseOf(settings, bad))
  const largeDatabase = await tenantDatabaseOf(settings, large)
  await insertRecords(largeDatabase, 'customers', 1900, { name: `'N'`, notes: `'${'x'.repeat(800)}' || n` })
  const { client, waitForLog, service } = await startNewer()
  const [stop] = await waitForLog('the migration run stopped')
  assert.equal(stop.left, slugs.length - 1)
  assert.equal(await countAt(currentVersion), slugs.length)
  const failed = (await list()).filter(({ database }) => database !== 'ready')
  assert.deepEqual(
    failed.map(({ slug }) => slug),
    [bad],
  )
  assert.match(failed[0].database, /^failed: .*licences.*already exists/)
  assert.match((await command(settings, 'tenant', 'list')).stdout, new RegExp(`^${bad} .* failed: .*licences`, 'm'))

  assertRefused(await client(tokens.get(bad)!)('GET', '/customers.php'), 'tenant_unavailable')
  for (const slug of [good, large]) {
    const answer = await client(tokens.get(slug)!)('GET', '/licences.php')
    assert.equal(answer.status, 200, `${slug}: ${answer.text}`)
    assert.equal(await versionOf(slug), currentVersion + 1, 'the request has migrated it')
  }
  assertRefused(await client(tokens.get(bad)!)('POST', '/customers.php', { name: 'C' }), 'tenant_unavailable')
  await service.close()
})

test('a failed migration after the first does not stop the others', async () => {
  await unblockMigration(await tenantDatabaseOf(settings, bad))
  const late = byId[12]!
  await blockMigration(await tenantDatabaseOf(settings, late))
  const { client, waitForLog, logged } = await startNewer()
  const [end] = await waitForLog('the migration run finished')
  assert.deepEqual([end.failures, logged('the migration run stopped')], [1, []])
  assert.equal(await countAt(currentVersion + 1), slugs.length - 1)
  assertRefused(await client(tokens.get(late)!)('GET', '/customers.php'), 'tenant_unavailable')
  assert.equal((await client(tokens.get(bad)!)('GET', '/customers.php')).status, 200)
  assert.deepEqual(
    (await list()).filter(({ database }) => database !== 'ready').map(({ slug }) => slug),
    [late],
  )
  await unblockMigration(await tenantDatabaseOf(settings, late))
})

test('when several nodes start at once, each remaining tenant is migrated once and gets the schema of a new tenant', async () => {
  const version = await catalogVersion(settings)
  const { waitForLog, logged, tenant, services } = await startNewer()
  await waitForLog('the migration run finished')
  assert.equal(await catalogVersion(settings), version, 'no node reloads its keys')
  assert.deepEqual(
    logged('the migration run finished').map(({ count, failures }) => [count, failures]),
    [[1, 0]],
  )
  assert.deepEqual(logged('the migration of a tenant failed'), [])
  const fresh = await tenant('fresh')
  assert.equal((await fresh('GET', '/licences.php')).status, 200)
  const expected = await schemaOf(await tenantDatabaseOf(settings, 'fresh'))
  for (const slug of slugs) assert.deepEqual(await schemaOf(await tenantDatabaseOf(settings, slug)), expected, slug)
  await Promise.all(services.map((node) => node.close()))
})

test('a tenant migrated by a newer version is unavailable to this one, and not reported as a failed migration', async () => {
  const catalog = await catalogDatabaseOf(settings)
  await catalog.run(`update tenants set migration_error = 'an old error' where slug = '${good}'`)
  const { client } = await startService(settings)
  assertRefused(await client(tokens.get(bad)!)('GET', '/customers.php'), 'tenant_unavailable')
  await sleep(1200) // migration errors are written at most once a second; this service must not write any
  const noted = await catalog.all('select slug from tenants where migration_error is not null')
  assert.deepEqual(
    noted.map(({ slug }) => slug),
    [good],
  )
  assert.deepEqual([...new Set((await list()).map(({ database }) => database))], ['ready'])
})
