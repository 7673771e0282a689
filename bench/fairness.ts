// How long a quiet tenant waits beside one at full load: alone, on the same worker, on another one, in turns.
// node bench/fairness.ts [--rounds 5] [--seconds 4] [--load create|list]

import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table, withCatalog } from '../src/cli/rooms.ts'
import { readConfig } from '../src/config.ts'
import { laneOf, writersFor } from '../src/storage/sqlite/lanes.ts'
import { requireTenant } from '../src/tenancy/tenants.ts'
import type { Job } from './load.ts'
import { describeMachine, watchOthers } from './machine.ts'
import { type Operation, operations } from './operations.ts'
import { startMeter, startNode } from './processes.ts'
import type { Job as QuietJob } from './quiet.ts'
import { makeTenants, serviceSettings, tenantSlug } from './tenants.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    load: { type: 'string', default: 'create' },
  },
})
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)]
const connections = 64

/** What the loud tenant does. Its lists read all that it has written. */
const loads: Record<string, Operation> = {
  create: operations[0]!,
  list: { name: 'list', method: 'GET', paths: ['/customers.php?sort=phone&notes[ne]=x&limit=1'] },
}
const load = loads[options.load]
if (!load) throw new Error(`There is no load ${options.load}.`)

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-fairness-'))
await using started = new AsyncDisposableStack()
started.defer(() => rmSync(directory, { recursive: true, force: true }))
const { node, cores, sync } = describeMachine(join(directory, 'sync'))
console.log(
  `Node ${node}, ${cores} cores, a commit ${sync.toFixed(1)} ms; the loud tenant: ${connections} × ${load.name}`,
)

const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'service') }
const tokens = await makeTenants(environment, 24)
const lanes = await withCatalog(readConfig(environment), async (catalog) =>
  Promise.all(tokens.map(async (_, at) => laneOf((await requireTenant(catalog, tenantSlug(at + 1))).id, writers()))),
)
const loud = tokens[0]!
const [same, other] = [quietToken((lane) => lane === lanes[0]), quietToken((lane) => lane !== lanes[0])]

const server = started.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
const clients = started.adopt(startMeter<Job>('load.ts'), (each) => each.end())
const caller = started.adopt(startMeter<QuietJob>('quiet.ts'), (each) => each.end())
const others = watchOthers()

type Figure = { p50: number; p99: number }
const figures = new Map<string, Figure[]>()
await loudly(operations[0]!, 2) // V8 is still compiling, and lists need something to read
for (const token of [same, other]) await quietly(token, 'POST', 1)
for (let round = 0; round < rounds; round++) {
  for (const method of ['GET', 'POST'] as const) {
    for (const [place, token] of [['same worker', same] as const, ['other worker', other] as const]) {
      note(`${method} ${place} alone`, await quietly(token, method, seconds))
      const work = loudly(load, seconds + 1.5)
      await new Promise((resolve) => setTimeout(resolve, 1000)) // the load has come up
      note(`${method} ${place} beside`, await quietly(token, method, seconds))
      note(`${method} ${place} loud`, await work)
    }
  }
}
report()

function writers(): number {
  return writersFor(availableParallelism())
}

function quietToken(suits: (lane: number) => boolean): string {
  return tokens[lanes.findIndex((lane, at) => at > 0 && suits(lane))]!
}

function loudly(operation: Operation, time: number) {
  return clients.measure({ urls: [server.url], tokens: [loud], operation, connections, seconds: time })
}

function quietly(token: string, method: 'GET' | 'POST', time: number) {
  return caller.measure({ url: server.url, token, method, seconds: time })
}

function note(name: string, figure: Figure & { rate: number }): void {
  figures.set(name, [...(figures.get(name) ?? []), figure])
}

function middle(name: string, which: keyof Figure): number {
  return figures
    .get(name)!
    .map((each) => each[which])
    .sort((a, b) => a - b)[Math.floor(rounds / 2)]!
}

function report(): void {
  const names = [...figures.keys()].filter((name) => name.endsWith(' alone')).map((name) => name.slice(0, -6))
  const lines = names.map((name) => {
    const [alone, beside] = [`${name} alone`, `${name} beside`]
    const ratio = middle(beside, 'p99') / middle(alone, 'p99')
    const times = [alone, beside].flatMap((each) => [middle(each, 'p50'), middle(each, 'p99')])
    return [name, ...times.map((time) => time.toFixed(2)), ratio.toFixed(1), middle(`${name} loud`, 'p99').toFixed(2)]
  })
  console.log(
    table([['the quiet tenant, ms', 'alone p50', 'p99', 'beside p50', 'p99', 'p99 ratio', 'loud p99'], ...lines]),
  )
  const share = others()
  if (share !== undefined)
    console.log(`All other processes together kept the cores ${(share * 100).toFixed(0)} % busy.`)
}
