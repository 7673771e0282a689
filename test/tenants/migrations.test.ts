// A new schema is applied to one tenant, then to ten, then to all. A failed migration affects only its own tenant.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { resources } from '../../src/domain/declarations/all.ts'
import type { Resource } from '../../src/domain/declarations/resource.ts'
import { schemaVersion } from '../../src/domain/schema/migrations.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import {
  catalogDatabaseOf,
  catalogVersion,
  insertRecords,
  schemaOf,
  tenantDatabaseOf,
} from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import {
  command,
  type Environment,
  engine,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
} from '../support/service.ts'

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

/** Creates an installation with `count` tenants. `slugs` is in the order in which the tenants are migrated. */
async function createInstallation(count: number) {
  const settings: Environment = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
  const tokens = new Map<string, string>()
  for (let index = 0; index < count; index++)
    tokens.set(`tenant-${index}`, await makeTenant(settings, `tenant-${index}`))
  const list = async (): Promise<Json[]> => JSON.parse((await command(settings, 'tenant', 'list', '--json')).stdout)
  const byId = (await list()).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const slugs = byId.map(({ slug }) => slug as string)
  return { settings, slugs, list, tokenOf: (slug: string) => tokens.get(slug)! }
}

async function versionOf(settings: Environment, slug: string): Promise<number> {
  const tenantDatabase = await tenantDatabaseOf(settings, slug)
  const sql = engine === 'sqlite' ? 'pragma user_version' : 'select schema_version::integer as user_version from tenant'
  return (await tenantDatabase.all(sql))[0].user_version
}

/** The number of these tenants that have this version. */
async function countAt(version: number, settings: Environment, slugs: string[]): Promise<number> {
  const versions = await Promise.all(slugs.map((slug) => versionOf(settings, slug)))
  return versions.filter((tenantVersion) => tenantVersion === version).length
}

/** Starts a service with the newer schema. `logged` returns the log lines whose message contains the given words. */
async function startNewer(settings: Environment) {
  const lines: Json[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const service = await startService(settings, { resources: newer, log })
  const logged = (words: string) => lines.filter(({ msg }) => msg.includes(words))
  const waitForLog = (words: string) =>
    eventually(`the log contains: ${words}`, () => logged(words).length > 0 && logged(words))
  return { ...service, logged, waitForLog }
}

/** Creates a table whose name conflicts with a table of the migration. Also clears the recorded schema version, so that
 *  the command line considers the tenant outdated. */
async function blockMigration(settings: Environment, slug: string): Promise<void> {
  const tenantDatabase = await tenantDatabaseOf(settings, slug)
  await tenantDatabase.run('create table licences (id integer)')
  await (await catalogDatabaseOf(settings)).run(
    `update tenants set schema_version = null where id = '${tenantDatabase.id}'`,
  )
}

test('new tenants are listed as ready', async () => {
  const { settings, list } = await createInstallation(2)
  assert.deepEqual([...new Set((await list()).map(({ database }) => database))], ['ready'])
  assert.match((await command(settings, 'tenant', 'list')).stdout, /^tenant-0 .* ready .*\n/)
})

test('if the first tenant cannot be migrated, the run stops, only this tenant is unavailable, and the list shows the reason', async () => {
  const { settings, slugs, list, tokenOf } = await createInstallation(4)
  const [bad, good, large] = slugs as [string, string, string]
  await blockMigration(settings, bad)
  const largeDatabase = await tenantDatabaseOf(settings, large)
  await insertRecords(largeDatabase, 'customers', 1900, (n) => ({ name: 'N', notes: 'x'.repeat(800) + n }))
  const { client, waitForLog } = await startNewer(settings)
  const [stop] = await waitForLog('the migration run stopped')
  assert.equal(stop.left, slugs.length - 1)
  assert.equal(await countAt(currentVersion, settings, slugs), slugs.length)
  const failed = (await list()).filter(({ database }) => database !== 'ready')
  assert.deepEqual(
    failed.map(({ slug }) => slug),
    [bad],
  )
  assert.match(failed[0].database, /^failed: .*licences.*already exists/)
  assert.match((await command(settings, 'tenant', 'list')).stdout, new RegExp(`^${bad} .* failed: .*licences`, 'm'))

  assertRefused(await client(tokenOf(bad))('GET', '/customers.php'), 'tenant_unavailable')
  for (const slug of [good, large]) {
    const response = await client(tokenOf(slug))('GET', '/licences.php')
    assert.equal(response.status, 200, `${slug}: ${response.text}`)
    assert.equal(await versionOf(settings, slug), currentVersion + 1, 'the request migrates the tenant')
  }
  assertRefused(await client(tokenOf(bad))('POST', '/customers.php', { name: 'C' }), 'tenant_unavailable')
})

test('a failed migration after the first tenant does not stop the run, and the next start repeats the migration', async () => {
  const { settings, slugs, list, tokenOf } = await createInstallation(13)
  const [first, late] = [slugs[0]!, slugs[12]!]
  await blockMigration(settings, late)
  const { client, waitForLog, logged, services } = await startNewer(settings)
  const [end] = await waitForLog('the migration run finished')
  assert.deepEqual([end.failures, logged('the migration run stopped')], [1, []])
  assert.equal(await countAt(currentVersion + 1, settings, slugs), slugs.length - 1)
  assertRefused(await client(tokenOf(late))('GET', '/customers.php'), 'tenant_unavailable')
  assert.equal((await client(tokenOf(first))('GET', '/customers.php')).status, 200)
  assert.deepEqual(
    (await list()).filter(({ database }) => database !== 'ready').map(({ slug }) => slug),
    [late],
  )
  await Promise.all(services.map((node) => node.close()))
  await (await tenantDatabaseOf(settings, late)).run('drop table licences')
  const restarted = await startNewer(settings)
  await restarted.waitForLog('the migration run finished')
  assert.equal(await versionOf(settings, late), currentVersion + 1)
})

test('when the nodes start, each tenant is migrated once and then has the same schema as a new tenant', async () => {
  const { settings, slugs } = await createInstallation(3)
  const version = await catalogVersion(settings)
  const { waitForLog, logged, tenant } = await startNewer(settings)
  await waitForLog('the migration run finished')
  assert.equal(await catalogVersion(settings), version, 'no node reloads its keys')
  assert.deepEqual(
    logged('the migration run finished').map(({ count, failures }) => [count, failures]),
    [[slugs.length, 0]],
  )
  assert.deepEqual(logged('the migration of a tenant failed'), [])
  const fresh = await tenant('fresh')
  assert.equal((await fresh('GET', '/licences.php')).status, 200)
  const expected = await schemaOf(await tenantDatabaseOf(settings, 'fresh'))
  for (const slug of slugs) assert.deepEqual(await schemaOf(await tenantDatabaseOf(settings, slug)), expected, slug)
})

test('a tenant migrated by a newer version is unavailable in an older version, but not reported as a failed migration', async () => {
  const { settings, slugs, list, tokenOf } = await createInstallation(2)
  const [first, second] = slugs as [string, string]
  const newerService = await startNewer(settings)
  await newerService.waitForLog('the migration run finished')
  await Promise.all(newerService.services.map((node) => node.close()))
  const catalog = await catalogDatabaseOf(settings)
  await catalog.run(`update tenants set migration_error = 'an old error' where slug = '${second}'`)
  const { client } = await startService(settings)
  assertRefused(await client(tokenOf(first))('GET', '/customers.php'), 'tenant_unavailable')
  await sleep(1200) // migration errors are written at most once a second
  const withError = await catalog.all('select slug from tenants where migration_error is not null')
  assert.deepEqual(
    withError.map(({ slug }) => slug),
    [second],
  )
  assert.deepEqual([...new Set((await list()).map(({ database }) => database))], ['ready'])
})
