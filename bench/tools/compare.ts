// Compares this checkout with another one. Runs the src/main.ts of each checkout as a server process and measures the
// two servers in turn. This takes about eleven minutes.
// node bench/tools/compare.ts FOLDER [--engine sqlite|postgres] [--rounds 4] [--seconds 2] [--flags=FLAGS] [--check]
// `--flags`: Node.js options for this checkout's server. If FOLDER is `.`, the result shows the effect of the
// flags.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { alignColumns } from '../../src/cli/output.ts'
import { type CheckoutServer, startCheckout, type Tenants } from '../harness/checkout.ts'
import { type Clients, serversContender, startClients } from '../harness/contenders.ts'
import type { LoadResult } from '../harness/load/latencies.ts'
import type { QuietTenantOptions } from '../harness/load/quiet-tenant.ts'
import { describeMachine, measureOtherPrograms, memoryOf } from '../harness/machine.ts'
import { type Contender, type Figures, inTurn, measureInTurn, median, type Outcome } from '../harness/measure.ts'
import { fullScan, type Operation, operations, update } from '../harness/operations.ts'
import { type DatabaseServer, startDatabaseServer } from '../harness/postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, startServer, whenIdle } from '../harness/processes.ts'
import { createRecordInEach, seedRecords } from '../harness/seed/seed-over-http.ts'

type Engine = 'sqlite' | 'postgres'

/** A measurement that is repeated for each checkout in every round. */
type Probe = { name: string; measure(server: CheckoutServer): Promise<LoadResult> }

const root = join(import.meta.dirname, '../..')
const [create, keyedCreate, read, list] = operations as [Operation, Operation, Operation, Operation]

/** `atLeast`: this checkout's lowest acceptable rate, relative to the other one's rate. */
const rateGoals = [
  ...[create, keyedCreate, list, update].map((operation) => ({ operation, atLeast: 0.9 })),
  { operation: read, atLeast: 0.75 },
]

/** Requests per second in the open loop: well below the capacity of either engine. */
const steadyRates = { sqlite: { create: 1000, read: 800 }, postgres: { create: 400, read: 800 } }

const settingsOf = {
  sqlite: { name: 'SQLite', listedRecords: 40_000 },
  postgres: { name: 'PostgreSQL', listedRecords: 5000 }, // creates are slower, and fewer records suffice
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '2' },
    flags: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
})
const isCheck = options.check
const [rounds, seconds] = isCheck ? [1, 1] : [Number(options.rounds), Number(options.seconds)]
if (!positionals[0]) throw new Error("Pass the other checkout's folder.")
const folders = { this: root, other: resolve(positionals[0]) }

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-compare-'))
const startedAt = performance.now()
const { node, cores, sync } = describeMachine(join(directory, 'sync'))
const endMeasurement = measureOtherPrograms()
console.log(`Node ${node}, ${cores} cores, a 4 KiB write with fsync takes ${sync.toFixed(2)} ms`)
console.log(`this: ${folders.this}\nother: ${folders.other}`)
try {
  for (const engine of ['sqlite', 'postgres'] as const)
    if (!options.engine || options.engine === engine) await compare(engine, join(directory, engine))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
const otherPrograms = endMeasurement()
console.log(`\nTook ${Math.round((performance.now() - startedAt) / 1000)} s.`)
if (otherPrograms !== undefined)
  console.log(`Other programs used ${Math.round(otherPrograms * 100)} % of the CPU time.`)

async function compare(engine: Engine, directory: string): Promise<void> {
  mkdirSync(directory)
  await using cleanup = new AsyncDisposableStack()
  const database = engine === 'postgres' ? cleanup.adopt(await startDatabaseServer(), (each) => each.end()) : undefined
  const listedRecords = isCheck ? 2000 : settingsOf[engine].listedRecords
  const servers = await Promise.all(
    Object.entries(folders).map(async ([name, folder]) => {
      const databaseUrl = database && (await database.createDatabase(name))
      const flags = name === 'this' ? options.flags.split(' ').filter(Boolean) : []
      const server = await startCheckout({ name, folder, flags, directory: join(directory, name), databaseUrl })
      return cleanup.adopt(server, (each) => each.end())
    }),
  )
  const startMemory = servers.map(({ pid }) => memoryOf(pid))
  const clients = cleanup.adopt(startClients(), (each) => each.end())
  const quiet = cleanup.adopt(startLoadProcess<QuietTenantOptions>('harness/load/quiet-tenant.ts'), (each) =>
    each.end(),
  )
  for (const { url, tokens } of servers) {
    await seedRecords(url, tokens.busy)
    for (const token of [...tokens.quiet, ...tokens.idle]) await createRecordInEach(url, Array(5).fill(token))
  }

  console.log(`\n## ${settingsOf[engine].name}\n`)
  const contenders = servers.map((server) => contenderOf(server, clients, database))
  const trials = rateGoals.map(({ operation }) => ({ operation, connections: 64, tenants: 1 }))
  const outcomes = await measureInTurn(contenders, trials, { rounds, seconds })
  console.log(`${ratesTable(outcomes)}\n`)
  await Promise.all(servers.map(whenIdle))

  const baseline = engine === 'sqlite' ? cleanup.adopt(await startMinimal(directory), (each) => each.end()) : undefined
  await measureSteadyRate(engine, servers, clients, baseline)
  await measureFairness(servers, clients, quiet, listedRecords)
  console.log(memoryTable(servers, startMemory, outcomes))
}

function contenderOf(server: CheckoutServer, clients: Clients, database: DatabaseServer | undefined): Contender {
  return serversContender(server.name, clients, [server], [server.tokens.busy], database)
}

async function startMinimal(directory: string): Promise<Server> {
  const args = [join(root, 'bench/baselines/minimal-server.ts'), join(directory, 'minimal.sqlite')]
  const server = await startServer(args, {}, join(directory, 'minimal.log'))
  await seedRecords(server.url)
  return server
}

/** Prints latencies at a fixed rate. The baseline shows the lowest latencies that the machine allows. */
async function measureSteadyRate(
  engine: Engine,
  servers: CheckoutServer[],
  { openLoop }: Clients,
  baseline: Server | undefined,
): Promise<void> {
  const targets = [
    ...servers.map(({ name, url, tokens }) => ({ name, url, tokens: [tokens.busy] })),
    ...(baseline ? [{ name: 'minimal server', url: baseline.url, tokens: [] }] : []),
  ]
  const lines: string[][] = []
  for (const operation of [create, read]) {
    const rate = steadyRates[engine][operation === create ? 'create' : 'read']
    for (const connections of engine === 'sqlite' ? [1, 16] : [16]) {
      const results = targets.map((): LoadResult[] => [])
      for (let round = 0; round < Math.min(3, rounds); round++) {
        for (const [index, { url, tokens }] of inTurn(targets, round)) {
          const options = { urls: [url], tokens, operation, connections, rate }
          await openLoop.measure({ ...options, seconds: 0.5 })
          results[index]!.push(await openLoop.measure({ ...options, seconds: isCheck ? 1 : 2 }))
        }
      }
      const label = `${operation.name}, ${rate}/s, ${connections} connection${connections > 1 ? 's' : ''}`
      for (const [index, { name }] of targets.entries())
        lines.push([index === 0 ? label : '', name, ...latencies(results[index]!)])
    }
  }
  const head = ['steady rate, open loop', '', 'p50 ms', 'p99 ms', 'max ms', 'p99 of each round']
  console.log(`${alignColumns([head, ...lines])}\n`)
}

function latencies(results: LoadResult[]): string[] {
  const p99s = results.map(({ p99 }) => p99.toFixed(1)).join(' ')
  return [...(['p50', 'p99', 'max'] as const).map((name) => median(results, name).toFixed(1)), p99s]
}

async function measureFairness(
  servers: CheckoutServer[],
  { load: loadProcess }: Clients,
  quiet: LoadProcess<QuietTenantOptions>,
  listedRecords: number,
): Promise<void> {
  const measureQuietTenant = async (
    server: CheckoutServer,
    load: { operation: Operation; tokens: string[]; connections: number },
    requests: { operation: Operation; tokens: string[]; seconds: number },
  ): Promise<LoadResult> => {
    const neighbour = loadProcess.measure({ urls: [server.url], ...load, seconds: requests.seconds + 1.5 })
    await new Promise((resolve) => setTimeout(resolve, 1000)) // until the load has reached its full rate
    const result = await quiet.measure({ url: server.url, ...requests })
    await neighbour
    await whenIdle(server)
    return result
  }
  const fullLoadOf = ({ busy }: Tenants) => ({ operation: create, tokens: [busy], connections: 64 })
  const probe = (name: string, operation: Operation): Probe => ({
    name: `${name} with a neighbour at full load`,
    measure: (server) =>
      measureQuietTenant(server, fullLoadOf(server.tokens), {
        operation,
        tokens: server.tokens.quiet,
        seconds: isCheck ? 1 : 3,
      }),
  })
  const firstRecord: Operation = { ...read, name: 'read', paths: [read.paths[0]!] }
  const lists: Probe = {
    name: `list of 50 with two neighbours that list ${listedRecords.toLocaleString('en')} records`,
    measure: (server) =>
      measureQuietTenant(
        server,
        { operation: fullScan, tokens: server.tokens.listing, connections: 20 },
        { operation: list, tokens: server.tokens.idle, seconds: isCheck ? 2 : 5 },
      ),
  }
  for (const { url, tokens } of servers) {
    const creates = { urls: [url], tokens: tokens.listing, operation: create, connections: 128 }
    for (let count = 0; count < 2 * listedRecords; )
      count += (await loadProcess.measure({ ...creates, seconds: 1 })).requests
  }
  await Promise.all(servers.map(whenIdle))
  const lines: string[][] = []
  for (const { name, measure } of [probe('read', firstRecord), probe('create', create), lists]) {
    const results = servers.map((): LoadResult[] => [])
    for (let round = 0; round < Math.min(3, rounds); round++)
      for (const [index, server] of inTurn(servers, round)) results[index]!.push(await measure(server))
    for (const [index, server] of servers.entries()) {
      lines.push([index === 0 ? name : '', server.name, ...latencies(results[index]!)])
    }
  }
  console.log(
    `${alignColumns([['a quiet tenant', '', 'p50 ms', 'p99 ms', 'max ms', 'p99 of each round'], ...lines])}\n`,
  )
}

function ratesTable(outcomes: Outcome[]): string {
  const lines = outcomes.map(({ trial, contenders }) => {
    const [thisRounds, otherRounds] = contenders.map(({ rounds }) => rounds) as [Figures[], Figures[]]
    const { atLeast } = rateGoals.find(({ operation }) => operation === trial.operation)!
    const ratio = ratioOf(thisRounds, otherRounds, 'rate')
    return [
      trial.operation.name,
      ...[otherRounds, thisRounds].map((rounds) => Math.round(median(rounds, 'rate')).toLocaleString('en')),
      `${ratio.toFixed(2)} ${rangeOf(thisRounds, otherRounds)}`,
      `${atLeast} ${ratio >= atLeast ? 'met' : 'MISSED'}`,
      ...costs(thisRounds, otherRounds, 'cost'),
      ...costs(thisRounds, otherRounds, 'databaseCost'),
      ...[otherRounds, thisRounds].map((rounds) => median(rounds, 'p99').toFixed(1)),
    ]
  })
  const head = [
    '64 in flight, one tenant',
    'other/s',
    'this/s',
    'ratio',
    'goal',
    'other µs',
    'this µs',
    'ratio',
    'other database µs',
    'this',
    'ratio',
    'other p99 ms',
    'this',
  ]
  return alignColumns([head, ...lines])
}

function costs(thisRounds: Figures[], otherRounds: Figures[], name: 'cost' | 'databaseCost'): string[] {
  if (Number.isNaN(median(thisRounds, name))) return ['', '', '']
  const figures = [otherRounds, thisRounds].map((rounds) => Math.round(median(rounds, name)).toLocaleString('en'))
  return [...figures, ratioOf(thisRounds, otherRounds, name).toFixed(2)]
}

function ratioOf(thisRounds: Figures[], otherRounds: Figures[], name: 'rate' | 'cost' | 'databaseCost'): number {
  return median(thisRounds, name) / median(otherRounds, name)
}

function rangeOf(thisRounds: Figures[], otherRounds: Figures[]): string {
  const ratios = thisRounds.map(({ rate }, round) => rate / otherRounds[round]!.rate)
  return `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}

function memoryTable(servers: CheckoutServer[], startMemory: number[], outcomes: Outcome[]): string {
  const lines = servers.map(({ name, pid }, index) => {
    const underLoad = Math.max(
      ...outcomes.flatMap(({ contenders }) => contenders[index]!.rounds.map(({ memory }) => memory)),
    )
    return [name, ...[startMemory[index]!, underLoad, memoryOf(pid)].map((memory) => memory.toFixed(0))]
  })
  return alignColumns([['memory, MiB', 'after start', 'most under load', 'at the end'], ...lines])
}
