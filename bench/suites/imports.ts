// Measures CSV imports: the time to upload, check and apply a file, how much memory the node uses, and the latencies of
// another tenant during the import.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { LoadResult } from '../harness/load/latencies.ts'
import type { QuietTenantOptions } from '../harness/load/quiet-tenant.ts'
import { memoryOf } from '../harness/machine.ts'
import type { Effort } from '../harness/measure.ts'
import { operations } from '../harness/operations.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, startNode, whenIdle } from '../harness/processes.ts'
import { seedTenants, serviceSettings } from '../harness/seed/tenants.ts'

/** `upload`, `check` and `run`: durations in seconds. `memory`: growth of the node's resident memory, in MiB. `alone`
 *  and `duringImport`: p99 of another tenant's requests without and during the import, in milliseconds. */
export type ImportsOutcome = {
  engine: string
  rows: number
  upload: number
  check: number
  run: number
  memory: number
  alone: number
  duringImport: number
}

const create = operations[0]!

type Callers = { server: Server; tokens: string[]; quiet: LoadProcess<QuietTenantOptions> }

export async function measureImports(directory: string, effort: Effort): Promise<ImportsOutcome[]> {
  mkdirSync(directory)
  const sizes = effort.isCheck ? [2000] : [10_000, 100_000] // two sizes, to show whether memory grows with the file
  const settings = { ...serviceSettings, DATA_DIR: join(directory, 'data') }
  const outcomes: ImportsOutcome[] = []
  for (const rows of sizes)
    outcomes.push(await measureEngine('SQLite', { ...settings, DATA_DIR: join(directory, `${rows}`) }, rows))
  await using cleanup = new AsyncDisposableStack()
  const database = cleanup.adopt(await startDatabaseServer(), (each) => each.end())
  const postgresSettings = { ...settings, DATA_DIR: join(directory, 'postgres'), DATABASE_URL: database.url }
  return [...outcomes, await measureEngine('PostgreSQL', postgresSettings, sizes[0]!)]
}

async function measureEngine(
  engine: string,
  settings: typeof serviceSettings & { DATA_DIR: string },
  rows: number,
): Promise<ImportsOutcome> {
  const tokens = await seedTenants(settings, 2)
  await using cleanup = new AsyncDisposableStack()
  const server = cleanup.adopt(await startNode(settings, `${settings.DATA_DIR}.log`), (each) => each.end())
  const quiet = cleanup.adopt(startLoadProcess<QuietTenantOptions>('harness/load/quiet-tenant.ts'), (each) =>
    each.end(),
  )
  const callers = { server, tokens, quiet }
  for (const token of tokens) await post(server, token, '/customers.php', JSON.stringify({ name: 'B', code: 'B1' }))
  await importOnce(callers, 2000, 'w') // a warm-up, because V8 is still compiling
  const alone = await callQuietly(callers, 3)
  await whenIdle(server)
  const memoryBefore = memoryOf(server.pid)
  let highestMemory = memoryBefore
  const memoryTimer = setInterval(() => {
    highestMemory = Math.max(highestMemory, memoryOf(server.pid))
  }, 20)
  const expectedSeconds = Math.max(1, rows / 15_000)
  const [times, duringImport] = await Promise.all([
    importOnce(callers, rows, 'p'),
    callQuietly(callers, expectedSeconds),
  ])
  clearInterval(memoryTimer)
  return {
    engine,
    rows,
    ...times,
    memory: highestMemory - memoryBefore,
    alone: alone.p99,
    duringImport: duringImport.p99,
  }
}

function callQuietly({ server, tokens, quiet }: Callers, seconds: number): Promise<LoadResult> {
  return quiet.measure({ url: server.url, tokens: [tokens[1]!], operation: create, seconds })
}

/** Imports employees in all_or_nothing mode. `prefix` makes their email addresses unique. Returns the duration of
 *  each phase in seconds. Throws unless every row creates a record. */
async function importOnce({ server, tokens }: Callers, rows: number, prefix: string) {
  const token = tokens[0]!
  const start = performance.now()
  const { id } = await post(server, token, '/imports.php?resource=employees&mode=all_or_nothing', csvOf(rows, prefix))
  const uploaded = performance.now()
  let checked: number | undefined
  for (;;) {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.url}/imports.php?id=${id}`, { headers })
    const job = (await response.json()) as { state: string; created: number; finished_at: string | null }
    if (job.state !== 'checking') checked ??= performance.now()
    if (job.finished_at !== null) {
      if (job.created !== rows) throw new Error(`An import of ${rows} rows created ${job.created} records.`)
      const end = performance.now()
      const phases = { upload: uploaded - start, check: checked! - uploaded, run: end - checked! }
      return Object.fromEntries(Object.entries(phases).map(([name, ms]) => [name, ms / 1000])) as typeof phases
    }
    await wait(50)
  }
}

async function post({ url }: Server, token: string, path: string, body: string): Promise<{ id: number }> {
  const type = path.startsWith('/imports') ? 'text/csv' : 'application/json'
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const response = await fetch(url + path, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as { id: number }
}

function csvOf(rows: number, prefix: string): string {
  const header = 'external_id,customer_code,email,name,department,title,employee_no,phone,start_date,is_remote'
  const lines = Array.from(
    { length: rows },
    (_, n) =>
      `${prefix}-${n},B1,${prefix}${n}@example.com,Person ${n},Department ${n % 20},Engineer,${n},+49 30 ${100000 + n},2024-03-01,${n % 2 ? 'yes' : 'no'}`,
  )
  return [header, ...lines].join('\r\n')
}
