// Runs a soak test. The test first puts a mixed load on many tenants, with backups, moves and kills. It then continues
// without kills and checks that memory and file descriptors do not grow. At the end, every tenant must have the history
// and the records that its clients expect.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPanelUser, signIn } from '../../test/support/panel/panel-client.ts'
import { startDatabaseServer } from '../harness/postgres-server.ts'
import { seedTenants, tenantSlug } from '../harness/seed/tenants.ts'
import { clientOf, runClient } from './clients.ts'
import { fail, type Ledger, openLedger, requireNothingLost } from './ledger.ts'
import { backUpRepeatedly, type CommandCounts, killRepeatedly, moveRepeatedly, runCommand } from './operator.ts'
import { type Sample, type SoakServer, startSoakServer } from './server.ts'

export type Engine = 'SQLite' | 'PostgreSQL'

/** The server is killed only in the first third of the run. The first third of the remaining time is the warm-up. */
export type SoakPlan = {
  engine: Engine
  tenants: number
  seconds: number
  clients: number
  kills: number
  log: (message: string) => void
}

/** The mean values in the first and in the last quarter of the time after the warm-up. `slope` is in MiB per minute. */
export type Growth = { memory: [number, number]; slope: number; descriptors: [number, number] }

export type SoakOutcome = Pick<SoakPlan, 'engine' | 'tenants' | 'seconds'> &
  Ledger['counts'] &
  CommandCounts & { kills: number; rows: number; p50: number; p99: number; growth: Growth; failures: string[] }

export async function soak(directory: string, plan: SoakPlan): Promise<SoakOutcome> {
  const { log } = plan
  mkdirSync(directory, { recursive: true })
  await using cleanup = new AsyncDisposableStack()
  const database = cleanup.adopt(await startDatabaseServer(), (server) => server.end())
  const settings = {
    DATA_DIR: join(directory, 'data'),
    ...(plan.engine === 'PostgreSQL' && { DATABASE_URL: await database.createDatabase('soak') }),
  }
  log(`creating ${plan.tenants} tenants`)
  const ledger = openLedger(await seedTenants(settings, plan.tenants), tenantSlug)
  await createPanelUser(settings, 'soak@example.com')
  const server = cleanup.adopt(
    await startSoakServer(settings, join(directory, 'log')),
    async (server) => void (await server.end()),
  )
  await runCommand(server, ledger, ['server', 'add', 'other', '-'], await database.createDatabase('other'))

  const commandCounts = { backups: 0, moves: 0 }
  const samples = await runLoad(server, ledger, plan, commandCounts, join(directory, 'backup'))
  log(`checking the history of ${plan.tenants} tenants and the backups`)
  const rows = await checkTenants(server, ledger)
  await runCommand(server, ledger, ['verify', join(directory, 'backup')])
  const kills = server.kills()
  const code = await server.end()
  if (code !== 0) fail(ledger, `the server exited with ${code}`)
  const { engine, tenants, seconds } = plan
  const growth = growthOf(samples, plan)
  if (seconds >= shortestGrowthSeconds) checkGrowth(ledger, growth)
  const latencies = ledger.latencies.sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  const figures = { kills, rows, p50: quantile(0.5), p99: quantile(0.99), growth, failures: ledger.failures }
  return { engine, tenants, seconds, ...ledger.counts, ...commandCounts, ...figures }
}

/** A short run on a slow machine is extended by up to this time, until changes and reads have been answered. */
const graceMs = 60_000

function hasAnswers({ counts }: Ledger): boolean {
  return counts.changes > 0 && counts.reads > 0
}

/** Returns the samples of the last server process up to the end of the load. Later samples are left out, because a
 *  backup can run longer than the load. */
async function runLoad(
  server: SoakServer,
  ledger: Ledger,
  plan: SoakPlan,
  commandCounts: CommandCounts,
  directory: string,
): Promise<Sample[]> {
  const { engine, seconds, clients, kills, log } = plan
  const end = performance.now() + seconds * 1000
  const isOver = () => ledger.failures.length >= 100 || performance.now() > (hasAnswers(ledger) ? end : end + graceMs)
  const person = await signIn(server.origin, 'soak@example.com')
  const intervalMs = Math.min(5000, seconds * 50)
  const servers: [string, string] = [engine === 'SQLite' ? 'sqlite' : 'main', 'other']
  const progress = setInterval(() => log(describeProgress(server, ledger, commandCounts)), 30_000)
  const load = Promise.all(Array.from({ length: clients }, () => runClient(server, ledger, person, isOver)))
  const [samples] = await Promise.all([
    load.then(() => [...server.samples()]),
    killRepeatedly(server, kills, seconds * 333),
    backUpRepeatedly(server, ledger, commandCounts, { directory, intervalMs, isOver }),
    moveRepeatedly(server, ledger, commandCounts, { servers, intervalMs, isOver }),
  ])
  clearInterval(progress)
  return samples
}

function describeProgress(server: SoakServer, { counts, failures }: Ledger, { backups, moves }: CommandCounts): string {
  const { memory = 0, descriptors = 0 } = server.samples().at(-1) ?? {}
  const progress = `${counts.changes} changes, ${counts.reads} reads, ${backups} backups, ${moves} moves, ${server.kills()} kills`
  return `${progress}; ${memory.toFixed(0)} MiB, ${descriptors} descriptors; ${failures.length} failures`
}

/** Checks all tenants. Returns the total number of history rows. */
async function checkTenants(server: SoakServer, ledger: Ledger): Promise<number> {
  let rows = 0
  for (const tenant of ledger.tenants) {
    const client = clientOf(server, tenant.token)
    const get = async (path: string) => {
      const { status, text, body } = await client('GET', path)
      if (status !== 200) throw new Error(`${path} returned ${status} ${text}`)
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

/** Computes the growth from the last process's samples, excluding the warm-up. */
function growthOf(samples: Sample[], { seconds }: SoakPlan): Growth {
  const measured = samples.filter(({ uptimeSeconds }) => uptimeSeconds > (seconds * 2) / 9)
  const quarter = Math.ceil(measured.length / 4)
  const [first, last] = [measured.slice(0, quarter), measured.slice(-quarter)]
  const endMeans = (name: 'memory' | 'descriptors'): [number, number] => [mean(first, name), mean(last, name)]
  const minutes = (mean(last, 'uptimeSeconds') - mean(first, 'uptimeSeconds')) / 60
  const memory = endMeans('memory')
  return { memory, slope: (memory[1] - memory[0]) / minutes, descriptors: endMeans('descriptors') }
}

function mean(samples: Sample[], name: keyof Sample): number {
  return samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length
}

/** Growth is not checked in shorter runs, because they end before the caches are full. */
const shortestGrowthSeconds = 240

/** Growth up to these factors is tolerated, because garbage collection, connections and open files cause some
 *  fluctuation. */
const allowedGrowth = { memory: 1.1, descriptors: 1.1 }

function checkGrowth(ledger: Ledger, { memory, descriptors }: Growth): void {
  if (memory[1] > memory[0] * allowedGrowth.memory) fail(ledger, `memory grew from ${memory[0]} to ${memory[1]} MiB`)
  if (descriptors[1] > descriptors[0] * allowedGrowth.descriptors)
    fail(ledger, `descriptors grew from ${descriptors[0]} to ${descriptors[1]}`)
}
