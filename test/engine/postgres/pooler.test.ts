// Runs nodes that reach PostgreSQL through PgBouncer in transaction mode, with far more clients than server
// connections.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { resources } from '../../../src/domain/declarations/all.ts'
import type { Resource } from '../../../src/domain/declarations/resource.ts'
import { schemaVersion } from '../../../src/domain/schema/migrations.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { storedNames, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { freePort } from '../../support/servers/free-port.ts'
import {
  type Client,
  command,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

const programs = [
  '/usr/sbin/pgbouncer',
  '/usr/bin/pgbouncer',
  '/usr/local/bin/pgbouncer',
  '/opt/homebrew/bin/pgbouncer',
]
const program = programs.find((path) => existsSync(path))
const serverConnections = 4

/** The command line creates tenants without this resource; the nodes add it through the pooler. */
const licences = {
  name: 'licences',
  singular: 'licence',
  since: schemaVersion(resources) + 1,
  fields: { product: { kind: 'text', max: 40, required: true } },
} as const satisfies Resource

/** Starts a pooler in front of the database at `url`. Returns a URL that reaches the database through the pooler. */
async function startPooler(url: string): Promise<URL> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const directory = temporaryDirectory()
  const poolerPort = await freePort()
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port} user=${username} password=${password}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${poolerPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${serverConnections}`,
    'max_client_conn = 500',
  ]
  const settings = join(directory, 'pgbouncer.ini')
  writeFileSync(settings, `${lines.join('\n')}\n`)
  // PgBouncer refuses to run as root; 65534 is `nobody` on most systems.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  for (const path of [directory, settings]) if (nobody.uid) chownSync(path, nobody.uid, nobody.gid)
  const child = spawn(program!, ['--quiet', settings], { ...nobody, stdio: 'ignore' })
  after(() => child.kill('SIGKILL'))
  return new URL(`postgres://postgres@127.0.0.1:${poolerPort}${pathname}`)
}

/** Waits until the pooler listens, and returns its pools' statistics. */
async function poolsOf(pooler: URL): Promise<Json[]> {
  const console = new URL(pooler)
  console.pathname = '/pgbouncer'
  for (let round = 0; ; round++) {
    const client = new pg.Client(console.href)
    try {
      await client.connect()
      const { rows } = await client.query('show pools')
      await client.end()
      return rows
    } catch (error) {
      if ((error as { code?: string }).code !== 'ECONNREFUSED' || round === 250) throw error
      await wait(20)
    }
  }
}

async function testThroughPooler(): Promise<void> {
  const direct = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const pooler = await startPooler(direct.DATABASE_URL!)
  await poolsOf(pooler)
  const overrides = { resources: [...resources, licences] }
  const service = await startService({ DATABASE_URL: pooler.href, RATE_LIMIT_PER_MINUTE: '100000' }, overrides)
  const { environment } = service
  const acme = await service.tenant('acme')

  test('creating (with a replay), reading, listing, changing and deleting a record works through a transaction pooler', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const created = await acme('POST', '/customers.php', { name: 'A' }, headers)
    const replay = await acme('POST', '/customers.php', { name: 'A' }, headers)
    assert.deepEqual([created.status, replay.status, replay.text], [201, 201, created.text])
    assert.deepEqual(
      [created.headers['idempotent-replayed'], replay.headers['idempotent-replayed']],
      [undefined, 'true'],
    )
    const path = `/customers.php?id=${created.body.id}`
    assert.equal((await acme('GET', path)).text, created.text)
    assert.equal((await acme('PUT', path, { city: 'Oslo' })).body.city, 'Oslo')
    assert.deepEqual((await acme('GET', '/customers.php')).body.data.length, 1)
    assert.deepEqual((await acme('DELETE', path)).body, { id: created.body.id, deleted: true })
    assertRefused(await acme('GET', path), 'not_found')
  })

  test('conflicts and validation errors are the same through a pooler, and leave its connections usable', async () => {
    const customer_id = (await acme('POST', '/customers.php', { name: 'B' })).body.id
    const employee_id = (await acme('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body.id
    await acme('POST', '/hardware.php', { employee_id, asset_tag: 'T-1' })
    for (let round = 0; round < 3 * serverConnections; round++) {
      assertRefused(await acme('POST', '/hardware.php', { employee_id, asset_tag: 'T-1' }), 'validation_failed')
      assertRefused(await acme('POST', '/employees.php', { customer_id: 9876, email: 'a@b.c' }), 'invalid_customer')
      assertRefused(await acme('DELETE', `/customers.php?id=${customer_id}`), 'conflict')
    }
    const tags = Array.from({ length: 20 }, () => acme('POST', '/hardware.php', { employee_id, asset_tag: 'T-2' }))
    const statuses = (await Promise.all(tags)).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [201, ...Array(19).fill(422)])
  })

  test('if a pooler has fewer connections than clients, each client receives a response, and each Idempotency-Key creates one record', async () => {
    // a tenant's changes share one connection, so a crowd of clients is a crowd of tenants
    const crowd = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const slug = `crowd-${index}`
        return { slug, client: await service.tenant(slug), keys: Array.from({ length: 4 }, () => randomUUID()) }
      }),
    )
    const create = async (client: Client, key: string) =>
      client('POST', '/customers.php', { name: key }, { 'idempotency-key': key })
    const requests = Promise.all(
      crowd.flatMap(({ client, keys }) =>
        keys.map(async (key) => {
          const responses = [create(client, key), create(client, key), create(client, key)] as const
          const [first, second, third] = await Promise.all(responses)
          assert.deepEqual([first.status, second.text, third.text], [201, first.text, first.text])
        }),
      ),
    )
    const pools: Json[] = []
    let isOver = false
    const watching = (async () => {
      for (; !isOver; await wait(5)) pools.push(...(await poolsOf(pooler)))
    })()
    await requests.finally(() => {
      isOver = true
    })
    await watching
    const clientsIn = (row: Json) => Number(row.cl_active) + Number(row.cl_waiting)
    const poolsOfDatabase = pools.filter(({ database }) => `/${database}` === pooler.pathname)
    assert.ok(
      Math.max(...poolsOfDatabase.map(clientsIn)) > 2 * serverConnections,
      'there are more clients than connections',
    )
    assert.ok(
      Math.max(...poolsOfDatabase.map((row) => Number(row.sv_active) + Number(row.sv_idle))) <= serverConnections,
    )
    for (const { slug, keys } of crowd) {
      const { all } = await tenantDatabaseOf(direct, slug)
      assert.deepEqual((await all('select name from customers')).map(({ name }) => name).sort(), keys.toSorted())
      assert.deepEqual(
        (await all('select seq from changes order by seq')).map(({ seq }) => seq),
        keys.map((_, index) => index + 1),
      )
    }
  })

  test('tenants that share a pooler’s connections write only to their own schemas', async () => {
    const slugs = ['one', 'two', 'three', 'four', 'five', 'six']
    const clients = await Promise.all(slugs.map(async (slug) => service.client(await makeTenant(environment, slug))))
    await Promise.all(
      clients.flatMap((client, index) =>
        Array.from({ length: 10 }, () => client('POST', '/customers.php', { name: slugs[index] })),
      ),
    )
    for (const [index, client] of clients.entries()) {
      const names = (await client('GET', '/customers.php')).body.data.map(({ name }: Json) => name)
      assert.deepEqual(names, Array(10).fill(slugs[index]))
    }
  })

  test('a tenant can be migrated and deleted through a pooler', async () => {
    const old = await service.tenant('old')
    const created = await Promise.all([1, 2, 3].map(() => old('POST', '/licences.php', { product: 'Editor' })))
    assert.deepEqual(
      created.map(({ status }) => status),
      [201, 201, 201],
    )
    const { id } = await tenantDatabaseOf(direct, 'old')
    assert.ok((await storedNames(direct)).includes(`t_${id}`))
    assert.equal((await command(environment, 'tenant', 'delete', 'old', '--yes')).exitCode, 0)
    assertRefused(await old('GET', '/customers.php'), 'invalid_key')
    assert.ok(!(await storedNames(direct)).includes(`t_${id}`))
  })

  test('the service leaves no state in a pooler’s sessions', async () => {
    const client = new pg.Client(pooler.href)
    await client.connect()
    for (let round = 0; round < 3 * serverConnections; round++) {
      const { rows } = await client.query(`select current_setting('search_path') as path,
        (select count(*)::int from pg_prepared_statements) as statements`)
      assert.deepEqual(rows, [{ path: '"$user", public', statements: 0 }])
    }
    await client.end()
  })
}

if (program) await testThroughPooler()
else test('the service works through a transaction pooler', (context) => context.skip('PgBouncer is not installed'))
