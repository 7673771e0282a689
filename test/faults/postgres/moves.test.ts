// Moves tenants between SQLite files and PostgreSQL servers. Even an interrupted move keeps all data. Also tests the
// commands for servers.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import {
  catalogDatabaseOf,
  catalogVersion,
  insertRecords,
  query,
  storedNames,
  tenantDatabaseOf,
} from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { resourcePaths } from '../../support/resource-names.ts'
import {
  type Client,
  command,
  createKey,
  type Environment,
  type Json,
  makeTenant,
  type Response,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

/** Creates a database on the PostgreSQL server of this test run. */
async function createEmptyDatabase(): Promise<string> {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  return DATABASE_URL
}

const [one, two] = [await createEmptyDatabase(), await createEmptyDatabase()]
const service = await startService({ DATABASE_URL: '' }) // the catalog and the first tenants are files
const { environment } = service
await command(environment, 'server', 'add', 'one', one)
await command(environment, 'server', 'add', 'two', two)

async function move(slug: string, to: string) {
  return command(environment, 'tenant', 'move', slug, '--to', to)
}

async function requireMoved(slug: string, to: string): Promise<void> {
  const { exitCode, stdout, stderr } = await move(slug, to)
  assert.deepEqual([exitCode, stdout], [0, ''], stderr)
  assert.match(stderr, new RegExp(`^Tenant ${slug} is now on ${to}, `))
}

/** Creates, changes and deletes records. Some have values in many fields, some have few, and some refer to others. */
async function fill(client: Client): Promise<void> {
  const customer_id = (await client('POST', '/customers.php', { name: 'Zürich "1"', notes: 'a\nb', is_active: false }))
    .body.id
  await client('POST', '/customers.php', { name: 'x' })
  await client('PUT', '/customers.php?id=2', { name: 'y', country: 'CH', contract_end: '2027-01-01' })
  const employee_id = (await client('POST', '/employees.php', { customer_id, email: 'a@b.c', is_remote: true })).body.id
  for (const asset_tag of ['T-1', 'T-2', 'T-3']) await client('POST', '/hardware.php', { employee_id, asset_tag })
  await client('PUT', '/hardware.php?id=1', { asset_tag: null, purchase_cost: 2 ** 53 - 1, is_loaner: true })
  await client('PUT', '/hardware.php?id=2', { asset_tag: 'T-1' })
  await client('DELETE', '/hardware.php?id=3')
}

/** Requests the tenant's list of each resource. Returns the response bodies. */
async function apiView(client: Client): Promise<string[]> {
  const lists = resourcePaths.map((path) => client('GET', path))
  return (await Promise.all(lists)).map(({ text }) => text)
}

/** Reads some columns, the history and the stored responses directly from the tenant's database. */
async function readDirectly(id: string, server: string): Promise<Json> {
  const urls: Record<string, string> = { one, two }
  const path = join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
  const read = async (sql: string) => {
    if (urls[server]) return query(urls[server], `t_${id}`, sql)
    const file = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    const rows = file.prepare(sql).all()
    file.close()
    return rows.map((row) => ({ ...row }))
  }
  return {
    customers: await read('select id, city from customers order by id'),
    changes: await read('select * from changes order by seq'),
    responses: await read('select * from stored_responses order by seq'),
  }
}

async function idOf(slug: string): Promise<string> {
  return (await tenantDatabaseOf(environment, slug)).id
}

test('a tenant that moves from files to a server, to another server and back keeps records, ids, history and stored responses', async () => {
  const client = await service.tenant('round')
  await fill(client)
  const key = { 'idempotency-key': randomUUID() }
  const first = await client('POST', '/customers.php', { name: 'once' }, key)
  const id = await idOf('round')
  const [view, stored] = [await apiView(client), await readDirectly(id, 'sqlite')]
  for (const server of ['one', 'two', 'sqlite']) {
    await requireMoved('round', server)
    assert.deepEqual(await apiView(client), view, server)
    assert.deepEqual(await readDirectly(id, server), stored, server)
    const replay = await client('POST', '/customers.php', { name: 'once' }, key)
    assert.deepEqual([replay.text, replay.headers['idempotent-replayed']], [first.text, 'true'], server)
    const tenants = JSON.parse((await command(environment, 'tenant', 'list', '--json')).stdout)
    assert.equal(tenants.find(({ slug }: Json) => slug === 'round').server, server)
    const schemas = [...(await storedNames({ DATABASE_URL: one })), ...(await storedNames({ DATABASE_URL: two }))]
    assert.equal(schemas.includes(`t_${id}`), server !== 'sqlite', server)
    assert.equal(
      (await storedNames(environment)).some((name) => name.startsWith(id)),
      server === 'sqlite',
      server,
    )
  }
})

test('a moved tenant has deferred indexes on its large tables and stored JSON for its records', async () => {
  const client = await service.tenant('large')
  const tenantDatabase = await tenantDatabaseOf(environment, 'large')
  await insertRecords(tenantDatabase, 'customers', 2400, (n) => ({ name: `Name ${n}`, city: `City ${n % 7}` }))
  const sorted = await client('GET', '/customers.php?sort=-city')
  await requireMoved('large', 'one')
  const sql = `select indexname as name from pg_indexes where schemaname = 't_${tenantDatabase.id}'`
  const names = (await query(one, `t_${tenantDatabase.id}`, sql)).map(({ name }) => name)
  const withoutJson = 'select id from customers where json_tail is null'
  assert.deepEqual(await query(one, `t_${tenantDatabase.id}`, withoutJson), [])
  for (const [name, exists] of Object.entries({
    customers_city: true,
    customers_search: true,
    hardware_name: false,
  })) {
    assert.equal(names.includes(name), exists, name)
  }
  await requireMoved('large', 'sqlite')
  assert.deepEqual(await tenantDatabase.all(withoutJson), [])
  const indexes = `select name from sqlite_schema where name in ('customers_city', 'customers_terms', 'hardware_name')`
  assert.deepEqual(
    (await tenantDatabase.all(indexes)).map(({ name }) => name),
    ['customers_city', 'customers_terms'],
  )
  assert.deepEqual((await client('GET', '/customers.php?sort=-city')).body.data, sorted.body.data)
  assert.equal((await client('GET', '/customers.php?q=name+2399')).body.data.length, 1)
})

test('ids of records deleted before a move are not reused after the move', async () => {
  const client = await service.tenant('ids')
  for (let id = 1; id <= 3; id++) await client('POST', '/customers.php', { name: 'x' })
  await client('DELETE', '/customers.php?id=3')
  await client('DELETE', '/customers.php?id=2')
  let expected = 4
  for (const server of ['one', 'sqlite', 'two']) {
    await requireMoved('ids', server)
    assert.equal((await client('POST', '/customers.php', { name: server })).body.id, expected)
    await client('DELETE', `/customers.php?id=${expected++}`)
  }
})

/** The records that a client expects. Maps each customer's id to its city, or to null if the customer was
 *  deleted. */
type ExpectedRecords = Map<number, string | null>

/** Creates, changes and deletes records until `end` is called. Each request has an Idempotency-Key and is retried after
 *  a 503. */
function load(client: Client) {
  const expected: ExpectedRecords = new Map()
  const control = { isOver: false }
  let longestMs = 0
  async function send(method: string, path: string, body?: Json): Promise<Response> {
    const started = performance.now()
    const key = randomUUID()
    for (;;) {
      const response = await client(method, path, body, { 'idempotency-key': key })
      longestMs = Math.max(longestMs, performance.now() - started)
      if (response.status !== 503) return response
      assert.equal(response.body.error.code, 'tenant_unavailable')
      await wait(5)
    }
  }
  async function run(): Promise<void> {
    while (!control.isOver) {
      const created = await send('POST', '/customers.php', { name: 'x' })
      assert.equal(created.status, 201, created.text)
      const path = `/customers.php?id=${created.body.id}`
      const city = randomUUID()
      assert.equal((await send('PUT', path, { city })).status, 200)
      const isDeleted = expected.size % 5 === 0
      if (isDeleted) assert.equal((await send('DELETE', path)).status, 200)
      expected.set(created.body.id, isDeleted ? null : city)
      await wait(5) // leaves processor time for the move
    }
  }
  const done = run()
  return {
    async end() {
      control.isOver = true
      await done
      return { expected, longestMs }
    },
  }
}

/** Asserts that the database contains every acknowledged change exactly once and nothing else, and that the history has
 *  no gaps. */
async function requireAllChanges(slug: string, server: string, expectedByClient: ExpectedRecords[]): Promise<void> {
  const { changes, customers } = await readDirectly(await idOf(slug), server)
  assert.deepEqual(
    changes.map(({ seq }: Json) => seq),
    changes.map((_: Json, at: number) => at + 1),
  )
  const all = expectedByClient.flatMap((expected) => [...expected]).sort(([id], [other]) => id - other)
  const created = changes.filter(({ action }: Json) => action === 'create').map(({ record_id }: Json) => record_id)
  assert.deepEqual(
    created.sort((id: number, other: number) => id - other),
    all.map(([id]) => id),
  )
  assert.deepEqual(
    customers.map(({ id, city }: Json) => [id, city]),
    all.filter(([, city]) => city !== null),
  )
}

/** Moves the tenant in a child process. */
function moveByProcess(slug: string, to: string): ChildProcess {
  const env = { ...process.env, ...environment }
  return spawn(process.execPath, ['src/main.ts', 'tenant', 'move', slug, '--to', to], { env, stdio: 'ignore' })
}

test('a tenant is served while it moves, except during the switch, and no change is lost or applied twice', async () => {
  const client = await service.tenant('busy')
  const loads = Array.from({ length: 4 }, () => load(client))
  const startedAt = performance.now()
  for (const server of ['one', 'two', 'sqlite', 'one']) {
    assert.deepEqual(await once(moveByProcess('busy', server), 'exit'), [0, null])
  }
  const tookMs = performance.now() - startedAt
  const ends = await Promise.all(loads.map((load) => load.end()))
  await requireAllChanges(
    'busy',
    'one',
    ends.map(({ expected }) => expected),
  )
  const longestMs = Math.max(...ends.map((end) => end.longestMs))
  const limitMs = Math.max(3000, tookMs / 8) // generous, because other tests run at the same time
  assert.ok(longestMs < limitMs, `a change took ${longestMs} ms; all moves took ${tookMs} ms`)
})

/** Opens a connection that is closed after the tests. */
async function openConnection(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  after(() => client.end())
  return client
}

test('a move includes the stored responses of requests that are in progress or queued when it begins', async () => {
  const client = await service.tenant('late')
  await client('POST', '/customers.php', { name: 'first' })
  await requireMoved('late', 'one')
  const id = await idOf('late')
  const [blocker, late] = [await openConnection(one), await openConnection(one)]
  const isWaiting = (sql: string) => async () => {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await query(one, 'public', `${waiting} and query like '${sql}'`)).length > 0
  }
  await blocker.query(`begin; lock table t_${id}.hardware in access exclusive mode`)
  const moving = move('late', 'two')
  await eventually('the copy has reached the hardware table', isWaiting('%from hardware%'))
  const [key, later] = [randomUUID(), randomUUID()]
  // Executes the first statements of a change with an Idempotency-Key.
  await late.query(`begin; set local search_path to t_${id}; select id from tenant for update`)
  await late.query(
    `insert into stored_responses (seq, key, at, fingerprint, scopes, status, body)
     select last + 1, $1, $2, 'f', 's', 422, '{}' from counters where name = 'stored_responses'`,
    [key, new Date().toISOString()],
  )
  await late.query(`update counters set last = last + 1 where name = 'stored_responses'`)
  const queued = client('POST', '/customers.php', { name: 'x' }, { 'idempotency-key': later })
  await eventually('the queued request waits', isWaiting('select id, state, schema_version from tenant for update'))
  await blocker.query('rollback')
  await eventually('the move waits', isWaiting('update tenant set state%'))
  await late.query('commit')
  const { exitCode, stderr } = await moving
  assert.equal(exitCode, 0, stderr)
  if ((await queued).status !== 201) {
    const again = await client('POST', '/customers.php', { name: 'x' }, { 'idempotency-key': later })
    assert.equal(again.status, 201, again.text)
  }
  const { responses } = await readDirectly(id, 'two')
  assert.deepEqual(
    responses.map((response: Json) => [response.seq, response.key]),
    [
      [1, key],
      [2, later],
    ],
  )
})

/** Whether a move of the tenant is in progress. */
async function isMoving(slug: string): Promise<boolean> {
  const { all } = await catalogDatabaseOf(environment)
  const moves = `select 1 from tenant_moves where tenant_id = (select id from tenants where slug = '${slug}')`
  return (await all(moves)).length > 0
}

/** Expires the lease of every move. */
function expireLeases({ DATA_DIR = '' }: Environment): void {
  const catalog = new DatabaseSync(join(DATA_DIR, 'catalog.sqlite'), { timeout: 5000 })
  catalog.exec(`update tenant_moves set lease_expires_at = '2000-01-01'`)
  catalog.close()
}

test('a move killed at any moment is undone or completed by another process, and no change is lost or applied twice', async () => {
  const client = await service.tenant('killed')
  const before: ExpectedRecords = new Map()
  for (let id = 1; id <= 300; id++) before.set(id, `${id}`)
  for (const [, city] of before) await client('POST', '/customers.php', { name: 'x', city })
  const loads = [load(client), load(client)]
  let server = 'sqlite'
  for (const waitMs of [0, 75, 150, 225, 300]) {
    const target = server === 'sqlite' ? 'one' : 'sqlite'
    const moving = moveByProcess('killed', target)
    const ended = once(moving, 'exit')
    await eventually('the move has begun', async () => moving.exitCode !== null || isMoving('killed'))
    await wait(waitMs) // so that kills hit different steps of the move
    moving.kill('SIGKILL')
    await ended
    expireLeases(environment)
    const { exitCode, stderr } = await move('killed', target)
    assert.ok(exitCode === 0 || stderr.includes(`is on ${target} already`), stderr)
    server = target
  }
  const ends = await Promise.all(loads.map((load) => load.end()))
  await requireAllChanges('killed', server, [before, ...ends.map(({ expected }) => expected)])
})

test('if the copy left by a failed move cannot be removed, the tenant, server and reason are logged only once', async () => {
  const lines: Json[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const { environment } = await startService({ DATABASE_URL: '' }, { log, sweepIntervalMs: 20 })
  await makeTenant(environment, 'stuck')
  await command(environment, 'server', 'add', 'away', 'postgres://nobody:secret@127.0.0.1:1/none', '--offline')
  const [catalog, { id }] = [await catalogDatabaseOf(environment), await tenantDatabaseOf(environment, 'stuck')]
  await catalog.run(`insert into tenant_moves values ('${id}', 'sqlite', 'away', 'copying', 'nobody', '2000-01-01')`)
  const tokens = async () => (await catalog.all('select token from leftover_databases')).map(({ token }) => token)
  const seen = new Set<string>()
  while (seen.size < 4) {
    for (const token of await tokens()) seen.add(token) // each attempt to remove the copy writes a new token
    await wait(10)
  }
  assert.deepEqual(
    lines.map(({ tenant, server, reason }) => [tenant, server, reason]),
    [['stuck', 'away', 'connect ECONNREFUSED 127.0.0.1:1']],
  )
})

test('a move invalidates cached tenants and keys once, and is recorded in the security log', async () => {
  await makeTenant(environment, 'counted')
  const before = await catalogVersion(environment)
  await requireMoved('counted', 'one')
  assert.equal((await catalogVersion(environment)) - before, 1)
  const [event] = await (await catalogDatabaseOf(environment)).all(
    'select * from audit_events order by seq desc limit 1',
  )
  const { tenant_id, detail } = event
  assert.deepEqual([event.event, tenant_id], ['tenant_moved', await idOf('counted')])
  assert.deepEqual(JSON.parse(detail), { slug: 'counted', server: 'one' })
})

test('impossible moves and server commands are refused, and the tenant stays available', async () => {
  const client = await service.tenant('refused')
  await client('POST', '/customers.php', { name: 'x' })
  const refusals: [line: string, message: RegExp][] = [
    ['tenant move refused --to nowhere', /^There is no server nowhere/],
    ['tenant move refused --to main', /^There is no server main/],
    ['tenant move refused --to sqlite', /^Tenant refused is on sqlite already/],
    ['tenant move nobody --to one', /^There is no tenant nobody/],
    ['server remove sqlite', /./],
    ['server remove nowhere', /^There is no server nowhere/],
    [`server add one ${two}`, /^There is a server one already/],
    [`server add sqlite ${two}`, /cannot name a server/],
    ['server add three mysql://user:hidden@host/db', /^The URL is invalid: /],
  ]
  for (const [line, message] of refusals) {
    const { exitCode, stdout, stderr } = await command(environment, ...line.split(' '))
    assert.deepEqual([exitCode, stdout], [1, ''], line)
    assert.match(stderr, message, line)
    assert.doesNotMatch(stderr, /hidden/)
  }
  assert.equal((await client('PUT', '/customers.php?id=1', { name: 'y' })).status, 200)
})

test('a move to the same server under another name, or to an unreachable server, is refused', async () => {
  const client = await service.tenant('alias')
  await client('POST', '/customers.php', { name: 'x' })
  await requireMoved('alias', 'one')
  await command(environment, 'server', 'add', 'again', one)
  await command(environment, 'server', 'add', 'away', 'postgres://nobody:secret@127.0.0.1:1/none', '--offline')
  for (const server of ['again', 'away']) {
    const { exitCode, stderr } = await move('alias', server)
    assert.equal(exitCode, 1, server)
    assert.doesNotMatch(stderr, /secret/)
    assert.equal((await client('PUT', '/customers.php?id=1', { name: server })).status, 200)
  }
})

test('a tenant cannot be moved if its file has been emptied', async () => {
  await makeTenant(environment, 'emptied')
  const id = await idOf('emptied')
  const path = join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
  writeFileSync(path, '')
  const { exitCode, stderr } = await move('emptied', 'one')
  assert.deepEqual([exitCode, existsSync(path)], [1, true], stderr)
})

test('a tenant can be created on a named server, and a server with tenants cannot be removed', async () => {
  const created = await command(environment, 'tenant', 'create', 'placed', '--server', 'two')
  assert.deepEqual([created.exitCode, created.stdout], [0, 'placed\n'])
  const refused = await command(environment, 'tenant', 'create', 'misplaced', '--server', 'nowhere')
  assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
  const removal = await command(environment, 'server', 'remove', 'two')
  assert.deepEqual([removal.exitCode, removal.stderr], [1, 'There are tenants on server two; move them first.\n'])
  const places = await storedNames({ DATABASE_URL: two })
  assert.ok(places.includes(`t_${await idOf('placed')}`))
  await command(environment, 'tenant', 'delete', 'placed', '--yes')
})

test('after a server is removed and added again with another URL, reads and changes use the new URL', async () => {
  for (const [slug, url, method] of [
    ['before', one, 'GET'],
    ['after', two, 'GET'],
    ['again', one, 'POST'],
  ] as const) {
    await command(environment, 'server', 'add', 'renewed', url)
    await command(environment, 'tenant', 'create', slug, '--server', 'renewed')
    const client = service.client(await createKey(environment, slug))
    const first = await client(method, '/customers.php', method === 'POST' ? { name: slug } : undefined)
    assert.equal(first.status, method === 'POST' ? 201 : 200)
    assert.equal((await client('POST', '/customers.php', { name: slug })).status, 201)
    assert.ok((await storedNames({ DATABASE_URL: url })).includes(`t_${await idOf(slug)}`))
    await command(environment, 'tenant', 'delete', slug, '--yes')
    assert.equal((await command(environment, 'server', 'remove', 'renewed')).exitCode, 0)
  }
})

test('the list of servers does not show passwords, and the catalog stores them encrypted', async () => {
  await command(
    environment,
    'server',
    'add',
    'secretive',
    'postgres://user:hunter2hunter2@127.0.0.1:1/none',
    '--offline',
  )
  const listed = await command(environment, 'server', 'list')
  assert.match(listed.stdout, /^sqlite .*\n(.*\n)*secretive +0 +postgres:\/\/user:\*\*\*@127\.0\.0\.1:1\/none\n/m)
  const rows = JSON.parse((await command(environment, 'server', 'list', '--json')).stdout)
  assert.ok(rows.every((row: Json) => ['name', 'url', 'tenants', 'created_at'].every((name) => name in row)))
  const catalog = new DatabaseSync(join(environment.DATA_DIR!, 'catalog.sqlite'), { readOnly: true, timeout: 5000 })
  const stored = JSON.stringify(catalog.prepare('select * from database_servers').all())
  catalog.close()
  assert.doesNotMatch(stored + listed.stdout, /hunter2/)
  assert.equal((await command(environment, 'server', 'remove', 'secretive')).exitCode, 0)
})

test('with the catalog on PostgreSQL, tenants move to other servers and to files', async () => {
  const settings = { DATABASE_URL: await createEmptyDatabase(), DATA_DIR: temporaryDirectory() }
  const node = await startService(settings, { nodes: 1 }) // files belong to a single node
  await command(node.environment, 'server', 'add', 'elsewhere', two)
  const client = node.client(await makeTenant(node.environment, 'north'))
  await fill(client)
  const seen = await apiView(client)
  for (const server of ['elsewhere', 'sqlite', 'main']) {
    const { exitCode, stderr } = await command(node.environment, 'tenant', 'move', 'north', '--to', server)
    assert.equal(exitCode, 0, stderr)
    assert.deepEqual(await apiView(client), seen, server)
  }
})
