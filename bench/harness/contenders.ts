// Creates a measurement's contenders: servers that are called over HTTP, and a baseline that generates its own
// load.

import type { LoadResult } from './load/latencies.ts'
import type { LoadOptions } from './load/load.ts'
import type { OpenLoopOptions } from './load/open-loop-load.ts'
import { memoryOf, processorTime } from './machine.ts'
import type { Contender, Figures, Trial } from './measure.ts'
import type { DatabaseServer } from './postgres-server.ts'
import { type LoadProcess, type Server, startLoadProcess, whenIdle } from './processes.ts'

/** The load generators, which all contenders share. `load` waits for each response, and `openLoop` sends at a fixed
 *  rate. */
export type Clients = { load: LoadProcess<LoadOptions>; openLoop: LoadProcess<OpenLoopOptions>; end(): Promise<void> }

export function startClients(): Clients {
  const load = startLoadProcess<LoadOptions>('harness/load/load.ts')
  const openLoop = startLoadProcess<OpenLoopOptions>('harness/load/open-loop-load.ts')
  return {
    load,
    openLoop,
    async end() {
      await load.end()
      await openLoop.end()
    },
  }
}

/** Returns a contender for a baseline that has no server and generates its own load. */
export function baselineContender<Options extends object>(
  name: string,
  process: LoadProcess<Options>,
  optionsOf: (trial: Trial, seconds: number) => Options,
): Contender {
  const usage = { time: () => processorTime(process.pid), memory: () => memoryOf(process.pid) }
  return {
    name,
    measure: (trial, seconds) => withCosts(usage, undefined, () => process.measure(optionsOf(trial, seconds))),
  }
}

/** Returns a contender for one or more servers. The load generators spread their connections over the servers. `tokens`
 *  is empty if the servers do not use API keys. */
export function serversContender(
  name: string,
  clients: Clients,
  servers: Server[],
  tokens: string[],
  database?: DatabaseServer,
): Contender {
  const sumOf = (figure: (server: Server) => number) => servers.reduce((sum, server) => sum + figure(server), 0)
  const usage = {
    time: () => sumOf((server) => server.processorTime()),
    memory: () => sumOf(({ pid }) => memoryOf(pid)),
  }
  const urls = servers.map(({ url }) => url)
  const optionsOf = ({ operation, connections, tenants }: Trial, seconds: number): LoadOptions => {
    return { urls, tokens: tokens.slice(0, tenants), operation, connections, seconds }
  }
  return {
    name,
    measure: (trial, seconds) => withCosts(usage, database, () => clients.load.measure(optionsOf(trial, seconds))),
    openLoop: (trial, rate, seconds) => clients.openLoop.measure({ ...optionsOf(trial, seconds), rate }),
    async settle() {
      for (const server of servers) await whenIdle(server)
    },
  }
}

/** Functions that read the CPU time and memory of a contender's processes. */
type Usage = { time(): number; memory(): number }

async function withCosts(
  usage: Usage,
  database: DatabaseServer | undefined,
  measure: () => Promise<LoadResult>,
): Promise<Figures> {
  const read = async () => [
    usage.time(),
    database?.processorTime() ?? Number.NaN,
    (await database?.transactions()) ?? Number.NaN,
  ]
  const before = await read()
  const result = await measure()
  const after = await read()
  const [cost, databaseCost, transactions] = before.map((value, index) => (after[index]! - value) / result.requests)
  return { ...result, cost: cost!, databaseCost: databaseCost!, transactions: transactions!, memory: usage.memory() }
}
