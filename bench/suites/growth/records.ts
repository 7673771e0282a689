// Measures requests to tenants of different sizes, on one SQLite node.

import { join } from 'node:path'
import { withCatalog } from '../../../src/cli/context.ts'
import { readConfig } from '../../../src/config.ts'
import { customers } from '../../../src/domain/declarations/customers.ts'
import { requireTenant } from '../../../src/tenants/tenants.ts'
import { serversContender, startClients } from '../../harness/contenders.ts'
import { type Contender, type Effort, measureInTurn } from '../../harness/measure.ts'
import { type Operation, operations } from '../../harness/operations.ts'
import { startNode } from '../../harness/processes.ts'
import { type Row, toRows } from '../../harness/rows.ts'
import { indexAll, insertRecords } from '../../harness/seed/seed-database.ts'
import { seedTenants, serviceSettings, tenantSlug } from '../../harness/seed/tenants.ts'

const [create, read, firstPage, deepPage] = ['create', 'read by id', 'first page of 50', 'deep page of 50'] as const

const path = operations[0]!.paths[0]!

/** Records per transaction while tenants are seeded. */
const batchSize = 50_000

/** Measures one contender per size. The first contender is the baseline. */
export async function measureRecords(directory: string, sizes: readonly number[], effort: Effort): Promise<Row[]> {
  const environment = { ...serviceSettings, DATA_DIR: join(directory, 'rows') }
  await using cleanup = new AsyncDisposableStack()
  const tokens = await seedTenants(environment, sizes.length)
  for (const [index, size] of sizes.entries()) await fill(environment, tenantSlug(index + 1), size)
  const node = cleanup.adopt(await startNode(environment, join(directory, 'rows.log')), (each) => each.end())
  const clients = cleanup.adopt(startClients(), (each) => each.end())
  const contenders: Contender[] = []
  for (const [index, size] of sizes.entries()) {
    const token = tokens[index]!
    const contender = serversContender(`${size.toLocaleString('en')} records`, clients, [node], [token])
    contenders.push(sizeContender(contender, await operationsOf(node.url, token, size)))
  }
  const trials = [create, read, firstPage, deepPage].map((name) => ({
    // sizeContender replaces this placeholder with the operation of the same name.
    operation: { name, method: 'GET', paths: [] } satisfies Operation,
    connections: 64,
    tenants: 1,
  }))
  return toRows(await measureInTurn(contenders, trials, effort))
}

function sizeContender({ name, measure }: Contender, operations: Operation[]): Contender {
  return {
    name,
    measure: (trial, seconds) => {
      const operation = operations.find(({ name }) => name === trial.operation.name)!
      return measure({ ...trial, operation }, seconds)
    },
  }
}

/** Returns the operations for a tenant with `size` records. The ids are spread over all records, and the deep page
 *  starts after 85% of them. */
async function operationsOf(url: string, token: string, size: number): Promise<Operation[]> {
  const ids = Array.from({ length: 50 }, (_, index) => 1 + Math.floor((index * size) / 50))
  const cursor = await cursorAt(url, token, Math.floor(size * 0.85))
  return [
    { ...operations[0]!, name: create },
    { name: read, method: 'GET', paths: ids.map((id) => `${path}?id=${id}`) },
    { name: firstPage, method: 'GET', paths: [`${path}?limit=50`] },
    { name: deepPage, method: 'GET', paths: [`${path}?limit=50&cursor=${cursor}`] },
  ]
}

/** Follows the pages of the list. Returns a cursor to the page that starts after about `count` records. */
async function cursorAt(url: string, token: string, count: number): Promise<string> {
  let cursor = ''
  for (let skipped = 0; skipped + 200 <= count; skipped += 200) {
    const response = await fetch(`${url}${path}?limit=200${cursor && `&cursor=${cursor}`}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { page } = (await response.json()) as { page: { next_cursor: string } }
    cursor = page.next_cursor
  }
  return cursor
}

/** Inserts records and their history. */
async function fill(environment: Record<string, string>, slug: string, size: number): Promise<void> {
  await withCatalog(readConfig({ ...environment, LOG_LEVEL: 'warn' }), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, slug)
    for (let inserted = 0; inserted < size; inserted += batchSize) {
      await databases.write(tenant, ({ database }) =>
        insertRecords(database, 'customers', Math.min(batchSize, size - inserted), recordOf, inserted + 1),
      )
    }
    await databases.write(tenant, async ({ database }) => {
      await database.run(`
        insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set)
        select id, created_at, 'customers', id, 'create', null,
          json_object('name', name, 'code', code, 'email', email, 'phone', phone, 'city', city, 'country', country),
          'key', null, 'request-' || id, 'set-' || id
        from customers order by id`)
      await indexAll(database, customers)
    })
  })
}

const recordOf = (id: number) => ({
  name: `Branch ${id % 9973}`,
  code: `B-${id}`,
  email: `branch-${id}@example.com`,
  phone: '+49 40 123456',
  city: `City ${id % 997}`,
  country: 'DE',
})
