// Measures how long an undo takes, how much memory it uses, and how long another tenant's create requests wait during
// the undo.
// node bench/studies/undo.ts [--records 100000] [--engine sqlite|postgres]

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openPepper } from '../../src/catalog/pepper/pepper.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { customers } from '../../src/resources/declarations/customers.ts'
import { emptyValue } from '../../src/resources/resource.ts'
import type { UndoRequest } from '../../src/storage/operations/history/undo.ts'
import type { StoredResponse } from '../../src/storage/responses/stored-response.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { createTenant } from '../../src/tenants/tenants.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'

const { values: options } = parseArgs({
  options: { records: { type: 'string', default: '100000' }, engine: { type: 'string', default: 'sqlite' } },
})
const records = Number(options.records)

const DATA_DIR = mkdtempSync(join(tmpdir(), 'tenantdesk-undo-'))
await using cleanup = new AsyncDisposableStack()
cleanup.defer(() => rmSync(DATA_DIR, { recursive: true, force: true }))
const server =
  options.engine === 'postgres' ? cleanup.adopt(await startDatabaseServer(), (each) => each.end()) : undefined
const DATABASE_URL = server ? await server.createDatabase('undo') : ''
const config = readConfig({ DATA_DIR, DATABASE_URL, LOG_LEVEL: 'silent' })
const opened = cleanup.adopt(await openDatabases(config, resources, { workers: 1 }), (each) => each.close())
await openPepper(opened.catalog, DATA_DIR, config.API_KEY_PEPPER)
const actor = { now: new Date(), by: null, address: null, agent: null }
const [tenant, other] = await Promise.all(
  ['large', 'other'].map((slug) => createTenant(opened.catalog, opened.databases, { slug }, actor)),
)

const emptyFields = Object.fromEntries(
  Object.entries(customers.fields).map(([name, field]) => [name, emptyValue(field)]),
)
const creationSet = randomUUID()
const contextOf = (changeSet: string) => ({
  now: new Date().toISOString(),
  actor: { apiKeyId: 'k' },
  requestId: 'r',
  changeSet,
})
const storage = opened.openStorage()
const create = (target: typeof tenant, name: string, changeSet: string) =>
  storage.run(target!, 'mutate', {
    context: contextOf(changeSet),
    idempotency: null,
    request: { action: 'create', resource: 'customers', values: { ...emptyFields, name, city: 'City' }, location: '' },
  })
for (let first = 0; first < records; first += 100)
  await Promise.all(
    Array.from({ length: Math.min(100, records - first) }, (_, n) =>
      create(tenant, `Branch ${first + n}`, creationSet),
    ),
  )
await create(other, 'first', randomUUID())

let changeSet: string | null = creationSet
for (const title of ['creations', 'deletions', 'creations']) {
  const waits: number[] = []
  let isRunning = true
  const memoryBefore = process.memoryUsage.rss()
  let highestMemory = memoryBefore
  const creating = (async () => {
    while (isRunning) {
      const start = performance.now()
      await create(other, 'concurrent', randomUUID())
      waits.push(performance.now() - start)
      highestMemory = Math.max(highestMemory, process.memoryUsage.rss())
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  const start = performance.now()
  const request: UndoRequest = { changeSet: changeSet!, dryRun: false, changeable: ['customers'] }
  const context = contextOf(randomUUID())
  const { status, body }: StoredResponse = await storage.run(tenant!, 'undo', { context, idempotency: null, request })
  const seconds = (performance.now() - start) / 1000
  isRunning = false
  await creating
  changeSet = JSON.parse(body).change_set
  const sorted = waits.toSorted((a, b) => a - b)
  console.log(
    `${records} ${title} undone (${status}) in ${seconds.toFixed(1)} s, memory +${Math.round((highestMemory - memoryBefore) / 2 ** 20)} MiB; another ` +
      `tenant's creates: ${waits.length}, p99 ${sorted[Math.floor(sorted.length * 0.99)]!.toFixed(0)} ms, longest ${sorted.at(-1)!.toFixed(0)} ms`,
  )
}
