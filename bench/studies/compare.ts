// Compares this checkout with another one: both run as separate server processes, by their own src/main.ts, and are measured in
// turns, in about eleven minutes.
// node bench/studies/compare.ts FOLDER [--engine sqlite|postgres] [--rounds 4] [--seconds 2] [--flags=FLAGS] [--check]
// --flags: Node's flags for the server of this checkout; with `.` as the FOLDER, what the flags change.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../../src/cli/output.ts'
import { type CheckoutServer, startCheckout, type Tenants } from '../harness/checkout.ts'
import { type Clients, serversContender, startClients } from '../harness/contenders.ts'
import type { LoadResult } from '../harness/latencies.ts'
import { describeMachine, memoryOf, watchOthers } from '../harness/machine.ts'
import { type Contender, type Figures, inTurn, measureByTurns, median, type Outcome } from '../harness/measure.ts'
import { fullScan, type Operation, operations, update } from '../harness/operations.ts'
import { type DatabaseServer, startDatabaseServer } from '../harness/postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, startServer, whenIdle } from '../harness/processes.ts'
import type { Job as QuietJob } from '../harness/quiet-tenant.ts'
import { makeRecords, touchAll } from '../harness/seed-over-http.ts'

type Engine = 'sqlite' | 'postgres'

/** A measurement that is repeated for each checkout in every round. `goal`: the highest ratio allowed. */
type Probe = { name: string; goal?: number; measure(server: CheckoutServer): Promise<LoadResult> }

const root = join(import.meta.dirname, '../..')
const [create, keyedCreate, read, list] = operations as [Operation, Operation, Operation, Operation]

/** The lowest acceptable ratio of rates, this checkout to the other. */
const rateGoals = [
  ...[create, keyedCreate, list, update].map((operation) => ({ operation, atLeast: 0.9 })),
  { operation: read, atLeast: 0.75 },
]

/** Requests per second in the open loop: well below what either engine can do. */
const steadyRates = { sqlite: { create: 1000, read: 800 }, postgres: { create: 400, read: 800 } }

const settingsOf = {
  sqlite: { name: 'SQLite', listedRecords: 40_000 },
  postgres: { name: 'PostgreSQL', listedRecords: 5000 }, // creates are slower, and every list takes a connection anyway
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
if (!positionals[0]) throw new Error('Pass the folder of the other checkout.')
const folders = { this: root, other: resolve(positionals[0]) }

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-compare-'))
const startedAt = performance.now()
const { node, cores, sync } = describeMachine(join(directory, 'sync'))
const others = watchOthers()
console.log(`Node ${node}, ${cores} cores, a 4 KiB write with fsync takes ${sync.toFixed(2)} ms`)
console.log(`this: ${folders.this}\nother: ${folders.other}`)
try {
  for (const engine of ['sqlite', 'postgres'] as const)
    if (!options.engine || options.engine === engine) await compare(engine, join(directory, engine))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
const busy = others()
console.log(`\nTook ${Math.round((performance.now() - startedAt) / 1000)} s.`)
if (busy !== undefined) console.log(`Other programs used ${Math.round(busy * 100)} % of the processors.`)

async function compare(engine: Engine, directory: string): Promise<void> {
  mkdirSync(directory)
  await using started = new AsyncDisposableStack()
  const database = engine === 'postgres' ? started.adopt(await startDatabaseServer(), (each) => each.end()) : undefined
  const listed = isCheck ? 2000 : settingsOf[engine].listedRecords
  const servers = await Promise.all(
    Object.entries(folders).map(async ([name, folder]) => {
      const databaseUrl = database && (await database.createDatabase(name))
      const flags = name === 'this' ? options.flags.split(' ').filter(Boolean) : []
      const server = await startCheckout({ name, folder, flags, directory: join(directory, name), databaseUrl })
      return started.adopt(server, (each) => each.end())
    }),
  )
  const startMemory = servers.map(({ pid }) => memoryOf(pid))
  const clients = started.adopt(startClients(), (each) => each.end())
  const quiet = started.adopt(startLoadProcess<QuietJob>('harness/quiet-tenant.ts'), (each) => each.end())
  for (const { url, tokens } of servers) {
    await makeRecords(url, tokens.busy)
    for (const token of [...tokens.quiet, ...tokens.idle]) await touchAll(url, Array(5).fill(token))
  }

  console.log(`\n## ${settingsOf[engine].name}\n`)
  const contenders = servers.map((server) => contenderOf(server, clients, database))
  const trials = rateGoals.map(({ operation }) => ({ operation, connections: 64, tenants: 1 }))
  const outcomes = await measureByTurns(contenders, trials, { rounds, seconds })
  console.log(`${ratesTable(outcomes)}\n`)
  await Promise.all(servers.map(whenIdle))

  const baseline = engine === 'sqlite' ? started.adopt(await startMinimal(directory), (each) => each.end()) : undefined
  await measureSteady(engine, servers, clients, baseline)
  await measureFairness(servers, clients, quiet, listed)
  console.log(memoryTable(servers, startMemory, outcomes))
}

function contenderOf(server: CheckoutServer, clients: Clients, database: DatabaseServer | undefined): Contender {
  return serversContender(server.name, clients, [server], [server.tokens.busy], database)
}

async function startMinimal(directory: string): Promise<Server> {
  const line = [join(root, 'bench/baselines/minimal-server.ts'), join(directory, 'minimal.sqlite')]
  const server = await startServer(line, {}, join(directory, 'minimal.log'))
  await makeRecords(server.url)
  return server
}

/** Latencies at a fixed rate. The baseline shows what the machine gives. */
async function measureSteady(
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
        for (const [at, { url, tokens }] of inTurn(targets, round)) {
          const job = { urls: [url], tokens, operation, connections, rate }
          await openLoop.measure({ ...job, seconds: 0.5 })
          results[at]!.push(await openLoop.measure({ ...job, seconds: isCheck ? 1 : 2 }))
        }
      }
      const label = `${operation.name}, ${rate}/s, ${connections} connection${connections > 1 ? 's' : ''}`
      for (const [at, { name }] of targets.entries())
        lines.push([at === 0 ? label : '', name, ...latencies(results[at]!)])
    }
  }
  const head = ['steady rate, open loop', '', 'p50 ms', 'p99 ms', 'max ms', 'each p99']
  console.log(`${table([head, ...lines])}\n`)
}

function latencies(results: LoadResult[]): string[] {
  const each = results.map(({ p99 }) => p99.toFixed(1)).join(' ')
  return [...(['p50', 'p99', 'max'] as const).map((name) => median(results, name).toFixed(1)), each]
}

async function measureFairness(
  servers: CheckoutServer[],
  { load }: Clients,
  quiet: LoadProcess<QuietJob>,
  listed: number,
): Promise<void> {
  const beside = async (
    server: CheckoutServer,
    loud: { operation: Operation; tokens: string[]; connections: number },
    asked: { operation: Operation; tokens: string[]; seconds: number },
  ): Promise<LoadResult> => {
    const work = load.measure({ urls: [server.url], ...loud, seconds: asked.seconds + 1.5 })
    await new Promise((resolve) => setTimeout(resolve, 1000)) // the load has reached its full rate
    const measured = await quiet.measure({ url: server.url, ...asked })
    await work
    await whenIdle(server)
    return measured
  }
  const loudOf = ({ busy }: Tenants) => ({ operation: create, tokens: [busy], connections: 64 })
  const probe = (name: string, operation: Operation): Probe => ({
    name: `${name} beside a tenant at full load`,
    measure: (server) =>
      beside(server, loudOf(server.tokens), { operation, tokens: server.tokens.quiet, seconds: isCheck ? 1 : 3 }),
  })
  const firstRecord: Operation = { ...read, name: 'read', paths: [read.paths[0]!] }
  const lists: Probe = {
    name: `list of 5 beside two tenants that list ${listed.toLocaleString('en')} records`,
    measure: (server) =>
      beside(
        server,
        { operation: fullScan, tokens: server.tokens.listing, connections: 20 },
        { operation: list, tokens: server.tokens.idle, seconds: isCheck ? 2 : 5 },
      ),
  }
  for (const { url, tokens } of servers) {
    const tokenSets = { urls: [url], tokens: tokens.listing, operation: create, connections: 128 }
    for (let count = 0; count < 2 * listed; ) count += (await load.measure({ ...tokenSets, seconds: 1 })).requests
  }
  await Promise.all(servers.map(whenIdle))
  const lines: string[][] = []
  for (const { name, measure } of [probe('read', firstRecord), probe('create', create), lists]) {
    const results = servers.map((): LoadResult[] => [])
    for (let round = 0; round < Math.min(3, rounds); round++)
      for (const [at, server] of inTurn(servers, round)) results[at]!.push(await measure(server))
    for (const [at, server] of servers.entries()) {
      lines.push([at === 0 ? name : '', server.name, ...latencies(results[at]!)])
    }
  }
  console.log(`${table([['a quiet tenant', '', 'p50 ms', 'p99 ms', 'max ms', 'each p99'], ...lines])}\n`)
}

function ratesTable(outcomes: Outcome[]): string {
  const lines = outcomes.map(({ trial, contenders }) => {
    const [now, before] = contenders.map((each) => each.rounds) as [Figures[], Figures[]]
    const { atLeast } = rateGoals.find(({ operation }) => operation === trial.operation)!
    const ratio = ratioOf(now, before, 'rate')
    return [
      trial.operation.name,
      ...[before, now].map((each) => Math.round(median(each, 'rate')).toLocaleString('en')),
      `${ratio.toFixed(2)} ${rangeOf(now, before)}`,
      `${atLeast} ${ratio >= atLeast ? 'met' : 'MISSED'}`,
      ...costs(now, before, 'cost'),
      ...costs(now, before, 'databaseCost'),
      ...[before, now].map((each) => median(each, 'p99').toFixed(1)),
    ]
  })
  const head = [
    ...['64 in flight, one tenant', 'other/s', 'this/s', 'ratio', 'goal', 'other µs', 'this µs', 'ratio'],
    ...['other database µs', 'this', 'ratio', 'other p99 ms', 'this'],
  ]
  return table([head, ...lines])
}

function costs(now: Figures[], before: Figures[], name: 'cost' | 'databaseCost'): string[] {
  if (Number.isNaN(median(now, name))) return ['', '', '']
  const figures = [before, now].map((each) => Math.round(median(each, name)).toLocaleString('en'))
  return [...figures, ratioOf(now, before, name).toFixed(2)]
}

function ratioOf(now: Figures[], before: Figures[], name: 'rate' | 'cost' | 'databaseCost'): number {
  return median(now, name) / median(before, name)
}

function rangeOf(now: Figures[], before: Figures[]): string {
  const ratios = now.map(({ rate }, round) => rate / before[round]!.rate)
  return `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}

function memoryTable(servers: CheckoutServer[], startMemory: number[], outcomes: Outcome[]): string {
  const lines = servers.map(({ name, pid }, at) => {
    const underLoad = Math.max(
      ...outcomes.flatMap(({ contenders }) => contenders[at]!.rounds.map(({ memory }) => memory)),
    )
    return [name, ...[startMemory[at]!, underLoad, memoryOf(pid)].map((memory) => memory.toFixed(0))]
  })
  return table([['memory, MiB', 'after start', 'most under load', 'at the end'], ...lines])
}
