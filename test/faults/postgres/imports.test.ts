// An import continues on another node after its node is killed, and on another server after its tenant moves there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, uploadImport, waitForImport } from '../../support/api/imports.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type Client,
  command,
  makeTenant,
  networkClient,
  startProcess,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

/** Enough rows that the import is still running when the test reads its state, and few enough to be applied in time. */
const rows = 3000
const file = ['external_id,name', ...Array.from({ length: rows }, (_, index) => `x-${index},Branch ${index}`)].join(
  '\n',
)

async function startImport(client: Client): Promise<number> {
  return (await uploadImport(client, 'resource=customers&mode=valid_rows', file)).body.id
}

async function stateOf(client: Client, id: number): Promise<string> {
  return (await client('GET', `/imports.php?id=${id}`)).body.state
}

/** Asserts that every row was applied exactly once, and that the history contains exactly one change per row. */
async function requireAppliedOnce(client: Client, id: number): Promise<void> {
  const done = await waitForImport(client, id)
  assert.deepEqual([done.state, countsOf(done)], ['done', `${rows} 0 0 0`])
  assert.equal((await client('GET', '/customers.php?total=true&limit=1')).body.page.total, rows)
  const { page } = (await client('GET', '/changes.php?limit=1')).body
  assert.equal(page.latest, rows)
}

test('another node continues the import of a killed node', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(environment, 'acme')
  const first = await startProcess(environment, { nodes: 1 })
  const second = await startProcess(environment, { nodes: 1 })
  const id = await startImport(networkClient(first.url, token))
  const client = networkClient(second.url, token)
  await eventually('rows are being applied', async () => (await stateOf(client, id)) === 'running')
  await first.end('SIGKILL')
  assert.equal(await stateOf(client, id), 'running')
  await requireAppliedOnce(client, id)
  await second.end('SIGTERM')
})

test('an import continues on the server to which its tenant has moved', async () => {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const { environment, tenant } = await startService({ DATABASE_URL: '' }, { jobPollIntervalMs: 20 })
  const acme = await tenant('acme')
  await command(environment, 'server', 'add', 'other', DATABASE_URL)
  const id = await startImport(acme)
  const database = await tenantDatabaseOf(environment, 'acme')
  // Simulates a lease held by another node, so that the import is unfinished when the tenant moves.
  const until = new Date(Date.now() + 8000).toISOString()
  await database.run(`update jobs set lease_token = 'another node', lease_until = '${until}'`)
  const moved = await command(environment, 'tenant', 'move', 'acme', '--to', 'other')
  assert.equal(moved.exitCode, 0, moved.stderr)
  assert.ok(['checking', 'running'].includes(await stateOf(acme, id)))
  await requireAppliedOnce(acme, id)
})
