// A soak test: mixed load of many tenants with backups, moves and kills, then the same without kills, in which neither memory nor
// descriptors may grow. At the end, the history of every tenant must be what its clients know.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPanelUser, signedIn } from '../../test/support/panel-client.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'
import { makeTenants, tenantSlug } from '../harness/tenants.ts'
import { clientOf, runClient } from './clients.ts'
import { fail, type Ledger, openLedger, requireNothingLost } from './ledger.ts'
import { backUpRepeatedly, type Deeds, killRepeatedly, moveRepeatedly, runCommand } from './operator.ts'
import { type Sample, type SoakServer, startSoakServer } from './server.ts'

export type Engine = 'SQLite' | 'PostgreSQL'

/** Kills come in the first third of the time; of the rest, the first third is for warming up. */
export type SoakPlan = {
  engine: Engine
  tenants: number
  seconds: number
  clients: number
  kills: number
  say: (what: string) => void
}

/** Means over the first and the last quarter of the time after warming up; `slope` in MiB per minute. */
export type Growth = { memory: [number, number]; slope: number; descriptors: [number, number] }

export type SoakOutcome = Pick<SoakPlan, 'engine' | 'tenants' | 'seconds'> &
  Ledger['counts'] &
  Deeds & { kills: number; rows: number; p50: number; p99: number; growth: Growth; failures: string[] }

export async function soak(directory: string, plan: SoakPlan): Promise<SoakOutcome> {
  const { say } = plan
  mkdirSync(directory, { recursive: true })
  await using started = new AsyncDisposableStack()
  const database = started.adopt(await startDatabaseServer(), (each) => each.end())
  const settings = {
    DATA_DIR: join(directory, 'data'),
    ...(plan.engine === 'PostgreSQL' && { DATABASE_URL: await database.createDatabase('soak') }),
  }
  say(`creating ${plan.tenants} tenants`)
  const ledger = openLedger(await makeTenants(settings, plan.tenants), tenantSlug)
  await createPanelUser(settings, 'soak@example.com')
  const server = started.adopt(
    await startSoakServer(settings, join(directory, 'log')),
    async (each) => void (await each.end()),
  )
  await runCommand(server, ledger, ['server', 'add', 'other', '-'], await database.createDatabase('other'))

  const deeds = { backups: 0, moves: 0 }
  const samples = await runLoad(server, ledger, plan, deeds, join(directory, 'backup'))
  say(`checking the history of ${plan.tenants} tenants and the backups`)
  const rows = await checkTenants(server, ledger)
  await runCommand(server, ledger, ['verify', join(directory, 'backup')])
  const kills = server.kills()
  const code = await server.end()
  if (code !== 0) fail(ledger, `the server exits with ${code}`)
  const { engine, tenants, seconds } = plan
  const growth = growthOf(samples, plan)
  if (seconds >= shortestGrowthSeconds) requireNoGrowth(ledger, growth)
  const latencies = ledger.latencies.sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  const figures = { kills, rows, p50: quantile(0.5), p99: quantile(0.99), growth, failures: ledger.failures }
  return { engine, tenants, seconds, ...ledger.counts, ...deeds, ...figures }
}

/** Returns the samples of the last process under load: a backup can go on after it. */
async function runLoad(
  server: SoakServer,
  ledger: Ledger,
  plan: SoakPlan,
  deeds: Deeds,
  directory: string,
): Promise<Sample[]> {
  const { engine, seconds, clients, kills, say } = plan
  const end = performance.now() + seconds * 1000
  const isOver = () => performance.now() > end || ledger.failures.length >= 100
  const person = await signedIn(server.origin, 'soak@example.com')
  const everyMs = Math.min(5000, seconds * 50)
  const between: [string, string] = [engine === 'SQLite' ? 'sqlite' : 'main', 'other']
  const progress = setInterval(() => say(describeProgress(server, ledger, deeds)), 30_000)
  const load = Promise.all(Array.from({ length: clients }, () => runClient(server, ledger, person, isOver)))
  const [samples] = await Promise.all([
    load.then(() => [...server.samples()]),
    killRepeatedly(server, kills, seconds * 333),
    backUpRepeatedly(server, ledger, deeds, { directory, everyMs, isOver }),
    moveRepeatedly(server, ledger, deeds, { between, everyMs, isOver }),
  ])
  clearInterval(progress)
  return samples
}

function describeProgress(server: SoakServer, { counts, failures }: Ledger, { backups, moves }: Deeds): string {
  const { memory = 0, descriptors = 0 } = server.samples().at(-1) ?? {}
  const work = `${counts.changes} changes, ${counts.reads} reads, ${backups} backups, ${moves} moves, ${server.kills()} kills`
  return `${work}; ${memory.toFixed(0)} MiB, ${descriptors} descriptors; ${failures.length} failures`
}

/** Returns the number of history rows of all tenants. */
async function checkTenants(server: SoakServer, ledger: Ledger): Promise<number> {
  let rows = 0
  for (const tenant of ledger.tenants) {
    const client = clientOf(server, tenant.token)
    const get = async (path: string) => {
      const { status, text, body } = await client('GET', path)
      if (status !== 200) throw new Error(`${path} is ${status} ${text}`)
      return body
    }
    try {
      rows += await requireNothingLost(tenant, get)
    } catch (error) {
      fail(ledger, (error as Error).message)
    }
  }
  return rows
}

/** From the samples of the last process, after warming up. */
function growthOf(samples: Sample[], { seconds }: SoakPlan): Growth {
  const measured = samples.filter(({ at }) => at > (seconds * 2) / 9)
  const quarter = Math.ceil(measured.length / 4)
  const [first, last] = [measured.slice(0, quarter), measured.slice(-quarter)]
  const ends = (name: 'memory' | 'descriptors'): [number, number] => [mean(first, name), mean(last, name)]
  const minutes = (mean(last, 'at') - mean(first, 'at')) / 60
  const memory = ends('memory')
  return { memory, slope: (memory[1] - memory[0]) / minutes, descriptors: ends('descriptors') }
}

function mean(samples: Sample[], name: keyof Sample): number {
  return samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length
}

/** A shorter run ends before caches are full. */
const shortestGrowthSeconds = 240

/** Fluctuation that is no growth: of the garbage collector, and of connections and files that come and go. */
const allowed = { memory: 1.1, descriptors: 1.1 }

function requireNoGrowth(ledger: Ledger, { memory, descriptors }: Growth): void {
  if (memory[1] > memory[0] * allowed.memory) fail(ledger, `memory grew from ${memory[0]} to ${memory[1]} MiB`)
  if (descriptors[1] > descriptors[0] * allowed.descriptors)
    fail(ledger, `descriptors grew from ${descriptors[0]} to ${descriptors[1]}`)
}
