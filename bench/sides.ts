// What is put under load on PostgreSQL: the limit, and nodes of the service.

import type { Job as LimitJob } from './limit.ts'
import type { Job } from './load.ts'
import { processorTime } from './machine.ts'
import type { Figures, Side, Trial } from './measure.ts'
import type { Measured } from './measured.ts'
import type { DatabaseServer } from './postgres-server.ts'
import type { Meter, Server } from './processes.ts'
import type { Recording } from './recording.ts'

/** `recordingsOf`: what the limit sends in a trial. */
export function limitSide(
  limit: Meter<LimitJob>,
  recordingsOf: (trial: Trial) => Recording[],
  database: DatabaseServer,
): Side {
  const time = () => processorTime(limit.pid)
  return {
    name: 'limit',
    measure: (trial, seconds) =>
      withCosts(time, database, () => {
        const { connections } = trial
        return limit.measure({ recordings: recordingsOf(trial), connections, seconds })
      }),
  }
}

/** The clients are spread over the nodes. */
export function nodesSide(
  name: string,
  clients: Meter<Job>,
  nodes: Server[],
  tokens: string[],
  database: DatabaseServer,
): Side {
  const time = () => nodes.reduce((sum, node) => sum + node.processorTime(), 0)
  const urls = nodes.map(({ url }) => url)
  return {
    name,
    measure: ({ operation, connections, tenants }, seconds) =>
      withCosts(time, database, () => {
        return clients.measure({ urls, tokens: tokens.slice(0, tenants), operation, connections, seconds })
      }),
  }
}

async function withCosts(
  time: () => number,
  database: DatabaseServer,
  work: () => Promise<Measured>,
): Promise<Figures> {
  const before = [time(), database.processorTime(), await database.transactions()] as const
  const measured = await work()
  const after = [time(), database.processorTime(), await database.transactions()] as const
  const [cost, databaseCost, transactions] = before.map((value, at) => (after[at]! - value) / measured.requests)
  return { ...measured, cost: cost!, databaseCost: databaseCost!, transactions: transactions! }
}
