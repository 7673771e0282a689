// Migrates a large tenant of the first version: a million records in the full run, fewer in the quick one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertRecords } from '../support/databases/tenant-database.ts'
import { boundedMs, eventually } from '../support/eventually.ts'
import { isFullRun } from '../support/faults/load.ts'
import { type Client, engine, type Json, startService, temporaryDirectory } from '../support/service.ts'
import { makeFirstVersionTenant } from '../support/versions/first-version.ts'
import { nextResources } from '../support/versions/next-version.ts'

const count = isFullRun ? 1_000_000 : 20_000

/** A million records take 13 s on SQLite with two cores. The limit leaves a margin for slow machines. */
const migrationLimitMs = 180_000

test('while a large tenant is migrated, another tenant is served, and no record is lost', async (t) => {
  const settings = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
  const { client, tenant } = await startService(settings, { resources: nextResources })
  const other = await tenant('small')
  await eventually('the small tenant is migrated', async () => (await other('GET', '/customers.php')).status === 200)
  const { token, tenantDatabase } = await makeFirstVersionTenant(settings, 'large')
  const json_tail = 'x'.repeat(340)
  const recordOf = (n: number) => ({ name: `Name ${n}`, notes: `note ${n}`, json_tail })
  await insertRecords(tenantDatabase, 'customers', count, recordOf)
  const [{ last }] = await tenantDatabase.all(`select last from counters where name = 'customers'`)

  const large = client(token)
  const start = performance.now()
  const migrated = eventually(
    'the large tenant is migrated',
    async () => {
      const response = await large('GET', `/customers.php?id=${last}`)
      return response.status === 200 && response.body
    },
    { withinMs: migrationLimitMs },
  )
  const durations = await requestUntil(migrated, other)
  const migrationMs = Math.round(performance.now() - start)
  const [median, p99, slowest] = [0.5, 0.99, 1].map((share) => durations[Math.ceil(durations.length * share) - 1]!)
  t.diagnostic(
    `${engine}, ${count} records: ${migrationMs} ms. ${durations.length} changes by the other tenant during the migration: ` +
      `median ${median} ms, p99 ${p99} ms, slowest ${slowest} ms`,
  )
  assert.ok(slowest! < boundedMs, `a change by the other tenant took ${slowest} ms`)
  const record: Json = await migrated
  assert.deepEqual([record.name, record.external_id, record.region], [`Name ${count}`, null, null])
  await large('PUT', `/customers.php?id=${last}`, { external_id: 'last' })
  const upserts = ['last', 'new'].map((id) =>
    large('PUT', `/customers.php?external_id=${id}`, { name: 'N', region: 'R' }),
  )
  const responses = await Promise.all(upserts)
  assert.deepEqual(
    responses.map(({ status, body }) => [status, body.id, body.region]),
    [
      [200, last, 'R'],
      [201, last + 1, 'R'],
    ],
  )
  const [{ records }] = await tenantDatabase.all('select count(*) as records from customers')
  assert.equal(records, last + 1)
})

/** Sends changes one after another until the promise settles. Returns their sorted durations, rounded to
 *  milliseconds. */
async function requestUntil(work: Promise<unknown>, client: Client): Promise<number[]> {
  const durations: number[] = []
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const start = performance.now()
    assert.equal((await client('POST', '/customers.php', { name: 'C' })).status, 201)
    durations.push(Math.round(performance.now() - start))
  }
  await over
  return durations.sort((a, b) => a - b)
}
