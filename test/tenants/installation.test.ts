// Which installations `serve` and the other commands open, create, migrate or refuse. A refusal changes nothing.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { catalogMigrations, latestVersion } from '../../src/catalog/schema.ts'
import { catalogDatabaseOf, dumpAll, query } from '../support/databases/tenant-database.ts'
import { assertStartFails, runInProcess } from '../support/program.ts'
import {
  type Environment,
  engine,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'
import { recordings, writeRecording } from '../support/versions/before-release.ts'
import { returnToCatalogVersion } from '../support/versions/older-catalog.ts'

/** Returns a checksum of each file and, on PostgreSQL, of the database. */
async function checksumsOf(environment: Environment): Promise<Record<string, string>> {
  const dumps = [...(await dumpAll(environment))].filter(([path]) => !path.endsWith('-shm'))
  return Object.fromEntries(dumps.map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')]))
}

const commands = [
  'tenant list',
  'tenant create globex',
  'key create acme --scope *:read',
  'user create ada@example.com --role administrator',
  'server list',
]

/** Asserts that `serve` and other commands fail with this message and change nothing. */
async function assertRefused(environment: Environment, message: RegExp, refused = commands): Promise<void> {
  const settings = await withEngineUrl(environment)
  const before = await checksumsOf(settings)
  for (const line of refused) {
    const { exitCode, stdout, stderr } = await runInProcess(settings, line)
    assert.deepEqual([exitCode, stdout], [1, ''], `${line}: ${stderr}`)
    assert.match(stderr, message, line)
    assert.match(stderr, /^[^\n]+\n$/, 'one line')
  }
  assert.match(await assertStartFails(settings), message)
  assert.deepEqual(await checksumsOf(settings), before)
}

/** Creates an installation with a tenant and a key, whose server has been stopped. */
async function createInstallation(): Promise<{ environment: Environment; DATA_DIR: string; token: string }> {
  const DATA_DIR = join(temporaryDirectory(), 'data')
  mkdirSync(DATA_DIR)
  const environment = await withEngineUrl({ DATA_DIR })
  const token = await makeTenant(environment, 'acme')
  const { service } = await startService(environment, { nodes: 1 })
  await service.close()
  return { environment, DATA_DIR, token }
}

/** Removes the catalog. Returns a function that puts it back. */
async function loseCatalog({ DATA_DIR = '', DATABASE_URL }: Environment): Promise<() => Promise<unknown>> {
  if (DATABASE_URL) {
    await query(DATABASE_URL, 'public', 'alter schema tenantdesk rename to lost')
    return () => query(DATABASE_URL, 'public', 'alter schema lost rename to tenantdesk')
  }
  const path = join(DATA_DIR, 'catalog.sqlite')
  renameSync(path, `${path}.lost`)
  return async () => renameSync(`${path}.lost`, path)
}

async function requireServed(environment: Environment, token: string): Promise<void> {
  const { service, client } = await startService(environment, { nodes: 1 })
  assert.equal((await client(token)('GET', '/customers.php')).status, 200)
  await service.close()
}

for (const recording of recordings)
  test(`data of a development version before 1.0.0 is refused before anything is written (${recording})`, async () => {
    const environment = { DATA_DIR: temporaryDirectory() }
    await writeRecording(environment, recording)
    await assertRefused(environment, /development version before 1\.0\.0|older version/)
    assert.match(await assertStartFails(await withEngineUrl(environment)), /development version before 1\.0\.0/)
  })

test('a missing catalog is not replaced while there is a database of a tenant or a pepper', async () => {
  const { environment, DATA_DIR, token } = await createInstallation()
  const putBack = await loseCatalog(environment)
  const lost =
    /^The catalog in .+ is missing, but other data is there: databases of tenants.+tenantdesk restore <backup> --catalog/
  await assertRefused(environment, lost)
  const pepper = readFileSync(join(DATA_DIR, 'pepper'))
  rmSync(join(DATA_DIR, 'pepper'))
  await assertRefused(environment, lost)
  await putBack()
  writeFileSync(join(DATA_DIR, 'pepper'), pepper)
  await requireServed(environment, token)

  const onlyPepper = { DATA_DIR: temporaryDirectory() }
  writeFileSync(join(onlyPepper.DATA_DIR, 'pepper'), pepper)
  await assertRefused(onlyPepper, /^The catalog in .+ is missing, but other data is there: the pepper .+pepper\. /)
})

test('an empty catalog beside a database of a tenant is refused', async () => {
  const { environment, DATA_DIR, token } = await createInstallation()
  const putBack = await loseCatalog(environment)
  if (engine === 'sqlite') writeFileSync(join(DATA_DIR, 'catalog.sqlite'), '')
  else await query(environment.DATABASE_URL!, 'public', 'create schema tenantdesk')
  await assertRefused(environment, /^The catalog in .+ is empty, but other data is there: databases of tenants/)
  if (engine === 'postgres') await query(environment.DATABASE_URL!, 'public', 'drop schema tenantdesk')
  await putBack()
  await requireServed(environment, token)
})

test('a catalog without the tenants whose databases exist is refused, as an interrupted restore leaves it', async () => {
  const { environment } = await createInstallation()
  const catalog = await catalogDatabaseOf(environment)
  for (const table of ['api_key_last_use', 'api_key_usage_hourly', 'api_keys', 'due_tenants', 'tenants'])
    await catalog.run(`delete from ${table}`)
  await assertRefused(environment, /^The catalog in .+ has no tenants, because a restore was interrupted\. Repeat/)
})

test('after the last tenant has been deleted, the installation is used as before', async () => {
  const { environment } = await createInstallation()
  assert.equal((await runInProcess(environment, 'tenant delete acme --yes')).exitCode, 0)
  await requireServed(environment, await makeTenant(environment, 'next'))
})

test('only serve migrates an older catalog', async () => {
  const { environment, token } = await createInstallation()
  const latest = latestVersion(catalogMigrations(engine))
  await returnToCatalogVersion(environment, latest - 1)
  const before = await checksumsOf(environment)
  for (const line of [...commands, 'tenant move acme --to sqlite', 'backup --to /nonexistent']) {
    const { exitCode, stderr } = await runInProcess(environment, line)
    assert.equal(exitCode, 1, line)
    assert.match(stderr, /belongs to an older version of Tenantdesk, and only `tenantdesk serve` migrates it\. /, line)
  }
  assert.deepEqual(await checksumsOf(environment), before)
  await requireServed(environment, token)
  assert.equal((await runInProcess(environment, 'tenant list')).exitCode, 0)
})

test('a command does not migrate tenants before a server of its version has started', async () => {
  const { environment, token } = await createInstallation()
  const catalog = await catalogDatabaseOf(environment)
  await catalog.run('update tenant_schema set version = version - 1')
  const { exitCode, stderr } = await runInProcess(environment, 'tenant list')
  assert.equal(exitCode, 1)
  assert.match(stderr, /^The tenants' databases belong to an older version of Tenantdesk, and only `tenantdesk serve`/)
  await requireServed(environment, token)
  assert.equal((await runInProcess(environment, 'tenant list')).exitCode, 0)
})

test('serve does not migrate while another server uses the data directory', {
  skip: engine === 'postgres',
}, async () => {
  const { environment, DATA_DIR } = await createInstallation()
  await returnToCatalogVersion(environment, latestVersion(catalogMigrations(engine)) - 1)
  const before = await checksumsOf(environment)
  {
    using lock = new DatabaseSync(join(DATA_DIR, 'server.lock'))
    lock.exec('begin exclusive')
    assert.match(await assertStartFails(environment), /^Another server is using /)
  }
  assert.deepEqual(await checksumsOf(environment), before)
})

/** Another user than the one who runs the tests. */
const otherUser = 65534

test('a command refuses to run as another user than the owner of DATA_DIR', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const { environment, DATA_DIR, token } = await createInstallation()
  const path = join(DATA_DIR, 'catalog.sqlite')
  const refusal =
    / belongs to \S+, and this command runs as root\. Run it as \S+, so that the server can use its files: sudo -u /
  chownSync(DATA_DIR, otherUser, otherUser)
  await assertRefused(environment, refusal, [...commands, `backup --to ${temporaryDirectory()}`])
  chownSync(DATA_DIR, 0, 0)
  if (engine === 'sqlite') {
    chownSync(path, otherUser, otherUser)
    await assertRefused(environment, refusal)
    chownSync(path, 0, 0)
  }
  await requireServed(environment, token)
})
