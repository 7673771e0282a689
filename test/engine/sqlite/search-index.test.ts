// The search index of SQLite consists of segments. The service merges them in small steps, so that no request has to
// wait long for a merge.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../../src/domain/declarations/all.ts'
import { createAllDeferredIndexes } from '../../support/databases/deferred-indexes.ts'
import { countUnindexed } from '../../support/databases/search-index.ts'
import { insertRecords, type TenantDatabase, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { startService } from '../../support/service.ts'

const { tenant, environment } = await startService({}, { workers: 1 })

async function hasAutomaticMerges(tenantDatabase: TenantDatabase): Promise<boolean[]> {
  const queries = resources.map(({ name }) =>
    tenantDatabase.all(`select v from ${name}_search_config where k = 'automerge'`),
  )
  return (await Promise.all(queries)).map(([setting]) => setting?.v !== 0)
}

test('automatic merges of the search index are disabled for every resource', async () => {
  await tenant('fresh')
  await createAllDeferredIndexes(environment, 'fresh')
  assert.deepEqual(await hasAutomaticMerges(await tenantDatabaseOf(environment, 'fresh')), [false, false, false])
})

test('indexing many records leaves few segments in the search index', async () => {
  const many = await tenant('many')
  await createAllDeferredIndexes(environment, 'many')
  const tenantDatabase = await tenantDatabaseOf(environment, 'many')
  const count = async (sql: string) => (await tenantDatabase.all(`select count(${sql}`))[0].count
  await insertRecords(tenantDatabase, 'customers', 7500, (n) => ({ name: 'N', search_text: `name and notes ${n}` }))
  assert.equal((await many('GET', '/customers.php?id=99999')).status, 404)
  await eventually('all records are indexed', async () => (await countUnindexed(tenantDatabase)) === 0)
  const segments = await count('distinct segid) as count from customers_search_idx')
  assert.ok(segments <= 6, `${segments} segments after 15 batches`)
})

test('records are indexed even if their tenant is never idle', async () => {
  const busy = await tenant('busy')
  await createAllDeferredIndexes(environment, 'busy')
  const tenantDatabase = await tenantDatabaseOf(environment, 'busy')
  await insertRecords(tenantDatabase, 'customers', 700, (n) => ({ name: 'N', search_text: `name ${n}` }))
  let unindexed = 700
  for (let round = 0; unindexed >= 500 && round < 1000; round++) {
    assert.equal((await busy('POST', '/customers.php', { name: 'One more' })).status, 201)
    unindexed = await countUnindexed(tenantDatabase)
  }
  assert.ok(unindexed < 500, `${unindexed} records are not indexed`)
})

test('the number of segments stays below 12 while long texts are indexed', async () => {
  const long = await tenant('long')
  await createAllDeferredIndexes(environment, 'long')
  const tenantDatabase = await tenantDatabaseOf(environment, 'long')
  const countSegments = async () =>
    (await tenantDatabase.all('select count(distinct segid) as count from customers_search_idx'))[0].count
  await tenantDatabase.run(`insert into customers (name, search_text, created_at, updated_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 600),
      signs (n) as (select 1 union all select n + 1 from signs where n < 1200)
    select 'N', (select group_concat(char(19968 + abs(random()) % 20000), '') from signs where numbers.n > 0), '', ''
    from numbers`)
  assert.equal((await long('GET', '/customers.php?id=99999')).status, 404)
  let highestCount = 0
  const isIndexed = async () => {
    highestCount = Math.max(highestCount, await countSegments())
    return (await countUnindexed(tenantDatabase)) === 0
  }
  await eventually('all records are indexed', isIndexed, { everyMs: 5 })
  assert.ok(highestCount > 1 && highestCount < 12, `there were ${highestCount} segments`)
})

test('a search in an indexed table finds new records, and deleted records that an undo has restored', async () => {
  const client = await tenant('restored')
  await createAllDeferredIndexes(environment, 'restored')
  const tenantDatabase = await tenantDatabaseOf(environment, 'restored')
  const indexed = () => eventually('all is indexed', async () => (await countUnindexed(tenantDatabase)) === 0)
  const search = async () => {
    const { body } = await client('GET', '/customers.php?q=harbour')
    return body.data.map(({ id }: { id: number }) => id)
  }
  for (const name of ['Harbour', 'Station', 'Harbour East'])
    assert.equal((await client('POST', '/customers.php', { name })).status, 201)
  assert.deepEqual(await search(), [1, 3], 'before they are indexed')
  await indexed()
  assert.deepEqual(await search(), [1, 3])
  const { headers } = await client('DELETE', '/customers.php?id=1')
  await indexed()
  assert.deepEqual(await search(), [3])
  assert.equal((await client('POST', '/undo.php', { change_set: headers['change-set'] })).status, 200)
  assert.deepEqual(await search(), [1, 3])
  await indexed()
  assert.deepEqual(await search(), [1, 3])
})
