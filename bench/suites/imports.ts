// Measures CSV imports: the time to upload, check and apply a file, how much memory the node uses, and the latencies of
// another tenant during the import. Files that refer to people are also imported into an earlier version's server, if its
// checkout is given.

import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type CheckoutServer, startCheckout } from '../harness/checkout.ts'
import type { LoadResult } from '../harness/load/latencies.ts'
import type { QuietTenantOptions } from '../harness/load/quiet-tenant.ts'
import { memoryOf } from '../harness/machine.ts'
import { type Effort, inTurn } from '../harness/measure.ts'
import { operations } from '../harness/operations.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, startNode, whenIdle } from '../harness/processes.ts'
import { seedTenants, serviceSettings } from '../harness/seed/tenants.ts'

export type ImportsOutcome = { sizes: SizeOutcome[]; references: ReferencesOutcome[] }

/** `upload`, `check` and `run`: durations in seconds. `memory`: growth of the node's resident memory, in MiB. `alone`
 *  and `duringImport`: p99 of another tenant's requests without and during the import, in milliseconds. */
export type SizeOutcome = {
  engine: string
  rows: number
  upload: number
  check: number
  run: number
  memory: number
  alone: number
  duringImport: number
}

/** A file, the way in which its assets name their holders (`holders`), and the rounds of each contender. `seconds`: from the upload to
 *  the last record. `cost`: the node's processor time in seconds. */
export type ReferencesOutcome = {
  holders: string
  rows: number
  contenders: { name: string; rounds: { seconds: number; cost: number }[] }[]
}

const create = operations[0]!

type Callers = { server: Server; tokens: string[]; quiet: LoadProcess<QuietTenantOptions> }

export async function measureImports(directory: string, effort: Effort): Promise<ImportsOutcome> {
  mkdirSync(directory)
  return { sizes: await measureSizes(directory, effort), references: await measureReferences(directory, effort) }
}

async function measureSizes(directory: string, effort: Effort): Promise<SizeOutcome[]> {
  const sizes = effort.isCheck ? [2000] : [10_000, 100_000] // two sizes, to show whether memory grows with the file
  const settings = { ...serviceSettings, DATA_DIR: join(directory, 'data') }
  const outcomes: SizeOutcome[] = []
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
): Promise<SizeOutcome> {
  const tokens = await seedTenants(settings, 2)
  await using cleanup = new AsyncDisposableStack()
  const server = cleanup.adopt(await startNode(settings, `${settings.DATA_DIR}.log`), (each) => each.end())
  const quiet = cleanup.adopt(startLoadProcess<QuietTenantOptions>('harness/load/quiet-tenant.ts'), (each) =>
    each.end(),
  )
  const callers = { server, tokens, quiet }
  for (const token of tokens) await post(server, token, '/customers.php', JSON.stringify({ name: 'B', code: 'B1' }))
  await importPeople(callers, 2000, 'w') // a warm-up, because V8 is still compiling
  const alone = await callQuietly(callers, 3)
  await whenIdle(server)
  const memoryBefore = memoryOf(server.pid)
  let highestMemory = memoryBefore
  const memoryTimer = setInterval(() => {
    highestMemory = Math.max(highestMemory, memoryOf(server.pid))
  }, 20)
  const expectedSeconds = Math.max(1, rows / 15_000)
  const [times, duringImport] = await Promise.all([
    importPeople(callers, rows, 'p'),
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

function importPeople({ server, tokens }: Callers, rows: number, prefix: string) {
  return importOnce({ server, token: tokens[0]! }, 'employees', csvOf(rows, prefix))
}

/** A server that imports files for the tenant of the token. */
type Importer = { server: Server; token: string }

/** Imports a file in all_or_nothing mode. Returns the duration of each phase in seconds. Throws unless every row creates a
 *  record. */
async function importOnce({ server, token }: Importer, resource: string, file: string) {
  const start = performance.now()
  const { id } = await post(server, token, `/imports.php?resource=${resource}&mode=all_or_nothing`, file)
  const uploaded = performance.now()
  let checked: number | undefined
  for (;;) {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.url}/imports.php?id=${id}`, { headers })
    const job = (await response.json()) as { state: string; rows: number; created: number; finished_at: string | null }
    if (job.state !== 'checking') checked ??= performance.now()
    if (job.finished_at !== null) {
      if (job.created !== job.rows) throw new Error(`An import of ${job.rows} rows created ${job.created} records.`)
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

const root = join(import.meta.dirname, '../..')

const branchCount = 50
const peopleCount = 30_000

/** By what the assets name their holders: the title of the column, and the cell for a person. Columns with other titles than
 *  a field's name are looked up by their contents. */
const holders: Record<string, { title: string; cellOf: (person: number) => string }> = {
  'external ids': { title: 'employee_external_id', cellOf: (person) => `p-${person}` },
  names: { title: 'Assigned to', cellOf: (person) => `Person ${person} Müller` },
  'names without accents, in capitals': { title: 'Holder', cellOf: (person) => `PERSON ${person} MULLER` },
  'numbers in lower case': { title: 'User', cellOf: (person) => `kw-${person + 10_000}` },
}

/** Imports files of assets into this version's server and, if `effort.against` is its folder, into an earlier version's. */
async function measureReferences(directory: string, effort: Effort): Promise<ReferencesOutcome[]> {
  const folders = { 'this version': root, ...(effort.against && { 'earlier version': resolve(effort.against) }) }
  const rows = effort.isCheck ? 2000 : 100_000
  await using cleanup = new AsyncDisposableStack()
  const servers: CheckoutServer[] = []
  for (const [name, folder] of Object.entries(folders)) {
    const checkout = { name, folder, flags: [], directory: join(directory, name), databaseUrl: undefined }
    const server = cleanup.adopt(await startCheckout(checkout), (each) => each.end())
    await importHolders(server, effort)
    servers.push(server)
  }
  const outcomes = Object.keys(holders).map((each): ReferencesOutcome => {
    return { holders: each, rows, contenders: servers.map(({ name }) => ({ name, rounds: [] })) }
  })
  for (let round = 0; round < effort.rounds; round++) {
    for (const [number, outcome] of outcomes.entries()) {
      for (const [index, server] of inTurn(servers, round)) {
        await whenIdle(server)
        const before = server.processorTime()
        const phases = await importOnce(importerOf(server), 'hardware', assetsOf(outcome, `a${round}${number}`))
        const cost = (server.processorTime() - before) / 1e6
        outcome.contenders[index]!.rounds.push({ seconds: phases.upload + phases.check + phases.run, cost })
      }
    }
  }
  return outcomes
}

function importerOf(server: CheckoutServer): Importer {
  return { server, token: server.tokens.busy }
}

async function importHolders(server: CheckoutServer, effort: Effort): Promise<void> {
  const count = effort.isCheck ? 3000 : peopleCount
  const branches = Array.from({ length: branchCount }, (_, n) => `b-${n},Branch ${n}`)
  const people = Array.from(
    { length: count },
    (_, n) => `p-${n},Person ${n} Müller,p${n}@example.com,KW-${n + 10_000},b-${n % branchCount}`,
  )
  await importOnce(importerOf(server), 'customers', ['external_id,name', ...branches].join('\n'))
  const header = 'external_id,name,email,employee_no,customer_external_id'
  await importOnce(importerOf(server), 'employees', [header, ...people].join('\n'))
}

function assetsOf({ holders: by, rows }: ReferencesOutcome, prefix: string): string {
  const { title, cellOf } = holders[by]!
  const people = Math.min(rows, peopleCount)
  const lines = Array.from({ length: rows }, (_, n) => {
    const asset = `${prefix}-${n},Laptop ${n},laptop,${prefix}${n},SN${prefix}${n},2026-01-31,129900`
    return `${asset},${cellOf(n % people)}`
  })
  const header = 'external_id,name,type,asset_tag,serial_number,purchase_date,purchase_cost'
  return [`${header},${title}`, ...lines].join('\n')
}
