// Tenants take turns: a tenant with few requests does not have to wait until all requests of a busy tenant are done.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { customers } from '../../../src/domain/declarations/customers.ts'
import { emptyValue } from '../../../src/domain/declarations/resource.ts'
import { recordOperations } from '../../../src/domain/records/operations.ts'
import { openDatabases } from '../../../src/tenants/databases/open-databases.ts'
import { requireTenant, type Tenant } from '../../../src/tenants/tenants.ts'
import { createAllDeferredIndexes } from '../../support/databases/deferred-indexes.ts'
import { countUnindexed } from '../../support/databases/search-index.ts'
import { insertRecords, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { sizeOf } from '../../support/faults/files.ts'
import { makeTenant, startService, temporaryDirectory } from '../../support/service.ts'

const { tenant, environment } = await startService({}, { workers: 3 })

/** Counts the responses to concurrent requests. On a slow machine, some requests wait too long and are refused. */
function countResponses(requests: Promise<{ status: number }>[]): { count: () => number; all: Promise<unknown> } {
  let responses = 0
  const all = requests.map(async (request) => {
    assert.ok([200, 201, 503].includes((await request).status))
    responses++
  })
  return { count: () => responses, all: Promise.all(all) }
}

test("a tenant's change does not wait for all queued changes of another tenant on the same thread", async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  for (const slug of ['loud', 'quiet']) await makeTenant(settings, slug)
  await createAllDeferredIndexes(settings, 'loud') // so that executing a change takes much longer than sending it
  const databases = await openDatabases(readConfig(settings), resources, { workers: 1, queueTimeoutMs: 60_000 })
  after(databases.close)
  const [loud, quiet] = [
    await requireTenant(databases.catalog, 'loud'),
    await requireTenant(databases.catalog, 'quiet'),
  ]
  const engine = databases.startEngine() // without HTTP, so that all changes are queued at the same time
  const fields = Object.entries(customers.fields).map(([name, field]) => [name, emptyValue(field)])
  const values = { ...Object.fromEntries(fields), name: 'x', notes: 'note '.repeat(400) }
  const context = { now: new Date().toISOString(), actor: { apiKeyId: 'k' }, requestId: 'r', changeSet: 's' }
  const request = { action: 'create', resource: 'customers', values, location: '' } as const
  const create = (tenant: Tenant) =>
    engine.run(tenant, recordOperations.mutate, { context, idempotency: null, request })
  for (const target of [loud, quiet]) await create(target)
  const many = countResponses(Array.from({ length: 800 }, () => create(loud)))
  assert.equal((await create(quiet)).status, 201)
  assert.ok(many.count() < 400, `${many.count()} of 800 changes were completed first`)
  await many.all
})

test('long lists do not delay the reads and lists of another tenant', async () => {
  const [loud, quiet] = [await tenant('long'), await tenant('short')]
  for (const client of [loud, quiet]) await client('POST', '/customers.php', { name: 'first' })
  const tenantDatabase = await tenantDatabaseOf(environment, 'long')
  await insertRecords(tenantDatabase, 'customers', 40_000, (n) => ({ name: 'N', notes: `x${n}` }))
  for (const client of [loud, quiet]) await client('GET', '/customers.php')
  const many = countResponses(Array.from({ length: 40 }, () => loud('GET', '/customers.php?sort=-notes')))
  for (let round = 0; round < 3; round++) {
    assert.equal((await quiet('GET', '/customers.php?id=1')).status, 200)
    assert.equal((await quiet('GET', '/customers.php')).body.data.length, 1)
  }
  assert.ok(many.count() < 30, `${many.count()} of 40 lists were completed first`)
  await many.all
})

test('indexing a large tenant does not delay maintenance of another tenant', async () => {
  const service = await startService({}, { workers: 1 })
  const [large, small] = [await service.tenant('large'), await service.tenant('small')]
  for (const slug of ['large', 'small']) await createAllDeferredIndexes(service.environment, slug)
  const [largeDatabase, smallDatabase] = [
    await tenantDatabaseOf(service.environment, 'large'),
    await tenantDatabaseOf(service.environment, 'small'),
  ]
  await insertRecords(largeDatabase, 'customers', 60_000, (n) => ({ name: 'N', search_text: `name and notes ${n}` }))
  assert.equal((await large('GET', '/customers.php?id=99999')).status, 404)
  assert.equal((await small('POST', '/customers.php', { name: 'x' })).status, 201)
  await eventually('the small tenant is indexed', async () => (await countUnindexed(smallDatabase)) === 0)
  assert.ok((await countUnindexed(largeDatabase)) > 0, 'the large tenant is not fully indexed yet')
})

test('the write-ahead log of a tenant under full load is checkpointed regularly and stays small', async () => {
  const busy = await tenant('busy')
  const { id } = await tenantDatabaseOf(environment, 'busy')
  const log = join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite-wal`)
  let largest = 0
  for (let round = 0; round < 8; round++) {
    await Promise.all(Array.from({ length: 500 }, () => busy('POST', '/customers.php', { name: 'x' })))
    largest = Math.max(largest, sizeOf(log) ?? 0)
  }
  assert.ok(largest > 0 && largest < 8_000_000, `${largest} bytes`)
})
