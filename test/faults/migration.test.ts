// A migration of a large tenant: a million records in the full form, a sample of them in the quick one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { isFull } from '../support/load.ts'
import { nextResources } from '../support/next-version.ts'
import { engine, type Json, makeTenant, startService, temporaryDirectory } from '../support/service.ts'
import { insertRecords, tenantDatabaseOf } from '../support/tenant-database.ts'

const count = isFull ? 1_000_000 : 20_000

/** A million records that were inserted without indexes take 25 s on two busy cores, most of it for the deferred indexes. */
const migrationLimitMs = 120_000

test('a large tenant gets a new field while another tenant is served, and keeps every record', async (t) => {
  const settings = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
  const { client, tenant } = await startService(settings, { resources: nextResources })
  const other = await tenant('small')
  await eventually('the small tenant is migrated', async () => (await other('GET', '/customers.php')).status === 200)
  const large = client(await makeTenant(settings, 'large')) // in the old version, like every tenant of the command line
  const database = await tenantDatabaseOf(settings, 'large')
  const columns = { name: `'Name ' || n`, notes: `'note ' || n`, json_tail: `'${'x'.repeat(340)}'` }
  await insertRecords(database, 'customers', count, columns)

  const start = performance.now()
  let isMigrated = false
  const migrated = eventually(
    'the large tenant is migrated',
    async () => {
      const response = await large('GET', `/customers.php?id=${count}`)
      return response.status === 200 && response.body
    },
    { withinMs: migrationLimitMs },
  ).finally(() => {
    isMigrated = true
  })
  let responses = 0
  for (; !isMigrated; responses++) {
    assert.equal((await other('POST', '/customers.php', { name: 'C' })).status, 201)
  }
  const record: Json = await migrated
  t.diagnostic(
    `${engine}, ${count} records: ${Math.round(performance.now() - start)} ms, ${responses} responses meanwhile`,
  )
  assert.deepEqual([record.name, record.region], [`Name ${count}`, null])
  assert.equal((await large('POST', '/customers.php', { name: 'C', region: 'R' })).body.id, count + 1)
  const [{ records }] = await database.all('select count(*) as records from customers')
  assert.equal(records, count + 1)
})
