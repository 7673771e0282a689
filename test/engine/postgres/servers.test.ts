// Commands for database servers. An unreachable server does not block other commands or tenants.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pino } from 'pino'
import { catalogDatabaseOf, query, storedNames, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { assertStartFails } from '../../support/program.ts'
import { startProxy } from '../../support/servers/tcp-proxy.ts'
import {
  command,
  createKey,
  type Json,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

/** Creates an empty database on the test server. Returns its URL. */
async function createEmptyDatabase(): Promise<string> {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  return DATABASE_URL
}

const lines: Json[] = []
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })
const service = await startService({ DATABASE_URL: '' }, { log, sweepIntervalMs: 50 })
const { environment } = service
const goodUrl = await createEmptyDatabase()

async function run(line: string) {
  return command(environment, ...line.split(' '))
}

async function runOk(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(line)
  assert.equal(exitCode, 0, `${line}: ${stderr}`)
  return stdout
}

async function assertCommandRefused(line: string, message: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await run(line)
  assert.deepEqual([exitCode, stdout], [1, ''], `${line}: ${stderr}`)
  assert.match(stderr, message, line)
  assert.doesNotMatch(stderr, /hidden/, line)
}

/** The number of tenants on each server, from `server list`. */
async function tenantCounts(): Promise<Record<string, number>> {
  const servers: Json[] = JSON.parse(await runOk('server list --json'))
  return Object.fromEntries(servers.map(({ name, tenants }) => [name, tenants]))
}

async function listSlugs(): Promise<string[]> {
  return JSON.parse(await runOk('tenant list --json')).map(({ slug }: Json) => slug)
}

const unreachable = 'postgres://nobody:hidden@127.0.0.1:1/none'

await runOk(`server add good ${goodUrl}`)

test('server add refuses a server that it cannot use; --offline adds it without a connection', async () => {
  await assertCommandRefused(`server add typo ${unreachable}`, /^Server typo cannot be reached: connect ECONNREFUSED/)
  await assertCommandRefused(
    `server add typo ${unreachable.replace('127.0.0.1:1', 'nowhere.invalid')}`,
    /^Server typo cannot be reached: /,
  )
  await assertCommandRefused(
    `server add typo ${goodUrl.replace('tests@', 'hidden@')}`,
    /^Server typo cannot be reached: password auth/,
  )
  assert.equal('typo' in (await tenantCounts()), false)
  await runOk(`server add typo ${unreachable} --offline`)
  assert.equal((await tenantCounts()).typo, 0)
  await runOk('server remove typo')
})

test('server add and server set read the URL from standard input if the argument is -', async () => {
  const env = { ...process.env, ...environment }
  const runWithInput = async (line: string[], input: string) => {
    const child = spawn(process.execPath, ['src/main.ts', ...line], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.end(input)
    const [exit] = await once(child, 'close')
    return { exit, stderr }
  }
  assert.deepEqual((await runWithInput(['server', 'add', 'piped', '-'], `${goodUrl}\n`)).exit, 0)
  const shown = JSON.parse(await runOk('server list --json')).find(({ name }: Json) => name === 'piped')
  assert.match(shown.url, /:\*\*\*@/)
  const wrong = await runWithInput(['server', 'set', 'piped', '-'], `${unreachable}\n`)
  assert.equal(wrong.exit, 1)
  assert.match(wrong.stderr, /^Server piped cannot be reached: connect ECONNREFUSED/)
  assert.doesNotMatch(wrong.stderr, /hidden/)
  assert.equal((await runWithInput(['server', 'add', 'empty', '-'], '')).exit, 1)
  await runOk('server remove piped')
})

test('a move to an unreachable server does not change the tenant, which can then be moved or deleted', async () => {
  const client = await service.tenant('corp')
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await runOk(`server add away ${unreachable} --offline`)
  await assertCommandRefused('tenant move corp --to away', /^Server away cannot be used: connect ECONNREFUSED/)
  assert.deepEqual(await (await catalogDatabaseOf(environment)).all('select * from tenant_moves'), [])
  assert.deepEqual(await (await catalogDatabaseOf(environment)).all('select * from leftover_databases'), [])
  assert.equal((await client('PUT', '/customers.php?id=1', { name: 'y' })).status, 200)
  await runOk('server remove away')
  await runOk('tenant move corp --to good')
  assert.equal((await client('GET', '/customers.php?id=1')).body.name, 'y')
  assert.equal((await tenantCounts()).good, 1)
  await runOk('tenant delete corp --yes')
  assert.equal((await tenantCounts()).good, 0)
})

test('a move is undone immediately if its target fails, and the copy is removed once the target can be reached', async () => {
  const proxy = await startProxy(goodUrl)
  await runOk(`server add shaky ${proxy.url}`)
  const client = await service.tenant('middle')
  await client('POST', '/customers.php', { name: 'x' })
  const { id } = await tenantDatabaseOf(environment, 'middle')
  const path = join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
  assert.ok(readFileSync(path).length > 0)
  // Once the schema exists, all further connections fail.
  const hasCopy = async () => (await storedNames({ DATABASE_URL: goodUrl })).includes(`t_${id}`)
  const breakConnections = (async () => {
    await eventually('the schema exists', hasCopy, { everyMs: 1 })
    proxy.redirectTo('postgres://127.0.0.1:1/none')
  })()
  proxy.delay(30)
  await assertCommandRefused('tenant move middle --to shaky', /^Server shaky cannot be used: /)
  await breakConnections
  assert.equal((await client('PUT', '/customers.php?id=1', { name: 'y' })).status, 200)
  await eventually('the failure is logged', () =>
    lines.some(({ tenant, server }) => tenant === 'middle' && server === 'shaky'),
  )
  assert.ok(await hasCopy())
  proxy.delay(0)
  proxy.redirectTo(goodUrl)
  const catalog = await catalogDatabaseOf(environment)
  await eventually(
    'the copy is removed',
    async () => (await catalog.all('select * from leftover_databases')).length === 0,
  )
  assert.equal(await hasCopy(), false)
  await runOk('tenant move middle --to shaky')
  assert.equal((await client('GET', '/customers.php?id=1')).body.name, 'y')
  await runOk('tenant delete middle --yes')
  await runOk('server remove shaky')
})

test('the service undoes interrupted moves to an unreachable server, and logs the tenant’s slug', async () => {
  await runOk(`server add stuckto ${unreachable} --offline`)
  const catalog = await catalogDatabaseOf(environment)
  for (const phase of ['undoing', 'copying']) {
    const client = await service.tenant('stuck')
    const { id } = await tenantDatabaseOf(environment, 'stuck')
    await catalog.run(
      `insert into tenant_moves values ('${id}', 'sqlite', 'stuckto', '${phase}', 'nobody', '2000-01-01')`,
    )
    await eventually('the move is resolved', async () => (await catalog.all('select * from tenant_moves')).length === 0)
    await runOk('tenant move stuck --to good')
    assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
    await runOk('tenant delete stuck --yes')
  }
  await eventually('the possible copy is logged', () => lines.some(({ tenant }) => tenant === 'stuck'))
  const line = lines.find(({ tenant }) => tenant === 'stuck')
  assert.deepEqual([line.server, line.reason], ['stuckto', 'connect ECONNREFUSED 127.0.0.1:1'])
  const { stderr } = await run('server remove stuckto')
  assert.match(stderr, /Copies of stuck may remain there\.\n$/)
})

test('a tenant that cannot be created on its database server leaves no row in the catalog', async () => {
  await runOk(`server add down ${unreachable} --offline`)
  await assertCommandRefused('tenant create onbig --server down', /^Server down cannot be used: connect ECONNREFUSED/)
  const rows = await (await catalogDatabaseOf(environment)).all(`select * from tenants where slug = 'onbig'`)
  assert.deepEqual(rows, [])
  assert.equal((await tenantCounts()).down, 0)
  await runOk('server remove down')
  await runOk('tenant create onbig --server good')
  assert.ok((await listSlugs()).includes('onbig'))
  await runOk('tenant delete onbig --yes')
})

test('server list counts each server’s tenants', async () => {
  for (const slug of ['count-a', 'count-b']) await runOk(`tenant create ${slug} --server good`)
  assert.equal((await tenantCounts()).good, 2)
  assert.match(await runOk('server list'), /^good +2 +postgres:/m)
  for (const slug of ['count-a', 'count-b']) await runOk(`tenant delete ${slug} --yes`)
})

test('server set changes a server’s password, and running services use the new password from the next request', async () => {
  const admin = goodUrl
  await query(admin, 'public', `create role rotating login superuser password 'hidden-1'`)
  const urlWith = (password: string) => goodUrl.replace('postgres:tests@', `rotating:${password}@`)
  await runOk(`server add rotated ${urlWith('hidden-1')}`)
  await runOk('tenant create turning --server rotated')
  const client = service.client(await createKey(environment, 'turning'))
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await query(admin, 'public', `alter role rotating password 'hidden-2'`)
  await query(admin, 'public', `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotating'`)
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 503)
  await assertCommandRefused(
    `server set rotated ${urlWith('hidden-wrong')}`,
    /^Server rotated cannot be reached: password auth/,
  )
  await runOk(`server set rotated ${urlWith('hidden-2')}`)
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await runOk('tenant delete turning --yes')
  await runOk('server remove rotated')
})

test('after server set, no request goes to the previous URL', async () => {
  const [before, after] = [await startProxy(goodUrl), await startProxy(goodUrl)]
  await runOk(`server add moved ${before.url}`)
  await runOk('tenant create follower --server moved')
  const client = service.client(await createKey(environment, 'follower'))
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await runOk(`server set moved ${after.url}`)
  before.stopForwarding() // a request to the previous URL would hang
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  before.resumeForwarding()
  await runOk('tenant delete follower --yes')
  await runOk('server remove moved')
})

test('server set refuses a database that lacks the server’s tenants', async () => {
  await runOk(`server add bound ${goodUrl}`)
  await runOk('tenant create bound-one --server bound')
  await assertCommandRefused(
    `server set bound ${await createEmptyDatabase()}`,
    /^Tenant bound-one is on server bound but not in/,
  )
  await assertCommandRefused(`server set nowhere ${goodUrl}`, /^There is no server nowhere/)
  await runOk('tenant delete bound-one --yes')
  await runOk('server remove bound')
})

test('no list, log or audit event contains the password of a database server', async () => {
  const catalog = new DatabaseSync(join(environment.DATA_DIR!, 'catalog.sqlite'), { readOnly: true, timeout: 5000 })
  const events = JSON.stringify(catalog.prepare('select * from audit_events').all())
  catalog.close()
  assert.match(events, /server_set/)
  assert.doesNotMatch(events + JSON.stringify(lines) + (await runOk('server list')), /hidden/)
})

test('a database with an encoding other than UTF8 is refused by serve, `server add` and `catalog copy`', async () => {
  await query(goodUrl, 'public', `create database bytes encoding 'SQL_ASCII' template template0`)
  const url = goodUrl.replace(/[^/]*$/, 'bytes')
  const message = /has the encoding SQL_ASCII, but UTF8 is required\. Create the database with/
  assert.match(await assertStartFails({ DATA_DIR: temporaryDirectory(), DATABASE_URL: url }), message)
  for (const line of [`server add bytes ${url}`, `catalog copy --to ${url}`]) {
    const { exitCode, stderr } = await run(line)
    assert.equal(exitCode, 1)
    assert.match(stderr, message)
  }
})
