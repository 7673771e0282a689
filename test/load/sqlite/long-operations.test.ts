// A bulk request takes many time slices of its writer thread. Other tenants are served between these slices, while the
// transaction of the bulk request is open.

import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { customers } from '../../../src/domain/declarations/customers.ts'
import { byId, emptyValue } from '../../../src/domain/declarations/resource.ts'
import { bulkOperations } from '../../../src/domain/records/bulk.ts'
import { newChangeSet } from '../../../src/domain/records/changes.ts'
import { recordOperations } from '../../../src/domain/records/operations.ts'
import { Unavailable } from '../../../src/engine/database/database.ts'
import { openDatabases } from '../../../src/tenants/databases/open-databases.ts'
import { requireTenant, type Tenant } from '../../../src/tenants/tenants.ts'
import { makeTenant, temporaryDirectory } from '../../support/service.ts'

const settings = { DATA_DIR: temporaryDirectory() }
for (const slug of ['loud', 'quiet']) await makeTenant(settings, slug)
const opened = await openDatabases(readConfig(settings), resources, { workers: 1, queueTimeoutMs: 60_000 })
let isOpen = true
after(() => isOpen && opened.close())
const [loud, quiet] = [await requireTenant(opened.catalog, 'loud'), await requireTenant(opened.catalog, 'quiet')]
const engine = opened.startEngine()

const fields = Object.entries(customers.fields).map(([name, field]) => [name, emptyValue(field)])
const values = { ...Object.fromEntries(fields), name: 'x', notes: 'note '.repeat(100) }
const change = { action: 'create', resource: 'customers', values, location: '' } as const

const input = <Request extends object>(request: Request) => ({
  context: {
    now: new Date().toISOString(),
    actor: { apiKeyId: 'k' },
    requestId: 'r',
    changeSet: newChangeSet(new Date()),
  },
  idempotency: null,
  request,
})
const create = (tenant: Tenant) => engine.run(tenant, recordOperations.mutate, input(change))
const find = (tenant: Tenant, id: number) =>
  engine.run(tenant, recordOperations.find, { resource: 'customers', key: byId(id) })

/** The operations in a bulk request that runs for hundreds of milliseconds. */
const operations = Array.from({ length: 4000 }, () => change)
const bulk = () => engine.run(loud, bulkOperations.bulk, input({ mode: 'all_or_nothing', operations } as const))

for (const tenant of [loud, quiet]) await create(tenant)
await engine.migrate(loud) // starts the reader thread that runs migrations

test('during a bulk request, changes of other tenants and reads of the same tenant succeed; changes of the same tenant wait', async () => {
  const ended: string[] = []
  const ends = (name: string, work: Promise<unknown>) => work.then(() => void ended.push(name))
  const running = ends('bulk', bulk())
  const own = ends('own change', create(loud))
  for (const round of [1, 2]) {
    await ends(`other change ${round}`, create(quiet))
    assert.equal(await find(loud, 2), null, 'uncommitted records are not visible')
  }
  await Promise.all([running, own])
  assert.deepEqual(ended, ['other change 1', 'other change 2', 'bulk', 'own change'])
  assert.ok(await find(loud, 4002))
})

test("a bulk request applies nothing if its tenant's file is moved away during the request", async () => {
  const file = join(settings.DATA_DIR, 'tenants', loud.id.slice(0, 2), `${loud.id}.sqlite`)
  const running = assert.rejects(bulk(), Unavailable)
  await create(quiet)
  renameSync(file, `${file}.away`)
  await running
  renameSync(`${file}.away`, file)
  const { body } = await create(loud)
  assert.equal(JSON.parse(body).id, 4003)
})

test('a bulk request that has started is completed when the server stops', async () => {
  const running = bulk()
  await create(quiet)
  isOpen = false
  await opened.close()
  assert.equal((await running).status, 200)
})
