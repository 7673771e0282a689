// Measures each statement of a tenant's summary (the panel's home page), without HTTP.
// node bench/studies/summary.ts [--rows 100000] [--postgres]

import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { table } from '../../src/cli/output.ts'
import type { Database, Value } from '../../src/database/database.ts'
import { summaryRequest } from '../../src/panel/pages/home/to-dos.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { newChangeSet } from '../../src/resources/records/changes.ts'
import { byId } from '../../src/resources/resource.ts'
import { recordOperations } from '../../src/storage/operations/records/records.ts'
import { type KnownSummary, summaryOperations } from '../../src/storage/operations/records/summary.ts'
import { insertRecords } from '../harness/seed/seed-database.ts'
import { type StudiedTenant, withStudiedTenant } from './start.ts'

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, postgres: { type: 'boolean', default: false } },
})
const rows = Number(options.rows)
let updateCount = 0
const [people, branches] = [Math.ceil(rows / 5), Math.ceil(rows / 300)]

await withStudiedTenant('summary', options.postgres, async (tenant) => {
  const { write, url } = tenant
  await write((database) => insertRecords(database, 'customers', branches, (id) => ({ name: `Branch ${id}` })))
  await write((database) => insertRecords(database, 'employees', people, (id) => person(id)))
  for (let inserted = 0; inserted < rows; inserted += 20_000)
    await write((database) =>
      insertRecords(database, 'hardware', Math.min(20_000, rows - inserted), asset, inserted + 1),
    )
  if (url) await vacuum(url)
  console.log(await measure(tenant))
})

/** One in ten people has left, and one in sixty is a storage location. */
function person(id: number): Record<string, Value> {
  return {
    customer_id: 1 + ((id * 7919) % branches),
    email: `person${id}@example.com`,
    kind: id % 60 === 0 ? 'storage' : 'person',
    is_active: id % 10 !== 0,
    end_date: id % 10 === 1 ? `2026-12-${10 + (id % 19)}` : null,
  }
}

function asset(id: number): Record<string, Value> {
  const mixed = (id * 2654435761) % 2 ** 32
  const choice = <T>(of: readonly T[]) => of[mixed % of.length]!
  return {
    employee_id: 1 + (mixed % people),
    name: `Item ${id}`,
    type: choice(hardware.fields.type.of),
    status: mixed % 3 === 0 ? hardware.fields.status.of[updateCount % 6]! : 'in_use',
    asset_tag: mixed % 50 === 0 ? null : `TD-${id}`,
    serial_number: mixed % 49 === 0 ? null : `SN-${mixed}-${id}`,
    manufacturer: choice(['Lenovo', 'Dell', 'HP', 'Apple']),
    purchase_cost: mixed % 500_000,
    warranty_end: `20${20 + (mixed % 10)}-${10 + (mixed % 3)}-${10 + (mixed % 19)}`,
    notes: mixed % 4 === 0 ? `bought for someone in room ${id}` : null,
  }
}

/** Autovacuum would do this eventually. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows: schemas } = await client.query(`select schemaname as name from pg_tables where tablename = 'hardware'`)
  for (const { name } of schemas)
    for (const resource of resources) await client.query(`vacuum analyze "${name}".${resource.name}`)
  await client.end()
}

/** Computes the summary, updates an asset, and then recomputes only the figures that the update has changed. Returns a
 *  table of each statement's shortest time, because other programs on the machine can slow down a run. */
async function measure({ write, read }: StudiedTenant): Promise<string> {
  const request = summaryRequest({
    resources,
    listTimeoutMs: 60_000,
    now: new Date('2026-11-23T12:00:00Z'),
    timeZone: 'UTC',
    noticeDays: 60,
  })
  const best = new Map<string, number>()
  const note = (name: string, milliseconds: number) =>
    best.set(name, Math.min(milliseconds, best.get(name) ?? Infinity))
  const summarize = (kind: string, known: KnownSummary | null) =>
    read(async (database) => {
      database.onStatement = (sql, milliseconds) => note(`${kind}: ${shortened(sql)}`, milliseconds)
      const [start, usageAtStart] = [performance.now(), process.cpuUsage()]
      const result = await summaryOperations.summary.run(database, resources, { ...request, known })
      note(`${kind}: all`, performance.now() - start)
      const { user, system } = process.cpuUsage(usageAtStart)
      note(`${kind}: CPU time of this process, which on SQLite includes the database`, (user + system) / 1000)
      database.onStatement = undefined
      return { seq: result.seq, version: result.version, summary: result.summary! }
    })
  const ids = Array.from({ length: 15 }, (_, index) => 100 * index + 1)
  for (const id of ids) await write((database) => update(database, id)) // so that these assets have a history
  for (const id of ids) {
    const known = await summarize('everything', null)
    await write((database) => update(database, id))
    const updated = await summarize('only what changed', known)
    assert.deepEqual(updated.summary, (await summarize('everything', null)).summary)
  }
  return table([['statement', 'ms'], ...[...best].map(([name, milliseconds]) => [name, milliseconds.toFixed(1)])])
}

function shortened(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').replace('case when id & 127 then 1 else within_budget() end', '…').slice(0, 120)
}

/** Assigns the asset to another person, and changes its status and cost. */
async function update(database: Database, id: number): Promise<void> {
  updateCount++
  const now = new Date()
  const actor = { command: true } as const
  const context = { now: now.toISOString(), actor, requestId: '', changeSet: newChangeSet(now) }
  const values = {
    status: hardware.fields.status.of[updateCount % 6]!,
    purchase_cost: id % 1000,
    employee_id: 1 + ((updateCount * 7919) % people),
  }
  const request = { action: 'update', resource: 'hardware', key: byId(id), ifMatch: null, values } as const
  await recordOperations.mutate.run(database, resources, { context, idempotency: null, request }, () => {})
}
