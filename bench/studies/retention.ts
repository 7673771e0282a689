// Measures how large a long history is, how long its removal takes, and how long another tenant's create requests wait
// meanwhile.
// node bench/studies/retention.ts [--changes 1000000] [--records 100000] [--engine sqlite|postgres]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openPepper } from '../../src/catalog/pepper/pepper.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { customers } from '../../src/resources/declarations/customers.ts'
import { newChangeSet } from '../../src/resources/records/changes.ts'
import { emptyValue } from '../../src/resources/resource.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { openHistoryArchive } from '../../src/tenants/retention/history-archive.ts'
import { removeOldHistory } from '../../src/tenants/retention/retention.ts'
import { readTenantStats } from '../../src/tenants/tenant-stats.ts'
import { createTenant } from '../../src/tenants/tenants.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'

const { values: options } = parseArgs({
  options: {
    changes: { type: 'string', default: '1000000' },
    records: { type: 'string', default: '100000' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const [changes, records] = [Number(options.changes), Number(options.records)]

const DATA_DIR = mkdtempSync(join(tmpdir(), 'tenantdesk-retention-'))
await using cleanup = new AsyncDisposableStack()
cleanup.defer(() => rmSync(DATA_DIR, { recursive: true, force: true }))
const server =
  options.engine === 'postgres' ? cleanup.adopt(await startDatabaseServer(), (each) => each.end()) : undefined
const DATABASE_URL = server ? await server.createDatabase('retention') : ''
const config = readConfig({ DATA_DIR, DATABASE_URL, LOG_LEVEL: 'silent' })
const opened = cleanup.adopt(await openDatabases(config, resources, { workers: 1 }), (each) => each.close())
const { catalog, databases } = opened
await openPepper(catalog, DATA_DIR, config.API_KEY_PEPPER)
const actor = { now: new Date(), by: null, address: null, agent: null }
const largeTenant = await createTenant(catalog, databases, { slug: 'large' }, actor)
const other = await createTenant(catalog, databases, { slug: 'other' }, actor)

const fields = Object.fromEntries(Object.entries(customers.fields).map(([name, field]) => [name, emptyValue(field)]))
const storage = opened.openStorage()

async function create(tenant: typeof largeTenant, name: string): Promise<void> {
  const now = new Date()
  await storage.run(tenant, 'mutate', {
    context: { now: now.toISOString(), actor: { apiKeyId: 'k' }, requestId: 'r', changeSet: newChangeSet(now) },
    idempotency: null,
    request: { action: 'create', resource: 'customers', values: { ...fields, name, city: 'City' }, location: '' },
  })
}

/** Inserts records and a year of history directly into the database. The history contains the creation of each
 *  record and updates to its city. */
async function fill(): Promise<void> {
  const dayOf = (seq: number) => new Date(Date.now() - 365 * 86_400_000 * (1 - seq / (changes + 1))).toISOString()
  const rowsPerStatement = 500
  for (let first = 1; first <= records; first += rowsPerStatement) {
    await databases.write(largeTenant, async ({ database }) => {
      const ids = Array.from({ length: Math.min(rowsPerStatement, records - first + 1) }, (_, index) => first + index)
      const placeholders = ids.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')
      await database.run(
        `insert into customers (id, name, city, type, is_active, created_at, updated_at) values ${placeholders}`,
        ids.flatMap((id) => [id, `Branch ${id}`, 'City', 'branch', true, dayOf(id), dayOf(id)]),
      )
    })
  }
  for (let first = 1; first <= changes; first += rowsPerStatement) {
    await databases.write(largeTenant, async ({ database }) => {
      const seqs = Array.from({ length: Math.min(rowsPerStatement, changes - first + 1) }, (_, index) => first + index)
      const placeholders = seqs.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')
      await database.run(
        `insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, request_id, change_set) values ${placeholders}`,
        seqs.flatMap((seq) => {
          const id = ((seq - 1) % records) + 1
          const [before, after] =
            seq <= records
              ? [null, { ...fields, name: `Branch ${id}`, city: 'City' }]
              : [{ city: `City ${seq}` }, { city: 'City' }]
          const texts = [before, after].map((values) => values && JSON.stringify(values))
          return [
            seq,
            dayOf(seq),
            'customers',
            id,
            seq <= records ? 'create' : 'update',
            ...texts,
            '4fJq8sLw2Z',
            crypto.randomUUID(),
            newChangeSet(new Date(dayOf(seq))),
          ]
        }),
      )
    })
  }
  await databases.write(largeTenant, async ({ database }) => {
    await database.run('update counters set last = ? where name = ?', [records, 'customers'])
  })
}

/** Runs `action`. Prints its duration, the history's size afterwards, and the latency of another tenant's create
 *  requests. */
async function report(title: string, action: () => Promise<unknown>): Promise<void> {
  const waits: number[] = []
  let isRunning = true
  const creating = (async () => {
    while (isRunning) {
      const start = performance.now()
      await create(other, 'concurrent')
      waits.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  const start = performance.now()
  await action()
  const seconds = (performance.now() - start) / 1000
  isRunning = false
  await creating
  const sorted = waits.toSorted((a, b) => a - b)
  const { bytes, history_bytes: history, changes: remaining } = await readTenantStats(databases, resources, largeTenant)
  const megabytes = (value: number) => `${Math.round(value / 1e6)} MB`
  console.log(
    `${title}: ${seconds.toFixed(1)} s; ${remaining} changes, ${megabytes(bytes)}, including ${megabytes(history)} of history; another tenant's ` +
      `creates: ${waits.length}, p99 ${sorted[Math.floor(sorted.length * 0.99)]!.toFixed(0)} ms, longest ${sorted.at(-1)!.toFixed(0)} ms`,
  )
}

await fill()
await create(other, 'first')
await create(largeTenant, 'first')
await report('keeping everything', () => new Promise((resolve) => setTimeout(resolve, 10_000)))
const removal = {
  catalog,
  storage,
  now: () => new Date(),
  signal: new AbortController().signal,
  defaultDays: 90,
  archive: openHistoryArchive(join(DATA_DIR, 'archive')),
  report: (_: unknown, error: Error) => console.error(error),
}
await report('removing history older than 90 days, with an archive', () => removeOldHistory(removal))
await report('compacting, and the first change afterwards', async () => {
  await storage.compact(largeTenant)
  await create(largeTenant, 'afterwards')
})
