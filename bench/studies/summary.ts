// The cost of a tenant's summary, by statement, without HTTP.
// node bench/studies/summary.ts [--rows 100000] [--postgres]

import { parseArgs } from 'node:util'
import pg from 'pg'
import { table } from '../../src/cli/output.ts'
import type { Database, Value } from '../../src/database/database.ts'
import { summaryRequest } from '../../src/panel/pages/home/to-dos.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { summarize } from '../../src/resources/summary/summary.ts'
import { insertRecords } from '../harness/seed-database.ts'
import { withStudiedTenant } from './start.ts'

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, postgres: { type: 'boolean', default: false } },
})
const rows = Number(options.rows)
const [people, branches] = [Math.ceil(rows / 5), Math.ceil(rows / 300)]

await withStudiedTenant('summary', options.postgres, async ({ write, read, url }) => {
  await write((database) => insertRecords(database, 'customers', branches, (at) => ({ name: `Branch ${at}` })))
  await write((database) => insertRecords(database, 'employees', people, (at) => person(at)))
  for (let done = 0; done < rows; done += 20_000)
    await write((database) => insertRecords(database, 'hardware', Math.min(20_000, rows - done), piece, done + 1))
  if (url) await vacuum(url)
  console.log(await read(measure))
})

/** One in ten has left, one in sixty is a place. */
function person(at: number): Record<string, Value> {
  return {
    customer_id: 1 + ((at * 7919) % branches),
    email: `person${at}@example.com`,
    kind: at % 60 === 0 ? 'storage' : 'person',
    is_active: at % 10 !== 0,
    end_date: at % 10 === 1 ? `2026-12-${10 + (at % 19)}` : null,
  }
}

function piece(at: number): Record<string, Value> {
  const mixed = (at * 2654435761) % 2 ** 32
  const choice = <T>(of: readonly T[]) => of[mixed % of.length]!
  return {
    employee_id: 1 + (mixed % people),
    name: `Item ${at}`,
    type: choice(hardware.fields.type.of),
    status: mixed % 3 === 0 ? choice(hardware.fields.status.of) : 'in_use',
    asset_tag: mixed % 50 === 0 ? null : `TD-${at}`,
    serial_number: mixed % 49 === 0 ? null : `SN-${mixed}-${at}`,
    manufacturer: choice(['Lenovo', 'Dell', 'HP', 'Apple']),
    purchase_cost: mixed % 500_000,
    warranty_end: `20${20 + (mixed % 10)}-${10 + (mixed % 3)}-${10 + (mixed % 19)}`,
    notes: mixed % 4 === 0 ? `bought for somebody in room ${at}` : null,
  }
}

/** What autovacuum would do eventually. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows: schemas } = await client.query(`select schemaname as name from pg_tables where tablename = 'hardware'`)
  for (const { name } of schemas)
    for (const each of resources) await client.query(`vacuum analyze "${name}".${each.name}`)
  await client.end()
}

/** The fastest of some runs: others are slowed by whatever else the machine does. */
async function measure(database: Database): Promise<string> {
  const request = summaryRequest({ resources, listTimeoutMs: 60_000, now: new Date('2026-11-23T12:00:00Z') }, 60)
  const best = new Map<string, number>()
  const note = (name: string, milliseconds: number) =>
    best.set(name, Math.min(milliseconds, best.get(name) ?? Infinity))
  for (let run = 0; run < 15; run++) {
    database.onStatement = (sql, milliseconds) =>
      note(
        sql.replaceAll(/\s+/g, ' ').replace('case when id & 127 then 1 else within_budget() end', '…').slice(0, 120),
        milliseconds,
      )
    const start = performance.now()
    const used = process.cpuUsage()
    await summarize(database, resources, request)
    note('all', performance.now() - start)
    const { user, system } = process.cpuUsage(used)
    note('processor time of this process, which with SQLite is all of it', (user + system) / 1000)
  }
  return table([['statement', 'ms'], ...[...best].map(([name, milliseconds]) => [name, milliseconds.toFixed(1)])])
}
