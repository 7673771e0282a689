// Prints a CPU profile for each thread of a node under load. On PostgreSQL, also prints the cost of each statement.
// node bench/tools/profile.ts [operation] [--engine sqlite|postgres] [--seconds 5] [--connections 64] [--tenants 1]
// `operation`: the beginning of an operation's name in bench/harness/operations.ts, or the whole name. The default
// is `keyed create`.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { alignColumns } from '../../src/cli/output.ts'
import type { LoadOptions } from '../harness/load/load.ts'
import { type Operation, operations } from '../harness/operations.ts'
import { type DatabaseServer, startDatabaseServer } from '../harness/postgres-server.ts'
import { startLoadProcess, startNode } from '../harness/processes.ts'
import { seedTenants, serviceSettings } from '../harness/seed/tenants.ts'
import { readStatements, resetStatements, statementFlags } from './statements.ts'

/** The format of `node --cpu-prof`. Times are in microseconds. */
type Profile = { startTime: number; nodes: Node[]; samples: number[]; timeDeltas: number[] }
type Span = { from: number; to: number; requests: number }
type Node = { id: number; callFrame: Frame; children?: number[] }
type Frame = { functionName: string; url: string; lineNumber: number }

/** How many functions to print for each thread. */
const maxFunctions = 45

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    tenants: { type: 'string', default: '1' },
  },
})
const operation = operations.find(({ name }) => name.startsWith(positionals[0] ?? 'keyed'))
if (!operation) throw new Error(`There is no operation ${positionals[0]}.`)
const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-profile-'))
try {
  const span = await run()
  const files = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'))
  const profiles = files.map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as Profile)
  for (const profile of profiles) print(profile, span)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function run(): Promise<Span> {
  if (values.engine !== 'postgres') return load({})
  const database = await startDatabaseServer(statementFlags)
  try {
    return await load({ DATABASE_URL: database.url }, database)
  } finally {
    await database.end()
  }
}

/** Returns the time span in which the load was measured, on the same clock as the profiles. */
async function load(engineSettings: Record<string, string>, database?: DatabaseServer): Promise<Span> {
  const environment = { ...serviceSettings, DATA_DIR: directory, ...engineSettings }
  await using cleanup = new AsyncDisposableStack()
  const tokens = await seedTenants(environment, Number(values.tenants))
  const flags = ['--cpu-prof', `--cpu-prof-dir=${directory}`]
  const node = cleanup.adopt(await startNode(environment, join(directory, 'log'), { flags }), (each) => each.end())
  const clients = cleanup.adopt(startLoadProcess<LoadOptions>('harness/load/load.ts'), (each) => each.end())
  const applyLoad = (operation: Operation, seconds: number) =>
    clients.measure({ urls: [node.url], tokens, operation, connections: Number(values.connections), seconds })
  await applyLoad(operations[0]!, 1)
  await applyLoad(operation!, 2)
  if (database) await resetStatements(database)
  const [from, nodeTime, databaseTime] = [microseconds(), node.processorTime(), database?.processorTime() ?? 0]
  const { requests, rate, p50, p99, busy } = await applyLoad(operation!, Number(values.seconds))
  const span = { from, to: microseconds(), requests }
  const cost = (before: number, after: number) => Math.round((after - before) / requests)
  console.log(`${operation!.name}: ${Math.round(rate)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  const databaseCost = database ? `, ${cost(databaseTime, database.processorTime())} database` : ''
  console.log(`CPU µs per request: ${cost(nodeTime, node.processorTime())} node (profiled)${databaseCost}`)
  console.log(`clients: ${Math.round(busy)} % of a core`)
  if (database) console.log(`\n${await readStatements(database, requests)}`)
  return span
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Prints the functions with the most CPU time. `self`: time in the function itself. `all`: time in the function and in
 *  the functions that it calls. Both are percentages of the time for which the thread was busy. */
function print({ startTime, nodes, samples, timeDeltas }: Profile, span: Span): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const [self, all] = [new Map<string, number>(), new Map<string, number>()]
  let now = startTime
  for (const [index, sample] of samples.entries()) {
    const time = timeDeltas[index]!
    now += time
    if (now < span.from || now > span.to) continue
    const stack = new Set<string>()
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) stack.add(nameOf(byId.get(id)!))
    add(self, nameOf(byId.get(sample)!), time)
    for (const name of stack) add(all, name, time)
  }
  const idle = self.get('(idle)') ?? 0
  const busy = (all.get('(root)') ?? 0) - idle
  if (busy < 500_000) return // the thread was mostly idle
  console.log(`\n${Math.round(busy / 1000)} ms busy, ${Math.round(idle / 1000)} ms idle`)
  const share = (time = 0) => `${((time / busy) * 100).toFixed(1)} %`
  const perRequest = (time = 0) => (time / span.requests).toFixed(1)
  const ranked = (times: Map<string, number>) =>
    [...times].filter(([name]) => name !== '(idle)').sort((one, other) => other[1] - one[1])
  console.log(
    alignColumns([
      ['self', 'all', 'µs per request', 'function, by self time'],
      ...ranked(self)
        .slice(0, maxFunctions)
        .map(([name, time]) => [share(time), share(all.get(name)), perRequest(time), name]),
    ]),
  )
  console.log(
    `\n${alignColumns([
      ['all', 'µs per request', 'function, by total time'],
      ...ranked(all)
        .slice(0, maxFunctions)
        .map(([name, time]) => [share(time), perRequest(time), name]),
    ])}`,
  )
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time)
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const path = url.startsWith('file:') ? relative(join(import.meta.dirname, '../..'), fileURLToPath(url)) : url
  return path ? `${functionName || '(anonymous)'} ${path}:${lineNumber + 1}` : functionName
}
