// Where the service's time goes under load, for each of its threads: node bench/profile.ts [operation] [--seconds 5]
// The operation is one of operations.ts by the beginning of its name; `create` unless given.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { table } from '../src/cli/rooms.ts'
import { type Operation, operations } from './operations.ts'
import { startClients, startService } from './processes.ts'

/** What `node --cpu-prof` writes; times in microseconds. */
type Profile = { startTime: number; nodes: Node[]; samples: number[]; timeDeltas: number[] }
type Span = { from: number; to: number }
type Node = { id: number; callFrame: Frame; children?: number[] }
type Frame = { functionName: string; url: string; lineNumber: number }

/** Functions of a thread that are printed. */
const shown = 45

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '5' } },
})
const operation = operations.findLast(({ name }) => name.startsWith(positionals[0] ?? 'create'))
if (!operation) throw new Error(`There is no operation ${positionals[0]}.`)
const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-profile-'))
try {
  const span = await load(Number(values.seconds))
  const files = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'))
  const profiles = files.map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as Profile)
  for (const profile of profiles) print(profile, span)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** The time of the load itself, on the clock of the profiles: the start of a program is another story. */
async function load(seconds: number): Promise<Span> {
  await using started = new AsyncDisposableStack()
  const service = await startService(join(directory, 'service'), ['--cpu-prof', `--cpu-prof-dir=${directory}`])
  started.adopt(service, (each) => each.end())
  const clients = started.adopt(startClients(), (each) => each.end())
  const job = (each: Operation, duration: number) =>
    clients.measure({ ...service, operation: each, connections: 64, seconds: duration })
  await job(operations[0]!, 1)
  await job(operation!, 1)
  const from = microseconds()
  await job(operation!, seconds)
  return { from, to: microseconds() }
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** `self`: the time in the function itself; `all`: with what it calls. Percent of the time the thread was not idle. */
function print({ startTime, nodes, samples, timeDeltas }: Profile, span: Span): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const [self, all] = [new Map<string, number>(), new Map<string, number>()]
  let now = startTime
  for (const [at, sample] of samples.entries()) {
    const time = timeDeltas[at]!
    now += time
    if (now < span.from || now > span.to) continue
    const stack = new Set<string>()
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) stack.add(nameOf(byId.get(id)!))
    add(self, nameOf(byId.get(sample)!), time)
    for (const name of stack) add(all, name, time)
  }
  const idle = self.get('(idle)') ?? 0
  const busy = (all.get('(root)') ?? 0) - idle
  if (busy < 500_000) return // a thread that had nothing to do
  console.log(`\n${Math.round(busy / 1000)} ms busy, ${Math.round(idle / 1000)} ms idle`)
  const share = (time = 0) => `${((time / busy) * 100).toFixed(1)} %`
  const ranked = [...self].filter(([name]) => name !== '(idle)').sort((one, other) => other[1] - one[1])
  console.log(
    table([
      ['self', 'all', 'function'],
      ...ranked.slice(0, shown).map(([name, time]) => [share(time), share(all.get(name)), name]),
    ]),
  )
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time)
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const path = url.startsWith('file:') ? relative(join(import.meta.dirname, '..'), fileURLToPath(url)) : url
  return path ? `${functionName || '(anonymous)'} ${path}:${lineNumber + 1}` : functionName
}
