// Copies an installation's catalog from SQLite to PostgreSQL.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { catalogDatabaseOf, query } from '../../support/databases/tenant-database.ts'
import { assertStartFails, runProgram } from '../../support/program.ts'
import { startProxy } from '../../support/servers/tcp-proxy.ts'
import {
  command,
  createKey,
  type Environment,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

async function createEmptyDatabase(): Promise<string> {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  return DATABASE_URL
}

/** Creates an installation on SQLite with a tenant. */
async function createInstallation(): Promise<{ environment: Environment; token: string }> {
  const environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  return { environment, token: await makeTenant(environment, 'acme') }
}

function copyCatalog(environment: Environment, url: string, ...options: string[]) {
  return command(environment, 'catalog', 'copy', '--to', url, ...options)
}

function addressOf(url: string): string {
  return new URL(url).host + new URL(url).pathname
}

async function assertInUse(environment: Environment): Promise<void> {
  const created = await command(environment, 'tenant', 'create', `t${Math.random().toString(36).slice(2, 9)}`)
  assert.equal(created.exitCode, 0, created.stderr)
}

const uncopiedTables = ['leases', 'tenant_moves', 'catalog_version', 'rate_limit']

test('the copy contains everything except leases, moves, rate limits and the version, and commands can use the copy', async () => {
  const { environment } = await createInstallation()
  for (const line of [
    'tenant create globex --trial-ends 2999-12-31',
    'tenant suspend acme --reason unpaid',
    'user create ada@example.com --role administrator',
    'user create bob@example.com --role manager --tenant globex',
    'server add away postgres://user:hidden@127.0.0.1:1/none --offline',
    'key create globex --scope *:read --rate-limit 7',
  ])
    assert.equal((await command(environment, ...line.split(' '))).exitCode, 0, line)
  const url = await createEmptyDatabase()
  const { exitCode, stdout, stderr } = await copyCatalog(environment, url, '--json')
  assert.equal(exitCode, 0, stderr)
  assert.doesNotMatch(stdout + stderr, /:tests@/)

  const source = new DatabaseSync(join(environment.DATA_DIR!, 'catalog.sqlite'), { readOnly: true })
  const names = source.prepare(`select name from sqlite_schema where type = 'table'`).all() as Json[]
  const tables: string[] = names.map(({ name }) => name).filter((name) => !uncopiedTables.includes(name))
  assert.ok(tables.length >= 10)
  for (const table of tables) {
    const sql = `select * from ${table} order by 1, 2`
    const rows = source.prepare(sql).all()
    const copiedRows = (await query(url, 'tenantdesk', sql)).filter(({ event }) => event !== 'catalog_copied')
    assert.deepEqual(
      copiedRows,
      rows.map((row) => ({ ...row })),
      table,
    )
    assert.equal(JSON.parse(stdout).rows[table], rows.length, table)
  }
  source.close()

  const copied = { ...environment, DATABASE_URL: url }
  for (const list of ['tenant list', 'user list', 'key list globex', 'server list']) {
    const listed = await command(copied, ...list.split(' '))
    assert.equal(listed.exitCode, 0, `${list}: ${listed.stderr}`)
  }
  const servers = JSON.parse((await command(copied, 'server', 'list', '--json')).stdout)
  assert.deepEqual(
    servers.map(({ name, url }: Json) => [name, url]),
    [
      ['main', ''],
      ['sqlite', ''], // shown while there are tenants
      ['away', 'postgres://user:***@127.0.0.1:1/none'],
    ],
  )
})

test('after the copy, servers and commands refuse the SQLite catalog, and work with DATABASE_URL', async () => {
  const { environment, token } = await createInstallation()
  const url = await createEmptyDatabase()
  const before = await startService(environment)
  const created = await before.client(token)('POST', '/customers.php', { name: 'First' })
  assert.equal(created.status, 201)
  const copied = await runProgram(environment, 'catalog copy --to -', `${url}\n`)
  assert.equal(copied.exitCode, 0, copied.stderr)
  assert.match(
    copied.stderr,
    /^The catalog was copied to \S+ in \S+ s \(tenants: 1, API keys: 1, users: 0, events: \d+\)\.\n/,
  )

  const refused = await before.client(token)('GET', '/customers.php')
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'tenant_unavailable'])
  assert.equal((await before.service.server.inject('/readyz')).statusCode, 503)
  await before.service.close()
  const message = /^The catalog in \S+ was copied to \S+ on \S+: set DATABASE_URL to that database, [^\n]+\.\n$/
  const listed = await command(environment, 'tenant', 'list')
  assert.deepEqual([listed.exitCode, listed.stdout], [1, ''])
  assert.match(listed.stderr, message)
  assert.match(await assertStartFails(environment), message)

  const after = await startService({ ...environment, DATABASE_URL: url }, { nodes: 1 })
  const client = after.client(token)
  assert.equal((await client('GET', '/customers.php?id=1')).text, created.text)
  assert.equal((await client('POST', '/customers.php', { name: 'Second' })).body.id, 2)
  assert.equal((await command(after.environment, 'tenant', 'create', 'globex')).exitCode, 0)
})

test('copying to a target that has an installation or cannot be used is refused, and the catalog stays in use', async () => {
  const { environment } = await createInstallation()
  const used = await createEmptyDatabase()
  await makeTenant({ DATA_DIR: temporaryDirectory(), DATABASE_URL: used, API_KEY_PEPPER: 'p'.repeat(32) }, 'other')
  const limited = new URL(await createEmptyDatabase())
  await query(
    limited.href,
    'public',
    `do $$ begin create role limited login password 'hidden'; exception when duplicate_object then null; end $$`,
  )
  limited.username = 'limited'
  limited.password = 'hidden'
  const refusals: [environment: Environment, url: string, message: RegExp][] = [
    [environment, used, /^There is already an installation in \S+; [^\n]+\.\n$/],
    [environment, limited.href, /^The role in the URL may not create schemas in [^\n]+\.\n$/],
    [environment, 'postgres://nobody:hidden@127.0.0.1:1/none', /^127\.0\.0\.1:1\/none cannot be reached: [^\n]+\.\n$/],
    [environment, 'mysql://nobody:hidden@host/none', /^The URL is invalid: /],
    [{ ...environment, DATABASE_URL: used }, used, /^DATABASE_URL is set, /],
    [{ ...environment, DATA_DIR: join(temporaryDirectory(), 'none') }, used, /^There is no installation in /],
  ]
  for (const [settings, url, message] of refusals) {
    const { exitCode, stdout, stderr } = await copyCatalog(settings, url)
    assert.deepEqual([exitCode, stdout], [1, ''], stderr)
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, /hidden|:tests@/)
  }
  await assertInUse(environment)
  assert.equal((await command(environment, 'catalog', 'copy')).exitCode, 2)
})

test('a copy is refused while a tenant is being moved', async () => {
  const { environment } = await createInstallation()
  const catalog = await catalogDatabaseOf(environment)
  await catalog.run(`insert into tenant_moves select id, 'sqlite', 'away', 'copying', 'x', '2999-01-01' from tenants`)
  const { exitCode, stderr } = await copyCatalog(environment, await createEmptyDatabase())
  assert.deepEqual([exitCode, stderr], [1, 'Tenant acme is being moved; copy the catalog after the move.\n'])
  await assertInUse(environment)
})

test('repeating the command with the same target completes an interrupted copy; another target is refused', async () => {
  const { environment } = await createInstallation()
  const [url, other] = [await createEmptyDatabase(), await createEmptyDatabase()]
  const catalog = await catalogDatabaseOf(environment)
  await catalog.run(
    `insert into catalog_copies values ('interrupted', '${addressOf(url)}', '2026-01-01T00:00:00.000Z')`,
  )
  const elsewhere = await copyCatalog(environment, other)
  assert.deepEqual(
    [elsewhere.exitCode, elsewhere.stderr],
    [1, `The catalog was copied to ${addressOf(url)}, not to ${addressOf(other)}.\n`],
  )
  for (let attempt = 0; attempt < 2; attempt++) {
    const { exitCode, stderr } = await copyCatalog(environment, url)
    assert.equal(exitCode, 0, stderr)
    assert.equal((await query(url, 'tenantdesk', 'select * from catalog_copies')).length, 1)
  }
  assert.ok(await createKey({ ...environment, DATABASE_URL: url }, 'acme'))
})

test('if the connection is lost before the commit, the catalog stays in use; if it is lost after the commit, the copy succeeds', async () => {
  const { environment } = await createInstallation()
  const proxy = await startProxy(await createEmptyDatabase())
  proxy.cutAt('before the commit')
  const lost = await copyCatalog(environment, proxy.url)
  assert.equal(lost.exitCode, 1)
  assert.match(lost.stderr, /^The catalog was not copied, and DATA_DIR is in use as before: /)
  await assertInUse(environment)
  proxy.cutAt('after the commit')
  const { exitCode, stderr } = await copyCatalog(environment, proxy.url)
  assert.equal(exitCode, 0, stderr)
  assert.equal(proxy.pendingFailures(), 0)
  assert.equal((await command({ ...environment, DATABASE_URL: proxy.url }, 'tenant', 'list')).exitCode, 0)
})

test('a copy can be cancelled until the copied catalog is changed; cancelling puts the catalog in DATA_DIR back into use', async () => {
  const { environment } = await createInstallation()
  const url = await createEmptyDatabase()
  const notCopied = await copyCatalog(environment, url, '--cancel')
  assert.deepEqual([notCopied.exitCode, notCopied.stderr], [1, 'The catalog in DATA_DIR has not been copied.\n'])
  for (const change of [
    ['tenant', 'suspend', 'acme'],
    ['user', 'create', 'a@example.com', '--role', 'administrator'],
  ]) {
    assert.equal((await copyCatalog(environment, url)).exitCode, 0)
    const cancelled = await copyCatalog(environment, url, '--cancel')
    assert.equal(cancelled.exitCode, 0, cancelled.stderr)
    await assertInUse(environment)
    assert.equal((await copyCatalog(environment, url)).exitCode, 0)
    assert.equal((await command({ ...environment, DATABASE_URL: url }, ...change)).exitCode, 0)
    const refused = await copyCatalog(environment, url, '--cancel')
    assert.match(refused.stderr, /^The copy has changed since it was created, /)
    assert.equal((await command(environment, 'tenant', 'list')).exitCode, 1)
    await query(url, 'public', 'drop schema tenantdesk cascade')
    assert.equal((await copyCatalog(environment, url, '--cancel')).exitCode, 0)
  }
})
