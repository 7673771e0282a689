// Servers that cannot be reached, because of wrong addresses or changed passwords, block neither commands nor tenants.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../support/eventually.ts'
import { assertStartFails } from '../../support/program.ts'
import {
  command,
  createKey,
  type Json,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { catalogDatabaseOf, query, storedNames, tenantDatabaseOf } from '../../support/tenant-database.ts'

/** Creates an empty database on the test server. Returns its URL. */
async function newDatabase(): Promise<string> {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  return DATABASE_URL
}

const lines: Json[] = []
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })
const service = await startService({ DATABASE_URL: '' }, { log, sweepIntervalMs: 50 })
const { environment } = service
const good = await newDatabase()

async function run(line: string) {
  return command(environment, ...line.split(' '))
}

async function done(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(line)
  assert.equal(exitCode, 0, `${line}: ${stderr}`)
  return stdout
}

async function refused(line: string, expected: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await run(line)
  assert.deepEqual([exitCode, stdout], [1, ''], `${line}: ${stderr}`)
  assert.match(stderr, expected, line)
  assert.doesNotMatch(stderr, /hidden/, line)
}

/** The number of tenants on each server, as `server list` shows it. */
async function counts(): Promise<Record<string, number>> {
  const servers: Json[] = JSON.parse(await done('server list --json'))
  return Object.fromEntries(servers.map(({ name, tenants }) => [name, tenants]))
}

async function slugs(): Promise<string[]> {
  return JSON.parse(await done('tenant list --json')).map(({ slug }: Json) => slug)
}

const nobody = 'postgres://nobody:hidden@127.0.0.1:1/none'

await done(`server add good ${good}`)

test('server add refuses a server that it cannot use; --offline adds it without a connection', async () => {
  await refused(`server add typo ${nobody}`, /^Server typo cannot be reached: connect ECONNREFUSED/)
  await refused(
    `server add typo ${nobody.replace('127.0.0.1:1', 'nowhere.invalid')}`,
    /^Server typo cannot be reached: /,
  )
  await refused(`server add typo ${good.replace('tests@', 'hidden@')}`, /^Server typo cannot be reached: password auth/)
  assert.equal('typo' in (await counts()), false)
  await done(`server add typo ${nobody} --offline`)
  assert.equal((await counts()).typo, 0)
  await done('server remove typo')
})

test('server add and server set read the URL from standard input if it is given as -', async () => {
  const env = { ...process.env, ...environment }
  const type = async (words: string[], input: string) => {
    const child = spawn(process.execPath, ['src/main.ts', ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.stdin.end(input)
    const [exit] = await once(child, 'close')
    return { exit, said: output }
  }
  assert.deepEqual((await type(['server', 'add', 'piped', '-'], `${good}\n`)).exit, 0)
  const shown = JSON.parse(await done('server list --json')).find(({ name }: Json) => name === 'piped')
  assert.match(shown.url, /:\*\*\*@/)
  const wrong = await type(['server', 'set', 'piped', '-'], `${nobody}\n`)
  assert.equal(wrong.exit, 1)
  assert.match(wrong.said, /^Server piped cannot be reached: connect ECONNREFUSED/)
  assert.doesNotMatch(wrong.said, /hidden/)
  assert.equal((await type(['server', 'add', 'empty', '-'], '')).exit, 1)
  await done('server remove piped')
})

test('a move to an unreachable server leaves the tenant where it was, and it can be moved or deleted at once', async () => {
  const client = await service.tenant('corp')
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await done(`server add away ${nobody} --offline`)
  await refused('tenant move corp --to away', /^Server away cannot be used: connect ECONNREFUSED/)
  assert.deepEqual(await (await catalogDatabaseOf(environment)).all('select * from tenant_moves'), [])
  assert.deepEqual(await (await catalogDatabaseOf(environment)).all('select * from leftover_databases'), [])
  assert.equal((await client('PUT', '/customers.php?id=1', { name: 'y' })).status, 200)
  await done('server remove away')
  await done('tenant move corp --to good')
  assert.equal((await client('GET', '/customers.php?id=1')).body.name, 'y')
  assert.equal((await counts()).good, 1)
  await done('tenant delete corp --yes')
  assert.equal((await counts()).good, 0)
})

test('a move whose target fails is undone at once, and its copy is removed when the server is back', async () => {
  const proxy = await startProxy(good)
  await done(`server add shaky ${proxy.url}`)
  const client = await service.tenant('middle')
  await client('POST', '/customers.php', { name: 'x' })
  const { id } = await tenantDatabaseOf(environment, 'middle')
  const path = join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
  assert.ok(readFileSync(path).length > 0)
  // Once the schema exists, all further connections fail.
  const isMade = async () => (await storedNames({ DATABASE_URL: good })).includes(`t_${id}`)
  const breaking = (async () => {
    await eventually('the schema is there', isMade, { everyMs: 1 })
    proxy.redirectTo('postgres://127.0.0.1:1/none')
  })()
  proxy.delay(30)
  await refused('tenant move middle --to shaky', /^Server shaky cannot be used: /)
  await breaking
  assert.equal((await client('PUT', '/customers.php?id=1', { name: 'y' })).status, 200)
  await eventually('the failure is logged', () =>
    lines.some(({ tenant, server }) => tenant === 'middle' && server === 'shaky'),
  )
  assert.ok(await isMade())
  proxy.delay(0)
  proxy.redirectTo(good)
  const catalog = await catalogDatabaseOf(environment)
  await eventually(
    'the copy is removed',
    async () => (await catalog.all('select * from leftover_databases')).length === 0,
  )
  assert.equal(await isMade(), false)
  await done('tenant move middle --to shaky')
  assert.equal((await client('GET', '/customers.php?id=1')).body.name, 'y')
  await done('tenant delete middle --yes')
  await done('server remove shaky')
})

test('interrupted moves to an unreachable server are undone by the service, which logs the slug', async () => {
  await done(`server add stuckto ${nobody} --offline`)
  const catalog = await catalogDatabaseOf(environment)
  for (const phase of ['undoing', 'copying']) {
    const client = await service.tenant('stuck')
    const { id } = await tenantDatabaseOf(environment, 'stuck')
    await catalog.run(
      `insert into tenant_moves values ('${id}', 'sqlite', 'stuckto', '${phase}', 'nobody', '2000-01-01')`,
    )
    await eventually('the move is resolved', async () => (await catalog.all('select * from tenant_moves')).length === 0)
    await done('tenant move stuck --to good')
    assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
    await done('tenant delete stuck --yes')
  }
  await eventually('the copy is logged', () => lines.some(({ tenant }) => tenant === 'stuck'))
  const line = lines.find(({ tenant }) => tenant === 'stuck')
  assert.deepEqual([line.server, line.reason], ['stuckto', 'connect ECONNREFUSED 127.0.0.1:1'])
  const { stderr } = await run('server remove stuckto')
  assert.match(stderr, /Copies of stuck may remain there\.\n$/)
})

test('a tenant that cannot be created on its database server leaves nothing behind', async () => {
  await done(`server add down ${nobody} --offline`)
  await refused('tenant create onbig --server down', /^Server down cannot be used: connect ECONNREFUSED/)
  const rows = await (await catalogDatabaseOf(environment)).all(`select * from tenants where slug = 'onbig'`)
  assert.deepEqual(rows, [])
  assert.equal((await counts()).down, 0)
  await done('server remove down')
  await done('tenant create onbig --server good')
  assert.ok((await slugs()).includes('onbig'))
  await done('tenant delete onbig --yes')
})

test('server list counts the tenants of each server', async () => {
  for (const slug of ['count-a', 'count-b']) await done(`tenant create ${slug} --server good`)
  assert.equal((await counts()).good, 2)
  assert.match(await done('server list'), /^good +2 +postgres:/m)
  for (const slug of ['count-a', 'count-b']) await done(`tenant delete ${slug} --yes`)
})

test('server set changes the password of a server, and running services use it from the next request', async () => {
  const admin = good
  await query(admin, 'public', `create role rotating login superuser password 'hidden-1'`)
  const address = (word: string) => good.replace('postgres:tests@', `rotating:${word}@`)
  await done(`server add rotated ${address('hidden-1')}`)
  await done('tenant create turning --server rotated')
  const client = service.client(await createKey(environment, 'turning'))
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await query(admin, 'public', `alter role rotating password 'hidden-2'`)
  await query(admin, 'public', `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotating'`)
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 503)
  await refused(`server set rotated ${address('hidden-wrong')}`, /^Server rotated cannot be reached: password auth/)
  await done(`server set rotated ${address('hidden-2')}`)
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await done('tenant delete turning --yes')
  await done('server remove rotated')
})

test('after server set no request goes to the previous address, though it can still be reached', async () => {
  const [before, after] = [await startProxy(good), await startProxy(good)]
  await done(`server add moved ${before.url}`)
  await done('tenant create follower --server moved')
  const client = service.client(await createKey(environment, 'follower'))
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  await done(`server set moved ${after.url}`)
  before.stopForwarding() // a request to the previous address would hang
  assert.equal((await client('POST', '/customers.php', { name: 'x' })).status, 201)
  before.resumeForwarding()
  await done('tenant delete follower --yes')
  await done('server remove moved')
})

test('server set refuses a database that lacks the tenants of the server', async () => {
  await done(`server add bound ${good}`)
  await done('tenant create bound-one --server bound')
  await refused(`server set bound ${await newDatabase()}`, /^Tenant bound-one is on server bound but not in/)
  await refused(`server set nowhere ${good}`, /^There is no server nowhere/)
  await done('tenant delete bound-one --yes')
  await done('server remove bound')
})

test('the password of a database server is in no list, log or audit event', async () => {
  const catalog = new DatabaseSync(join(environment.DATA_DIR!, 'catalog.sqlite'), { readOnly: true, timeout: 5000 })
  const events = JSON.stringify(catalog.prepare('select * from audit_events').all())
  catalog.close()
  assert.match(events, /server_set/)
  assert.doesNotMatch(events + JSON.stringify(lines) + (await done('server list')), /hidden/)
})

test('a database with an encoding other than UTF8 is refused by serve, `server add` and `catalog copy`', async () => {
  await query(good, 'public', `create database bytes encoding 'SQL_ASCII' template template0`)
  const url = good.replace(/[^/]*$/, 'bytes')
  const problem = /has the encoding SQL_ASCII, but UTF8 is needed\. Create the database with/
  assert.match(await assertStartFails({ DATA_DIR: temporaryDirectory(), DATABASE_URL: url }), problem)
  for (const line of [`server add bytes ${url}`, `catalog copy --to ${url}`]) {
    const { exitCode, stderr } = await run(line)
    assert.equal(exitCode, 1)
    assert.match(stderr, problem)
  }
})
