// Moves many tenants with one command. A failed move does not stop the other moves, and an interrupted command
// can be repeated.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { catalogDatabaseOf, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { listTenants } from '../../support/faults/complete-tenants.ts'
import {
  command,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

const { DATABASE_URL: serverUrl = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const service = await startService({ DATABASE_URL: '' }) // the catalog and the first tenants are on SQLite
const { environment } = service
await command(environment, 'server', 'add', 'one', serverUrl)

const slugs = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']
const tokens = new Map<string, string>()
for (const slug of slugs) tokens.set(slug, await makeTenant(environment, slug))
for (const slug of slugs) await clientOf(slug)('POST', '/customers.php', { name: slug })

function clientOf(slug: string) {
  return service.client(tokens.get(slug)!)
}

async function moveAll(...options: string[]) {
  const { stdout, ...outcome } = await command(environment, 'tenant', 'move', '--all', '--json', ...options)
  return { ...outcome, outcomes: stdout === '' ? null : JSON.parse(stdout) }
}

async function tenantsOn(server: string): Promise<string[]> {
  return (await listTenants(environment))
    .filter((tenant: Json) => tenant.server === server)
    .map(({ slug }: Json) => slug)
}

test('all tenants move except one with a damaged file, which is reported and retried by the next command', async () => {
  const { id } = await tenantDatabaseOf(environment, 'a3')
  writeFileSync(join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`), '')
  const first = await moveAll('--to', 'one', '--at-once', '3')
  assert.equal(first.exitCode, 1)
  assert.match(first.stderr, /^Tenant a3 was not moved: .+\n5 tenants were moved to one in \S+ s; 1 failed\. [^\n]+\n$/)
  const errors = first.outcomes.map(({ slug, error }: Json) => [slug, error !== null]).sort()
  assert.deepEqual(
    errors,
    slugs.map((slug) => [slug, slug === 'a3']),
  )
  assert.deepEqual(await tenantsOn('sqlite'), ['a3'])
  for (const slug of slugs.filter((candidate) => candidate !== 'a3')) {
    assert.equal((await clientOf(slug)('GET', '/customers.php?id=1')).body.name, slug)
    assert.equal((await clientOf(slug)('POST', '/customers.php', { name: 'more' })).body.id, 2)
  }
  const second = await moveAll('--to', 'one')
  assert.deepEqual(
    [second.exitCode, second.outcomes.map(({ slug }: Json) => slug)],
    [1, ['a3']],
    'the second command moves only the remaining tenant',
  )
  await command(environment, 'tenant', 'delete', 'a3', '--yes')
})

test('--from moves only the tenants on that server', async () => {
  await makeTenant(environment, 'b1')
  const fromOne = await moveAll('--to', 'one', '--from', 'one')
  assert.deepEqual([fromOne.exitCode, fromOne.outcomes], [0, []])
  const fromSqlite = await moveAll('--to', 'one', '--from', 'sqlite')
  assert.deepEqual([fromSqlite.exitCode, fromSqlite.outcomes[0].slug, fromSqlite.outcomes.length], [0, 'b1', 1])
  assert.match(fromSqlite.stderr, /^1 tenants? (was|were) moved to one in \S+ s\.\n$/)
})

test('a command that is killed while it moves tenants can be repeated, and then moves the remaining tenants', async () => {
  const env = { ...process.env, ...environment }
  const child = spawn(
    process.execPath,
    ['src/main.ts', 'tenant', 'move', '--all', '--to', 'sqlite', '--at-once', '2'],
    {
      env,
      stdio: 'ignore',
    },
  )
  const exit = once(child, 'exit')
  const catalog = await catalogDatabaseOf(environment)
  const hasMoved = async () => (await catalog.all(`select 1 from tenants where server = 'sqlite'`)).length > 0
  await eventually('a tenant is moved', hasMoved, { withinMs: 120_000, everyMs: 5 })
  child.kill('SIGKILL')
  await exit
  await catalog.run(`update tenant_moves set lease_expires_at = '2000-01-01'`)
  const { exitCode, stderr } = await moveAll('--to', 'sqlite')
  assert.equal(exitCode, 0, stderr)
  assert.deepEqual(await tenantsOn('one'), [])
  for (const slug of ['a1', 'a6']) assert.equal((await clientOf(slug)('GET', '/customers.php?id=1')).body.name, slug)
})

test('a server that does not exist or cannot be reached, and an invalid --at-once, are refused before any move', async () => {
  await command(environment, 'server', 'add', 'away', 'postgres://nobody:secret@127.0.0.1:1/none', '--offline')
  const refusals: [options: string[], message: RegExp][] = [
    [['--to', 'nowhere'], /^There is no server nowhere/],
    [['--to', 'one', '--from', 'nowhere'], /^There is no server nowhere/],
    [['--to', 'away'], /^Server away cannot be used: /],
    ...['0', '51', '1.5', 'two'].map((count): [string[], RegExp] => [
      ['--to', 'one', '--at-once', count],
      /^--at-once must be /,
    ]),
  ]
  for (const [options, message] of refusals) {
    const { exitCode, outcomes, stderr } = await moveAll(...options)
    assert.deepEqual([exitCode, outcomes], [1, null], options.join(' '))
    assert.match(stderr, message, options.join(' '))
  }
  assert.equal((await command(environment, 'tenant', 'move', '--all')).exitCode, 2)
})
