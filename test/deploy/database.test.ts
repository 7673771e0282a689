// The database in compose.yaml: the role that init-database.sh creates, and an encrypted and verified connection.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../support/postgres.ts'
import { command, makeTenant, networkClient, startProcess, temporaryDirectory } from '../support/service.ts'

const skip = spawnSync('psql', ['--version']).status !== 0 && 'psql is not installed'
const password = 'd'.repeat(48)
const API_KEY_PEPPER = 'c'.repeat(48)
const server = await startPostgres()
after(() => server.remove())
const { port } = new URL(server.url)
const owned = `postgres://tenantdesk:${password}@localhost:${port}/tenantdesk`

/** Runs a query as the superuser. */
async function ask(text: string, database = 'postgres') {
  const client = new pg.Client(`${server.url}/${database}`)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

if (!skip) {
  const env = { PATH: process.env.PATH, POSTGRES_USER: 'postgres', DATABASE_PASSWORD: password }
  const address = { PGHOST: '127.0.0.1', PGPORT: port, PGPASSWORD: 'tests' }
  execFileSync('sh', ['init-database.sh'], { env: { ...env, ...address } })
}

test('the service works with a database role that owns its database and is not a superuser', {
  skip,
}, async () => {
  const [role] = await ask("select * from pg_roles where rolname = 'tenantdesk'")
  for (const right of ['rolsuper', 'rolcreaterole', 'rolcreatedb', 'rolreplication', 'rolbypassrls']) {
    assert.equal(role[right], false, right)
  }
  const settings = { DATA_DIR: temporaryDirectory(), DATABASE_URL: owned, API_KEY_PEPPER }
  const token = await makeTenant(settings, 'acme')
  const node = await startProcess(settings)
  const acme = networkClient(node.nodes[0]!.url, token)
  assert.equal((await acme('POST', '/customers.php', { name: 'Head office' })).status, 201)
  assert.equal((await acme('GET', '/customers.php')).body.data.length, 1)
  await node.end('SIGTERM')
})

test('the nodes’ database role cannot connect to other databases, run programs or read the server’s files', {
  skip,
}, async () => {
  const client = new pg.Client(owned)
  await client.connect()
  await assert.rejects(client.query("copy (select 1) to program 'true'"), /permission denied/)
  await assert.rejects(client.query("select pg_read_file('PG_VERSION')"), /permission denied/)
  await client.end()
  const other = new pg.Client(owned.replace(/tenantdesk$/, 'postgres'))
  await assert.rejects(other.connect(), /permission denied/)
})

test('with sslmode=verify-full, the service connects only to a server whose certificate it can verify', {
  skip,
}, async () => {
  const directory = temporaryDirectory()
  const [certificate, other] = ['server', 'other'].map((name) => {
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ]
    const files = ['-keyout', join(directory, `${name}.key`), '-out', join(directory, `${name}.crt`)]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...request, ...files, ...subject], { stdio: 'ignore' })
    return join(directory, `${name}.crt`)
  }) as [string, string]
  const { uid, gid } = statSync(server.directory)
  for (const name of ['server.crt', 'server.key']) {
    copyFileSync(join(directory, name), join(server.directory, name))
    chownSync(join(server.directory, name), uid, gid)
  }
  await ask('alter system set ssl = on')
  await ask('select pg_reload_conf()')
  const list = (query: string, host = 'localhost') => {
    const DATABASE_URL = `${owned.replace('localhost', host)}?${query}`
    return command({ DATA_DIR: join(directory, 'none'), DATABASE_URL, API_KEY_PEPPER }, 'tenant', 'list')
  }
  for (;;) {
    const { exitCode, stderr } = await list(`sslmode=verify-full&sslrootcert=${certificate}`)
    if (exitCode === 0) break
    assert.match(stderr, /SSL/) // the server may not have reloaded its configuration yet
  }
  const [row] = await ask('show ssl')
  assert.equal(row.ssl, 'on')
  for (const refused of [
    await list(`sslmode=verify-full&sslrootcert=${other}`),
    await list(`sslmode=verify-full&sslrootcert=${certificate}`, '127.0.0.1'),
  ]) {
    assert.equal(refused.exitCode, 1)
    assert.match(refused.stderr, /cannot be used: .*(certificate|altnames)/)
  }
})
