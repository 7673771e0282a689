// What is put under load: servers, over HTTP, and limits, which are without one.

import type { Measured } from './latencies.ts'
import type { Job } from './load.ts'
import { holdingsOf, processorTime } from './machine.ts'
import type { Figures, Side, Trial } from './measure.ts'
import type { Job as PaceJob } from './open-loop-load.ts'
import type { DatabaseServer } from './postgres-server.ts'
import { type Meter, type Server, startMeter } from './processes.ts'

/** The clients of all sides: those who wait for each answer, and those who come at a pace. */
export type Clients = { load: Meter<Job>; pace: Meter<PaceJob>; end(): Promise<void> }

export function startClients(): Clients {
  const [load, pace] = [startMeter<Job>('harness/load.ts'), startMeter<PaceJob>('harness/open-loop-load.ts')]
  return {
    load,
    pace,
    async end() {
      await load.end()
      await pace.end()
    },
  }
}

/** What has no door to knock at: it makes its load itself, as a job tells it. */
export function limitSide<Job extends object>(
  limit: Meter<Job>,
  jobOf: (asked: { trial: Trial; seconds: number }) => Job,
  database?: DatabaseServer,
): Side {
  const usage = { time: () => processorTime(limit.pid), memory: () => holdingsOf(limit.pid).memory }
  return {
    name: 'limit',
    measure: (trial, seconds) => withCosts(usage, database, () => limit.measure(jobOf({ trial, seconds }))),
  }
}

/** The clients are spread over the servers. `tokens`: none for those that know no keys. */
export function serversSide(
  name: string,
  clients: Clients,
  servers: Server[],
  tokens: string[],
  database?: DatabaseServer,
): Side {
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
    pace: (trial, rate, seconds) => clients.pace.measure({ ...jobOf(trial, seconds), rate }),
  }
}

/** What the processes of a side take. */
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
