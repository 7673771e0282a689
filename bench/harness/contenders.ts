// What is put under load: servers over HTTP, and a baseline that generates its own load.

import type { LoadResult } from './latencies.ts'
import type { Job } from './load.ts'
import { memoryOf, processorTime } from './machine.ts'
import type { Contender, Figures, Trial } from './measure.ts'
import type { Job as OpenLoopJob } from './open-loop-load.ts'
import type { DatabaseServer } from './postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, whenIdle } from './processes.ts'

/** The load generators of all contenders: one waits for each response, one sends at a fixed rate. */
export type Clients = { load: LoadProcess<Job>; openLoop: LoadProcess<OpenLoopJob>; end(): Promise<void> }

export function startClients(): Clients {
  const load = startLoadProcess<Job>('harness/load.ts')
  const openLoop = startLoadProcess<OpenLoopJob>('harness/open-loop-load.ts')
  return {
    load,
    openLoop,
    async end() {
      await load.end()
      await openLoop.end()
    },
  }
}

/** A baseline without a server: it generates the load itself. */
export function baselineContender<Job extends object>(
  name: string,
  process: LoadProcess<Job>,
  jobOf: (trial: Trial, seconds: number) => Job,
): Contender {
  const usage = { time: () => processorTime(process.pid), memory: () => memoryOf(process.pid) }
  return {
    name,
    measure: (trial, seconds) => withCosts(usage, undefined, () => process.measure(jobOf(trial, seconds))),
  }
}

/** The connections are spread over the servers. `tokens`: none for servers without API keys. */
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
    memory: () => sum(({ pid }) => memoryOf(pid)),
  }
  const urls = servers.map(({ url }) => url)
  const jobOf = ({ operation, connections, tenants }: Trial, seconds: number): Job => {
    return { urls, tokens: tokens.slice(0, tenants), operation, connections, seconds }
  }
  return {
    name,
    measure: (trial, seconds) => withCosts(usage, database, () => clients.load.measure(jobOf(trial, seconds))),
    openLoop: (trial, rate, seconds) => clients.openLoop.measure({ ...jobOf(trial, seconds), rate }),
    async settle() {
      for (const server of servers) await whenIdle(server)
    },
  }
}

/** Of the processes of a contender. */
type Usage = { time(): number; memory(): number }

async function withCosts(
  usage: Usage,
  database: DatabaseServer | undefined,
  work: () => Promise<LoadResult>,
): Promise<Figures> {
  const read = async () => [
    usage.time(),
    database?.processorTime() ?? Number.NaN,
    (await database?.transactions()) ?? Number.NaN,
  ]
  const before = await read()
  const result = await work()
  const after = await read()
  const [cost, databaseCost, transactions] = before.map((value, at) => (after[at]! - value) / result.requests)
  return { ...result, cost: cost!, databaseCost: databaseCost!, transactions: transactions!, memory: usage.memory() }
}
