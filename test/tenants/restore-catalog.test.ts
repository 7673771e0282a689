// After the loss of the catalog alone, `restore --catalog` brings back tenants, keys and users. Tenants keep their data.

import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertDone, assertRefused, backUp, passphraseFile } from '../support/backups.ts'
import { catalogDatabaseOf, tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { assertStartFails } from '../support/program.ts'
import {
  command,
  createKey,
  type Environment,
  engine,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

const passphrase = ['--passphrase-file', passphraseFile('right')]

/** Creates an installation with a tenant that has a customer. */
async function createInstallation(): Promise<{ environment: Environment; token: string; backups: string }> {
  const DATA_DIR = join(temporaryDirectory(), 'data')
  mkdirSync(DATA_DIR)
  const environment = await withEngineUrl({ DATA_DIR })
  const token = await makeTenant(environment, 'acme')
  await command(environment, 'user', 'create', 'boss@acme.example', '--role', 'administrator')
  await addCustomer(environment, token, 'Before the backup')
  return { environment, token, backups: join(temporaryDirectory(), 'backups') }
}

/** Starts a server, adds a customer, and stops the server. */
async function addCustomer(environment: Environment, token: string, name: string): Promise<void> {
  const { service, client } = await startService(environment, { nodes: 1 })
  assert.equal((await client(token)('POST', '/customers.php', { name })).status, 201)
  await service.close()
}

async function loseCatalog(environment: Environment): Promise<void> {
  if (engine === 'postgres') return (await catalogDatabaseOf(environment)).run('alter schema tenantdesk rename to lost')
  renameSync(join(environment.DATA_DIR!, 'catalog.sqlite'), join(environment.DATA_DIR!, 'lost'))
}

async function customersOf(environment: Environment, token: string): Promise<string[]> {
  const { service, client } = await startService(environment, { nodes: 1 })
  const { body } = await client(token)('GET', '/customers.php')
  await service.close()
  return body.data.map(({ name }: Json) => name)
}

for (const [kind, line] of [
  ['a plain', []],
  ['an encrypted', passphrase],
] as const)
  test(`after a restore of the catalog from ${kind} backup, keys and users work, and changes made after the backup remain`, async () => {
    const { environment, token, backups } = await createInstallation()
    await backUp(environment, backups, ...line)
    await addCustomer(environment, token, 'After the backup')
    await loseCatalog(environment)
    assert.match(await assertStartFails(environment), /restore <backup> --catalog/)
    const restored = await command(environment, 'restore', backups, '--catalog', ...line, '--json')
    assertDone(
      restored,
      /Restored the catalog .*: 1 tenants, 1 users, 1 API keys\. The tenants' databases are unchanged/,
    )
    const { made_at: _, ...counts } = JSON.parse(restored.stdout)
    assert.deepEqual(counts, { tenants: 1, users: 1, keys: 1, moved: [], missing: [] })
    assert.match((await command(environment, 'user', 'list')).stdout, /boss@acme\.example/)
    assert.deepEqual((await customersOf(environment, token)).sort(), ['After the backup', 'Before the backup'])
    await createKey(environment, 'acme') // the pepper is unchanged
  })

test('a catalog that can be read is not replaced, and the message says how to put it aside', async () => {
  const { environment, backups } = await createInstallation()
  await backUp(environment, backups)
  const refused = await command(environment, 'restore', backups, '--catalog')
  assertRefused(refused, /has tenants, users or API keys.*stop the server and (move catalog\.sqlite|rename the schema)/)
  assert.equal((await command(environment, 'restore', backups, '--catalog', '--all')).exitCode, 2)
})

test('a catalog is not restored while a server uses the data directory', { skip: engine === 'postgres' }, async () => {
  const { environment, backups } = await createInstallation()
  await backUp(environment, backups)
  const { service } = await startService(environment, { nodes: 1 })
  await loseCatalog(environment)
  assertRefused(await command(environment, 'restore', backups, '--catalog'), /A server is using this DATA_DIR: stop it/)
  await service.close()
  assertDone(await command(environment, 'restore', backups, '--catalog'))
})

test('an empty catalog is filled, and a damaged backup leaves it empty', async () => {
  const { environment, token, backups } = await createInstallation()
  const { manifest } = await backUp(environment, backups)
  await loseCatalog(environment)
  if (engine === 'sqlite') writeFileSync(join(environment.DATA_DIR!, 'catalog.sqlite'), '')
  const path = join(backups, 'databases', manifest.catalog.file)
  renameSync(path, `${path}.away`)
  assertRefused(await command(environment, 'restore', backups, '--catalog'), /is damaged, and nothing was restored/)
  renameSync(`${path}.away`, path)
  assertDone(await command(environment, 'restore', backups, '--catalog'))
  assert.deepEqual(await customersOf(environment, token), ['Before the backup'])
})

test('a tenant that was being created during the backup keeps its database, and a deleted one is named', async () => {
  const { environment, backups } = await createInstallation()
  for (const slug of ['unfinished', 'deleted']) await makeTenant(environment, slug)
  const unfinished = await tenantDatabaseOf(environment, 'unfinished')
  const catalog = await catalogDatabaseOf(environment)
  await catalog.run(`update tenants set state = 'creating', created_at = '2026-01-01' where slug = 'unfinished'`)
  await backUp(environment, backups)
  await catalog.run(`update tenants set state = 'active' where slug = 'unfinished'`)
  await command(environment, 'tenant', 'delete', 'deleted', '--yes')
  await loseCatalog(environment)
  const restored = await command(environment, 'restore', backups, '--catalog', '--json')
  assertDone(restored, /Tenants without a database: 1 \(deleted: /)
  assert.equal(JSON.parse(restored.stdout).missing[0].slug, 'deleted')
  const { service } = await startService(environment, { nodes: 1, sweepIntervalMs: 10 })
  assert.ok(await unfinished.exists())
  await service.close()
})

test('a tenant that was moved after the backup is found on its new server', { skip: engine === 'sqlite' }, async () => {
  const { environment, token, backups } = await createInstallation()
  await backUp(environment, backups)
  assertDone(await command(environment, 'tenant', 'move', 'acme', '--to', 'sqlite'))
  await loseCatalog(environment)
  const restored = await command(environment, 'restore', backups, '--catalog', '--json')
  assertDone(restored, /moved to another server after the backup: 1 \(acme\)/)
  assert.deepEqual(await customersOf(environment, token), ['Before the backup'])
})
