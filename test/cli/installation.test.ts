// Which commands create an installation, which errors and warnings `serve` prints, and which URLs printed links have.

import assert from 'node:assert/strict'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { openPepper } from '../../src/catalog/pepper/pepper.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { assertStartFails, type Outcome, runInProcess, runProgram, startAndStop } from '../support/program.ts'
import {
  command,
  createKey,
  type Environment,
  type Json,
  makeTenant,
  networkClient,
  prepare,
  startProcess,
  startService,
  temporaryDirectory,
} from '../support/service.ts'

const [first, second] = ['1', '2'].map((digit) => digit.repeat(32)) as [string, string]

test('only serve creates a data directory; other commands report that there is no installation', async () => {
  const parent = temporaryDirectory()
  const otherDirectory = join(parent, 'other')
  mkdirSync(otherDirectory)
  writeFileSync(join(otherDirectory, 'notes.txt'), '')
  const lines = [
    'tenant list',
    'tenant create acme',
    'tenant suspend acme',
    'tenant activate acme',
    'tenant delete acme --yes',
    'tenant move acme --to sqlite',
    'key list acme',
    'key create acme --scope *:read',
    'key revoke 0123456789',
    'key revoke --all --lost-pepper',
    'key delete 0123456789',
    'user list',
    'user reset a@example.com',
    'user sessions a@example.com',
    'user sessions a@example.com --end',
    'events',
    'user create a@example.com --role administrator',
    'user delete a@example.com',
    'server list',
    'server add big postgres://127.0.0.1:1/none --offline',
    'server remove big',
    'server set big postgres://127.0.0.1:1/none --offline',
  ]
  for (const DATA_DIR of [join(parent, 'missing'), otherDirectory]) {
    const here: Outcome[] = []
    for (const line of lines) here.push(await runInProcess({ DATA_DIR }, line))
    for (const { exitCode, stdout, stderr } of [...here, await runProgram({ DATA_DIR }, lines[0]!)]) {
      assert.deepEqual([exitCode, stdout], [1, ''], stderr)
      assert.match(stderr, /^There is no installation in [^\n]+ DATA_DIR [^\n]+\.\n$/)
      assert.ok(stderr.includes(DATA_DIR), stderr)
    }
  }
  assert.deepEqual([readdirSync(parent), readdirSync(otherDirectory)], [['other'], ['notes.txt']])
  const created = { DATA_DIR: join(parent, 'made', 'below') }
  await startAndStop(created)
  assert.equal((await runProgram(created, 'tenant create acme')).exitCode, 0)
})

test('the first command in an empty data directory creates an installation that the server uses later', async () => {
  const prepared = { DATA_DIR: temporaryDirectory() }
  assert.equal((await runProgram(prepared, 'tenant create acme')).exitCode, 0)
  const token = await createKey(prepared, 'acme')
  const { client } = await startService(prepared)
  assert.equal((await client(token)('GET', '/customers.php')).status, 200)
})

test('serve warns about variables whose names resemble a setting, but not about others', async () => {
  const DATA_DIR = temporaryDirectory()
  const mistyped = {
    DATABSE_URL: 'DATABASE_URL',
    TRUSTPROXY: 'TRUST_PROXY',
    LOG_LEVLE: 'LOG_LEVEL',
    PUBLICURL: 'PUBLIC_URL',
    API_KEY_PEPER: 'API_KEY_PEPPER',
    CORS_ORIGIN: 'CORS_ORIGINS',
    RATE_LIMIT_PER_MINUT: 'RATE_LIMIT_PER_MINUTE',
  }
  const unrelatedNames = [
    'HOSTNAME',
    'HOSTTYPE',
    'HOME',
    'PWD',
    'PORTS',
    'POST',
    'SORT',
    'REPORT',
    'DATABASE',
    'DATABASE_HOST',
    'DATABASE_PORT',
    'DATABASE_NAME',
    'DATABASE_USER',
    'DATABASE_PASSWORD',
    'DATABASE_URI',
    'DATABASE_SSL',
    'DATA',
    'DATA_HOME',
    'PUBLIC_KEY',
    'API_KEY',
    'LOG_FILE',
    'LOG_PATH',
    'TRUST_STORE',
    'REDIS_URL',
    'NODE_ENV',
    'MALLOC_ARENA_MAX',
    'METRICS_PORT',
    'npm_config_loglevel',
    'OPEN_BROWSER',
    'BODY_LIMIT',
    'RATE_LIMIT',
  ]
  const variables = Object.fromEntries([...Object.keys(mistyped), ...unrelatedNames].map((name) => [name, 'hidden']))
  const stderr = await startAndStop({ DATA_DIR, ...variables })
  const warned = [...stderr.matchAll(/^The variable (\S+) has no effect; the setting is called (\S+)\.$/gm)]
  assert.deepEqual(Object.fromEntries(warned.map(([, name, setting]) => [name, setting])), mistyped)
  assert.doesNotMatch(stderr, /hidden/)
})

test('links printed by commands start with PUBLIC_URL if it is set, otherwise with the URL of the most recently started server', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await prepare(environment)
  const created = await command(environment, 'user', 'create', 'ada@example.com', '--role', 'administrator')
  assert.match(created.stderr, /No server has started here yet: the link is based on HOST and PORT\.\n$/)
  const origin = async (settings: Environment = {}) => {
    const { stdout, stderr } = await command({ ...environment, ...settings }, 'user', 'reset', 'ada@example.com')
    assert.doesNotMatch(stderr, /No server has started/)
    return new URL(stdout).origin
  }
  const server = await startProcess(environment)
  assert.equal(await origin(), new URL(server.url).origin)
  assert.equal(await origin({ PORT: '9999', HOST: '127.0.0.9' }), new URL(server.url).origin)
  assert.equal(await origin({ PUBLIC_URL: 'https://mine.example' }), 'https://mine.example')
  await server.end('SIGTERM')
  await startAndStop({ ...environment, PUBLIC_URL: 'https://assets.example.com' })
  assert.equal(await origin(), 'https://assets.example.com')
})

test('a lost pepper is not replaced; the error message says what to do, and a command can revoke all keys', async () => {
  const DATA_DIR = temporaryDirectory()
  const environment = { DATA_DIR }
  const old = await makeTenant(environment, 'acme')
  await makeTenant(environment, 'globex')
  await command(environment, 'server', 'add', 'big', 'postgres://user:hidden@127.0.0.1:1/none', '--offline')
  cpSync(join(DATA_DIR, 'pepper'), join(DATA_DIR, 'kept'))
  rmSync(join(DATA_DIR, 'pepper'))

  const stderr = await assertStartFails(environment)
  assert.match(
    stderr,
    /^The pepper that [^\n]+ is missing: put the file [^\n]+ back, or set API_KEY_PEPPER as it was\. /,
  )
  assert.match(stderr, /`tenantdesk key revoke --all --lost-pepper`/)
  const key = await command(environment, 'key', 'create', 'acme', '--scope', '*:read')
  assert.deepEqual([key.exitCode, key.stdout], [1, ''])
  assert.match(await assertStartFails({ ...environment, API_KEY_PEPPER: `1:${second}` }), /^Pepper 1 is not the one/)
  assert.match(
    await assertStartFails({ ...environment, API_KEY_PEPPER: `3:${second}` }),
    /^Pepper 1 is missing, and API keys/,
  )
  assert.equal(existsSync(join(DATA_DIR, 'pepper')), false)
  const listed = await command(environment, 'server', 'list')
  assert.match(listed.stdout, /^big +0 +\(the URL cannot be decrypted/m)

  cpSync(join(DATA_DIR, 'kept'), join(DATA_DIR, 'pepper'))
  const refused = await command(environment, 'key', 'revoke', '--all', '--lost-pepper')
  assert.deepEqual([refused.exitCode, refused.stderr.split(':')[0]], [1, 'No pepper is lost'])
  rmSync(join(DATA_DIR, 'pepper'))

  const voided = await command(environment, 'key', 'revoke', '--lost-pepper', '--all')
  assert.deepEqual([voided.exitCode, voided.stdout], [0, ''], voided.stderr)
  assert.match(voided.stderr, /^All API keys are void \(2\): [^\n]+\.\nThe URLs of servers big are lost: [^\n]+\.\n/)
  // The next start can reuse the pepper number of a failed start.
  const server = await startProcess({ ...environment, API_KEY_PEPPER: `3:${first}` })
  const client = networkClient(server.url, old)
  assert.equal((await client('GET', '/customers.php')).status, 401)
  const next = { ...environment, API_KEY_PEPPER: `3:${first}` }
  assert.equal((await networkClient(server.url, await createKey(next, 'acme'))('GET', '/customers.php')).status, 200)
  const running = await command(environment, 'key', 'revoke', '--all', '--lost-pepper')
  assert.deepEqual([running.exitCode, running.stderr.split(',')[0]], [1, 'A server is running here'])
  await command(next, 'server', 'set', 'big', 'postgres://user:hidden@127.0.0.1:1/other', '--offline')
  assert.match((await command(next, 'server', 'list')).stdout, /^big +0 +postgres:.*other$/m)
  await server.end('SIGTERM')
})

test('revoking all keys after the loss of a pepper also turns off second factors, and the security log records both', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await makeTenant(environment, 'acme')
  await command(environment, 'user', 'create', 'ada@example.com', '--role', 'administrator')
  const { DatabaseSync } = await import('node:sqlite')
  const catalog = new DatabaseSync(join(environment.DATA_DIR, 'catalog.sqlite'), { timeout: 5000 })
  catalog.exec(`update users set encrypted_totp_secret = '1:sealed', last_totp_step = 1`)
  rmSync(join(environment.DATA_DIR, 'pepper'))
  const { exitCode, stderr } = await command(environment, 'key', 'revoke', '--all', '--lost-pepper')
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /\nTwo-factor authentication is off for ada@example\.com /)
  const events = catalog.prepare('select event from audit_events').all() as Json[]
  for (const event of ['keys_voided', 'second_factor_off'])
    assert.ok(
      events.some((row) => row.event === event),
      event,
    )
  catalog.close()
  await startService(environment) // a server starts without an error
})

test('key revoke --lost-pepper without --all is a usage error', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  assert.equal((await command(environment, 'key', 'revoke', '--lost-pepper')).exitCode, 2)
  assert.equal((await command(environment, 'key', 'revoke', '--all')).exitCode, 2)
})

test('serve makes its lock readable only by its owner, and warns if others can read the data directory or the pepper', async () => {
  const DATA_DIR = join(temporaryDirectory(), 'data')
  await startAndStop({ DATA_DIR })
  chmodSync(DATA_DIR, 0o755)
  for (const name of ['server.lock', 'pepper']) chmodSync(join(DATA_DIR, name), 0o644)
  const stderr = await startAndStop({ DATA_DIR })
  const warnings = stderr.match(/^Other users of this machine can access .+$/gm)
  assert.deepEqual(warnings, [
    `Other users of this machine can access ${DATA_DIR} (mode 755). To prevent this: chmod 700 ${DATA_DIR}`,
    `Other users of this machine can access ${DATA_DIR}/pepper (mode 644). To prevent this: chmod 600 ${DATA_DIR}/pepper`,
  ])
  for (const name of ['server.lock', 'catalog.sqlite'])
    assert.equal(statSync(join(DATA_DIR, name)).mode & 0o777, 0o600, name)
  chmodSync(DATA_DIR, 0o700)
  chmodSync(join(DATA_DIR, 'pepper'), 0o600)
  assert.doesNotMatch(await startAndStop({ DATA_DIR }), /Other users/)
})

test('a server that starts while another server creates the pepper uses that pepper', async () => {
  const DATA_DIR = temporaryDirectory()
  const engine = await openDatabases(readConfig({ DATA_DIR }), resources)
  after(() => engine.close())
  const open = (catalog: Catalog) => openPepper(catalog, DATA_DIR, new Map())
  const { database } = engine.catalog
  const get: typeof database.get = async (...statement) => {
    // Another server creates the pepper after this server has looked for the file and before it reads the catalog.
    await open(engine.catalog)
    return database.get(...statement)
  }
  const late = await open({ ...engine.catalog, database: { get, all: database.all } })
  assert.deepEqual(late, await open(engine.catalog))
})
