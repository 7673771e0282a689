// Exports of a large list: records per second, the memory that the node takes for it, and the latency of another tenant meanwhile.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import type { Value } from '../../src/database/database.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import type { LoadResult } from '../harness/latencies.ts'
import type { Job as LoadJob } from '../harness/load.ts'
import { memoryOf } from '../harness/machine.ts'
import type { Effort } from '../harness/measure.ts'
import { operations } from '../harness/operations.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, startNode, whenIdle } from '../harness/processes.ts'
import type { Job } from '../harness/quiet-tenant.ts'
import { medians } from '../harness/results.ts'
import { insertRecords } from '../harness/seed-database.ts'
import { makeTenants, serviceSettings, tenantSlug } from '../harness/tenants.ts'

const figureNames = ['rate', 'memory', 'p50', 'p99'] as const

/** `rate`: records per second. `memory`: growth of the node's resident memory, in MiB. `p50` and `p99`: latencies of another
 *  tenant's reads meanwhile, in milliseconds. */
type Figures = Record<(typeof figureNames)[number], number>
export type ExportsOutcome = {
  engine: string
  records: number
  alone: number
  exports: (Figures & { outcome: string })[]
}

/** `isWriting`: the exported tenant changes records meanwhile, so that changed ones have to be reconstructed. */
type Case = { outcome: string; query: string; isWriting?: true }

const cases: Case[] = [
  { outcome: 'CSV', query: 'format=csv' },
  { outcome: 'CSV of three columns', query: 'format=csv&fields=id,asset_tag,name' },
  { outcome: 'CSV by name', query: 'format=csv&sort=name' },
  { outcome: 'CSV during writes', query: 'format=csv', isWriting: true },
  { outcome: 'NDJSON', query: 'format=ndjson' },
]

const [create, , read] = [operations[0]!, operations[1]!, operations[2]!]

type Callers = { server: Server; tokens: string[]; quiet: LoadProcess<Job>; writer: LoadProcess<LoadJob> }

export async function measureExports(directory: string, effort: Effort): Promise<ExportsOutcome[]> {
  mkdirSync(directory)
  const [onFiles, onServer] = effort.isCheck ? [20_000, 20_000] : [1_000_000, 200_000] // PostgreSQL inserts slowly
  const settings = { ...serviceSettings, DATA_DIR: join(directory, 'data') }
  const sqlite = await measureEngine('SQLite', settings, onFiles, effort)
  await using started = new AsyncDisposableStack()
  const database = started.adopt(await startDatabaseServer(), (each) => each.end())
  const onPostgres = { ...settings, DATA_DIR: join(directory, 'postgres'), DATABASE_URL: database.url }
  return [sqlite, await measureEngine('PostgreSQL', onPostgres, onServer, effort)]
}

async function measureEngine(
  engine: string,
  settings: typeof serviceSettings & { DATA_DIR: string },
  records: number,
  effort: Effort,
): Promise<ExportsOutcome> {
  const tokens = await makeTenants(settings, 2)
  await seed(settings, records)
  await using started = new AsyncDisposableStack()
  const server = started.adopt(await startNode(settings, `${settings.DATA_DIR}.log`), (each) => each.end())
  const quiet = started.adopt(startLoadProcess<Job>('harness/quiet-tenant.ts'), (each) => each.end())
  const writer = started.adopt(startLoadProcess<LoadJob>('harness/load.ts'), (each) => each.end())
  const callers = { server, tokens, quiet, writer }
  await quiet.measure({ url: server.url, tokens: [tokens[1]!], operation: create, seconds: 1 })
  const alone = await callQuietly(callers, 3)
  await exportOnce(callers, { query: 'format=csv&id[lte]=20000' }, 20_000) // V8 is still compiling
  const rounds = new Map<string, Figures[]>(cases.map(({ outcome }) => [outcome, []]))
  for (let round = 0; round < effort.rounds; round++)
    for (const each of cases) rounds.get(each.outcome)!.push(await measureCase(callers, each, records))
  const exports = [...rounds].map(([outcome, figures]) => ({ outcome, ...medians(figures, figureNames) }))
  return { engine, records, alone: alone.p99, exports }
}

/** The first export shows how long the second one will take, beside which the other tenant reads. */
async function measureCase(callers: Callers, each: Case, records: number): Promise<Figures> {
  const { server, tokens, writer } = callers
  await whenIdle(server)
  const before = memoryOf(server.pid)
  let highest = before
  const watching = setInterval(() => {
    highest = Math.max(highest, memoryOf(server.pid))
  }, 20)
  const expected = (await exportOnce(callers, each, records)) * 0.8
  const exporting = exportOnce(callers, each, records)
  const load = { urls: [server.url], tokens: [tokens[0]!], operation: create, connections: 4, seconds: expected }
  const [{ p50, p99 }] = await Promise.all([
    callQuietly(callers, Math.max(0.5, expected)),
    each.isWriting && writer.measure(load),
  ])
  const rate = records / (await exporting)
  clearInterval(watching)
  return { rate, memory: highest - before, p50, p99 }
}

function callQuietly({ server, tokens, quiet }: Callers, seconds: number): Promise<LoadResult> {
  const operation = { ...read, paths: [`${create.paths[0]}?id=1`, create.paths[0]!] }
  return quiet.measure({ url: server.url, tokens: [tokens[1]!], operation, seconds })
}

/** Returns the seconds that it took. Throws if records are missing. */
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
  if (lines < records) throw new Error(`An export has ${lines} lines of ${records} records.`)
  return (performance.now() - start) / 1000
}

/** Employees; each holds an equal share of the hardware. */
const people = 1000

/** SQLite creates the indexes last, which is fast. On PostgreSQL that would exceed the time limit of a statement. */
const perTransaction = { sqlite: 1_000_000, postgres: 5000 }

async function seed(settings: Record<string, string>, records: number): Promise<void> {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, tenantSlug(1))
    await databases.write(tenant, async ({ database }) => {
      await insertRecords(database, 'customers', 10, (id) => ({ name: `Branch ${id}` }))
      await insertRecords(database, 'employees', people, (id) => ({
        ...{ customer_id: 1 + (id % 10), email: `person${id}@example.com`, name: `Person ${id}` },
      }))
    })
    for (let first = 1; first <= records; ) {
      await databases.write(tenant, async ({ database }) => {
        const count = Math.min(perTransaction[database.engine], records - first + 1)
        await insertRecords(database, 'hardware', count, (id) => laptop(id, records), first)
        first += count
      })
    }
  })
}

function laptop(id: number, records: number): Record<string, Value> {
  return {
    ...{ employee_id: 1 + (id % people), name: `Laptop ${(id * 7919) % records}`, type: 'laptop' },
    ...{ asset_tag: `TD-${id}`, serial_number: `SN${id * 31}`, manufacturer: 'Dell', model: 'Latitude 5450' },
    ...{ purchase_date: '2025-03-14', warranty_end: '2028-03-14', purchase_cost: 149900 },
    ...{ notes: id % 4 === 0 ? 'Screen replaced; "new" keyboard, see invoice' : null },
  }
}
