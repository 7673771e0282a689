// Measures exports of a large list: records per second, how much memory the node uses, and the latencies of another
// tenant during an export.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import type { Value } from '../../src/engine/database/database.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import type { LoadResult } from '../harness/load/latencies.ts'
import type { LoadOptions } from '../harness/load/load.ts'
import type { QuietTenantOptions } from '../harness/load/quiet-tenant.ts'
import { memoryOf } from '../harness/machine.ts'
import type { Effort } from '../harness/measure.ts'
import { type Operation, operations } from '../harness/operations.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, startNode, whenIdle } from '../harness/processes.ts'
import { medians } from '../harness/rows.ts'
import { insertRecords } from '../harness/seed/seed-database.ts'
import { seedTenants, serviceSettings, tenantSlug } from '../harness/seed/tenants.ts'

const figureNames = ['rate', 'memory', 'p50', 'p99'] as const

/** `rate`: records per second. `memory`: growth of the node's resident memory, in MiB. `p50` and `p99`: latencies of
 *  another tenant's reads during the export, in milliseconds. */
type Figures = Record<(typeof figureNames)[number], number>
/** `alone`: p99 of the other tenant's reads without an export, in milliseconds. */
export type ExportsOutcome = {
  engine: string
  records: number
  alone: number
  exports: (Figures & { name: string })[]
}

/** `isWriting`: the tenant changes assets during the export, so the export has to reconstruct their earlier values. */
type Case = { name: string; query: string; isWriting?: true }

const cases: Case[] = [
  { name: 'CSV', query: 'format=csv' },
  { name: 'CSV with three columns', query: 'format=csv&fields=id,asset_tag,name' },
  { name: 'CSV sorted by name', query: 'format=csv&sort=name' },
  { name: 'CSV during writes', query: 'format=csv', isWriting: true },
  { name: 'NDJSON', query: 'format=ndjson' },
]

const [create, , read] = [operations[0]!, operations[1]!, operations[2]!]

type Callers = {
  server: Server
  tokens: string[]
  quiet: LoadProcess<QuietTenantOptions>
  writer: LoadProcess<LoadOptions>
}

export async function measureExports(directory: string, effort: Effort): Promise<ExportsOutcome[]> {
  mkdirSync(directory)
  // Seeding PostgreSQL takes longer.
  const [sqliteRecords, postgresRecords] = effort.isCheck ? [20_000, 20_000] : [1_000_000, 200_000]
  const settings = { ...serviceSettings, DATA_DIR: join(directory, 'data') }
  const sqlite = await measureEngine('SQLite', settings, sqliteRecords, effort)
  await using cleanup = new AsyncDisposableStack()
  const database = cleanup.adopt(await startDatabaseServer(), (each) => each.end())
  const postgresSettings = { ...settings, DATA_DIR: join(directory, 'postgres'), DATABASE_URL: database.url }
  return [sqlite, await measureEngine('PostgreSQL', postgresSettings, postgresRecords, effort)]
}

async function measureEngine(
  engine: string,
  settings: typeof serviceSettings & { DATA_DIR: string },
  records: number,
  effort: Effort,
): Promise<ExportsOutcome> {
  const tokens = await seedTenants(settings, 2)
  await seed(settings, records)
  await using cleanup = new AsyncDisposableStack()
  const server = cleanup.adopt(await startNode(settings, `${settings.DATA_DIR}.log`), (each) => each.end())
  const quiet = cleanup.adopt(startLoadProcess<QuietTenantOptions>('harness/load/quiet-tenant.ts'), (each) =>
    each.end(),
  )
  const writer = cleanup.adopt(startLoadProcess<LoadOptions>('harness/load/load.ts'), (each) => each.end())
  const callers = { server, tokens, quiet, writer }
  await quiet.measure({ url: server.url, tokens: [tokens[1]!], operation: create, seconds: 1 })
  const alone = await callQuietly(callers, 3)
  await exportOnce(callers, { query: 'format=csv&id[lte]=20000' }, 20_000) // a warm-up, because V8 is still compiling
  await updateOnce(callers, updateOfAssets(records))
  const rounds = new Map<string, Figures[]>(cases.map(({ name }) => [name, []]))
  for (let round = 0; round < effort.rounds; round++)
    for (const each of cases) rounds.get(each.name)!.push(await measureCase(callers, each, records))
  const exports = [...rounds].map(([name, figures]) => ({ name, ...medians(figures, figureNames) }))
  return { engine, records, alone: alone.p99, exports }
}

/** Exports the list twice. The first export's duration determines how long the other tenant reads during the
 *  second one. */
async function measureCase(callers: Callers, each: Case, records: number): Promise<Figures> {
  const { server, tokens, writer } = callers
  await whenIdle(server)
  const memoryBefore = memoryOf(server.pid)
  let highestMemory = memoryBefore
  const memoryTimer = setInterval(() => {
    highestMemory = Math.max(highestMemory, memoryOf(server.pid))
  }, 20)
  const expectedSeconds = (await exportOnce(callers, each, records)) * 0.8
  const exporting = exportOnce(callers, each, records)
  const operation = updateOfAssets(records)
  const load = { urls: [server.url], tokens: [tokens[0]!], operation, connections: 4, seconds: expectedSeconds }
  const [{ p50, p99 }] = await Promise.all([
    callQuietly(callers, Math.max(0.5, expectedSeconds)),
    each.isWriting && writer.measure(load),
  ])
  const rate = records / (await exporting)
  clearInterval(memoryTimer)
  return { rate, memory: highestMemory - memoryBefore, p50, p99 }
}

/** Returns an operation that updates assets throughout the list. Consecutive updates to an asset differ. */
function updateOfAssets(records: number): Operation {
  const count = 1000
  return {
    name: 'update of assets',
    method: 'PUT',
    paths: Array.from({ length: count }, (_, index) => `/hardware.php?id=${1 + Math.floor((index * records) / count)}`),
    bodies: Array.from({ length: count + 1 }, (_, index) => JSON.stringify({ notes: `seen ${index} times` })),
  }
}

/** Updates each of the assets once, so that each has a history from which exports can reconstruct its earlier
 *  values. */
async function updateOnce({ server, tokens }: Callers, { method, paths }: Operation): Promise<void> {
  const headers = { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' }
  for (const path of paths) {
    const response = await fetch(server.url + path, { method, headers, body: '{"notes":"new"}' })
    if (!response.ok) throw new Error(`An update returned ${response.status}.`)
  }
}

function callQuietly({ server, tokens, quiet }: Callers, seconds: number): Promise<LoadResult> {
  const operation = { ...read, paths: [`${create.paths[0]}?id=1`, create.paths[0]!] }
  return quiet.measure({ url: server.url, tokens: [tokens[1]!], operation, seconds })
}

/** Returns the export's duration in seconds. Throws if records are missing. */
async function exportOnce(
  { server, tokens }: Callers,
  { query }: Pick<Case, 'query'>,
  records: number,
): Promise<number> {
  const start = performance.now()
  const headers = { authorization: `Bearer ${tokens[0]}` }
  const response = await fetch(`${server.url}/hardware.php?${query}`, { headers })
  let lines = 0
  for await (const chunk of response.body!) lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1
  if (lines < records) throw new Error(`An export of ${records} records has only ${lines} lines.`)
  return (performance.now() - start) / 1000
}

/** The number of employees, who hold equal shares of the hardware. */
const people = 1000

/** A single transaction is fast on SQLite, because the indexes are created at the end. On PostgreSQL, it would exceed
 *  the statement timeout. */
const recordsPerTransaction = { sqlite: 1_000_000, postgres: 5000 }

async function seed(settings: Record<string, string>, records: number): Promise<void> {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, tenantSlug(1))
    await databases.write(tenant, async ({ database }) => {
      await insertRecords(database, 'customers', 10, (id) => ({ name: `Branch ${id}` }))
      await insertRecords(database, 'employees', people, (id) => ({
        customer_id: 1 + (id % 10),
        email: `person${id}@example.com`,
        name: `Person ${id}`,
      }))
    })
    for (let first = 1; first <= records; ) {
      await databases.write(tenant, async ({ database }) => {
        const count = Math.min(recordsPerTransaction[database.engine], records - first + 1)
        await insertRecords(database, 'hardware', count, (id) => laptop(id, records), first)
        first += count
      })
    }
  })
}

function laptop(id: number, records: number): Record<string, Value> {
  return {
    employee_id: 1 + (id % people),
    name: `Laptop ${(id * 7919) % records}`,
    type: 'laptop',
    asset_tag: `TD-${id}`,
    serial_number: `SN${id * 31}`,
    manufacturer: 'Dell',
    model: 'Latitude 5450',
    purchase_date: '2025-03-14',
    warranty_end: '2028-03-14',
    purchase_cost: 149900,
    notes: id % 4 === 0 ? 'Screen replaced; "new" keyboard, see invoice' : null,
  }
}
