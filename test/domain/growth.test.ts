// A small table has no indexes for sorting and searching, because they would slow down creations more than they speed
// up lists. A table with 2,000 records has all these indexes.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { customers } from '../../src/domain/declarations/customers.ts'
import { timestampColumns } from '../../src/domain/declarations/resource.ts'
import { insertRecords, schemaOf, type TenantDatabase, tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { engine, startService } from '../support/service.ts'

const { tenant, environment } = await startService()

/** Every index's columns. */
const allIndexes = [...Object.keys(customers.fields), ...timestampColumns, 'search', 'titles']
/** The unique index, which exists from the start. */
const initialIndexes = ['external_id']

/** Inserts records without the service. */
async function fill(tenantDatabase: TenantDatabase, count: number): Promise<void> {
  await insertRecords(tenantDatabase, 'customers', count, (n) => ({ name: `Name ${n}`, city: `City ${n % 7}` }))
}

/** The existing indexes, by their names in `allIndexes`. */
async function indexesIn(tenantDatabase: TenantDatabase): Promise<string[]> {
  const names = new Set((await schemaOf(tenantDatabase)).map(({ name, part }) => (engine === 'sqlite' ? name : part)))
  return allIndexes.filter((name) => names.has(`customers_${name}`))
}

test('the 2,000th record adds all indexes for sorting and searching to a table, and lists stay the same', async () => {
  const acme = await tenant('acme')
  const tenantDatabase = await tenantDatabaseOf(environment, 'acme')
  await fill(tenantDatabase, 1998)
  assert.equal((await acme('POST', '/customers.php', { name: 'The last but one' })).body.id, 1999)
  assert.deepEqual(await indexesIn(tenantDatabase), initialIndexes)
  const queries = ['sort=name', 'sort=-city', 'sort=notes', 'sort=-updated_at', 'q=LAST', 'q=e+last+but']
  const paths = queries.map((query) => `/customers.php?limit=100&${query}`)
  const before = await Promise.all(paths.map((path) => acme('GET', path)))
  assert.equal((await acme('POST', '/customers.php', { name: 'Zenith', city: '', notes: 'n' })).body.id, 2000)
  assert.deepEqual(await indexesIn(tenantDatabase), allIndexes)
  assert.equal((await acme('DELETE', '/customers.php?id=2000')).status, 200)
  for (const [at, path] of paths.entries()) {
    assert.equal(before[at]!.body.data.length, queries[at]!.startsWith('sort') ? 100 : 1)
    assert.deepEqual((await acme('GET', path)).body.data, before[at]!.body.data, path)
  }
})

test('concurrent creations succeed while indexes are added to their table, and asset tags stay unique', async () => {
  const busy = await tenant('busy')
  const tenantDatabase = await tenantDatabaseOf(environment, 'busy')
  const customer_id = (await busy('POST', '/customers.php', { name: 'C' })).body.id
  const employee_id = (await busy('POST', '/employees.php', { customer_id, email: 'ada@example.com' })).body.id
  await insertRecords(tenantDatabase, 'hardware', 1960, () => ({ employee_id }))
  const tags = Array.from({ length: 120 }, (_, index) => `TD-${index >> 1}`) // each tag occurs twice
  const responses = await Promise.all(
    tags.map((asset_tag) =>
      busy('POST', '/hardware.php', { employee_id, asset_tag }, { 'idempotency-key': randomUUID() }),
    ),
  )
  assert.deepEqual(
    responses.map(({ status }) => status).sort(),
    tags.map((_, index) => (index < 60 ? 201 : 422)),
  )
  assert.ok((await schemaOf(tenantDatabase)).some(({ name, part }) => [name, part].includes('hardware_search')))
  assert.equal((await busy('GET', '/hardware.php?q=td-&limit=200&sort=-asset_tag')).body.data.length, 60)
})

test('if the 2,000th record is inserted without the service, the 3,000th adds the indexes', async () => {
  const late = await tenant('late')
  const tenantDatabase = await tenantDatabaseOf(environment, 'late')
  await fill(tenantDatabase, 2998)
  await late('POST', '/customers.php', { name: 'The last but one' })
  assert.deepEqual(await indexesIn(tenantDatabase), initialIndexes)
  assert.equal((await late('POST', '/customers.php', { name: 'One more' })).body.id, 3000)
  assert.deepEqual(await indexesIn(tenantDatabase), allIndexes)
})
