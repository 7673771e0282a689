// What is put under load: servers, over HTTP, and limits, which are without one.

import type { Measured } from './latencies.ts'
import type { Job } from './load.ts'
import { holdingsOf, processorTime } from './machine.ts'
import type { Contender, Figures, Trial } from './measure.ts'
import type { Job as OpenLoopJob } from './open-loop-load.ts'
import type { DatabaseServer } from './postgres-server.ts'
import { type Meter, type Server, startMeter } from './processes.ts'

/** The clients of all contenders: those who wait for each answer, and those who come at a pace. */
export type Clients = { load: Meter<Job>; openLoop: Meter<OpenLoopJob>; end(): Promise<void> }

export function startClients(): Clients {
  const [load, openLoop] = [startMeter<Job>('harness/load.ts'), startMeter<OpenLoopJob>('harness/open-loop-load.ts')]
  return {
    load,
    openLoop,
    async end() {
      await load.end()
      await openLoop.end()
    },
  }
}

/** What has no door to knock at: it makes its load itself, as a job tells it. */
export function baselineContender<Job extends object>(
  limit: Meter<Job>,
  jobOf: (asked: { trial: Trial; seconds: number }) => Job,
  database?: DatabaseServer,
): Contender {
  const usage = { time: () => processorTime(limit.pid), memory: () => holdingsOf(limit.pid).memory }
  return {
    name: 'limit',
    measure: (trial, seconds) => withCosts(usage, database, () => limit.measure(jobOf({ trial, seconds }))),
  }
}

/** The clients are spread over the servers. `tokens`: none for those that know no keys. */
export function serversContender(
  name: string,
  clients: Clients,
  servers: Server[],
  tokens: string[],
  database?: DatabaseServer,
): Contender {
  const sum = (figure: (server: Server) => number) => servers.reduce((sum, server) => sum + figure(server), 0)
  const usage = {
    time: () => sum((server) => server.processorTime()),
    memory: () => sum(({ pid }) => holdingsOf(pid).memory),
  }
  const urls = servers.map(({ url }) => url)
  const jobOf = ({ operation, connections, tenants }: Trial, seconds: number): Job => {
    return { urls, tokens: tokens.slice(0, tenants), operation, connections, seconds }
  }
  return {
    name,
    measure: (trial, seconds) => withCosts(usage, database, () => clients.load.measure(jobOf(trial, seconds))),
    pace: (trial, rate, seconds) => clients.openLoop.measure({ ...jobOf(trial, seconds), rate }),
  }
}

/** What the processes of a contender take. */
type Usage = { time(): number; memory(): number }

async function withCosts(
  usage: Usage,
  database: DatabaseServer | undefined,
  work: () => Promise<Measured>,
): Promise<Figures> {
  const read = async () => {
    return [
      usage.time(),
      database?.processorTime() ?? Number.NaN,
      (await database?.transactions()) ?? Number.NaN,
    ] as const
  }
  const before = await read()
  const measured = await work()
  const after = await read()
  const [cost, databaseCost, transactions] = before.map((value, at) => (after[at]! - value) / measured.requests)
  const costs = { cost: cost!, databaseCost: databaseCost!, transactions: transactions! }
  return { ...measured, ...costs, memory: usage.memory() }
}
