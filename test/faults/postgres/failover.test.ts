// Tests failover: a standby replicates the leader, and replaces the leader after a crash. The service connects through
// a proxy, which forwards to the standby after the crash.

import assert from 'node:assert/strict'
import { appendFileSync, chownSync, cpSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertRefused, everyRequest } from '../../support/api/shared-errors.ts'
import { query } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type ClientModel,
  createClientModels,
  requireExactlyOnce,
  resendAll,
  seed,
  sendChangesDuring,
  withSeed,
} from '../../support/faults/exactly-once.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { startProxy } from '../../support/servers/tcp-proxy.ts'
import { type Client, createKey, makeTenant, startService, temporaryDirectory } from '../../support/service.ts'

/** Starts a standby from a copy of the leader's files. The leader is stopped during the copy. */
async function startStandby(leader: PostgresServer): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-standby-'))
  await leader.stop()
  copy(leader.directory, directory)
  await leader.start()
  const { hostname, port, username, password } = new URL(leader.url)
  const address = `host=${hostname} port=${port} user=${username} password=${password}`
  appendFileSync(join(directory, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`)
  writeFileSync(join(directory, 'standby.signal'), '')
  return startPostgres([], directory)
}

/** Copies files with their owners, because PostgreSQL refuses files owned by other users. */
function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  for (const path of ['', ...(readdirSync(from, { recursive: true }) as string[])]) {
    const { uid, gid } = statSync(join(from, path))
    chownSync(join(to, path), uid, gid)
  }
}

/** Makes commits on the leader wait for the standby. */
async function makeCommitsSynchronous(leader: PostgresServer): Promise<void> {
  const execute = (sql: string) => query(`${leader.url}/postgres`, 'public', sql)
  await execute(`alter system set synchronous_standby_names = '*'`)
  await execute('select pg_reload_conf()')
  const isSynchronous = async () =>
    (await execute(`select 1 from pg_stat_replication where sync_state = 'sync'`)).length > 0
  await eventually('the standby follows', isSynchronous, { everyMs: 50 })
}

const leader = await startPostgres()
after(leader.remove)
const DATA_DIR = temporaryDirectory()
const first = { DATA_DIR, DATABASE_URL: `${leader.url}/postgres` }
const token = await makeTenant(first, 'acme')
const readerToken = await createKey(first, 'acme', ['*:read'])
const standby = await startStandby(leader)
after(standby.remove)
const second = { DATA_DIR, DATABASE_URL: `${standby.url}/postgres` }
await makeCommitsSynchronous(leader)
const proxy = await startProxy(first.DATABASE_URL)
const service = await startService({ DATA_DIR, DATABASE_URL: proxy.url, RATE_LIMIT_PER_MINUTE: '1000000' })
const [client, reader] = [service.client(token), service.client(readerToken)]

/** Throws if a response is a 503, so that the change is retried later. */
const retryingClient: Client = async (...request) => {
  const response = await client(...request)
  if (response.status !== 503) return response
  await wait(50)
  throw new Error('unavailable')
}

/** Asserts that changes fail with 503 while the database is read-only, and that no request fails with any other server
 *  error. */
async function requireReadOnly(): Promise<void> {
  const responses = await Promise.all(everyRequest(client, reader, '/customers.php?id=1'))
  for (const response of responses) {
    if (response.status >= 500) assertRefused(response, 'tenant_unavailable')
    assert.notEqual(response.status, 201)
  }
  assertRefused(await client('POST', '/customers.php', { name: 'Nowhere' }), 'tenant_unavailable')
  assertRefused(await client('PUT', '/customers.php?id=1', { name: 'Nowhere' }), 'tenant_unavailable')
}

/** Waits until 20 more changes are acknowledged. */
async function waitForMoreChanges(models: ClientModel[]): Promise<void> {
  const count = () => models.flatMap(({ changes }) => changes).filter(({ response }) => response).length
  const before = count()
  await eventually('changes are acknowledged', () => count() >= before + 20)
}

test('after a failover to a standby, every change is applied exactly once, and changes succeed again', async (context) => {
  context.diagnostic(`SEED=${seed}`)
  const models = createClientModels(4)
  const unanswered = await sendChangesDuring(retryingClient, models, async () => {
    await waitForMoreChanges(models)
    await leader.crash()
    proxy.redirectTo(standby.url)
    await requireReadOnly()
    await query(second.DATABASE_URL, 'public', 'select pg_promote()')
    await waitForMoreChanges(models)
  })
  assert.ok(unanswered > 0, withSeed('some requests have no response'))
  await Promise.all(models.map((model) => resendAll(client, model)))
  await requireExactlyOnce(second, 'acme', models)
})
