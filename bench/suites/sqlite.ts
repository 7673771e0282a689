// Compares the service on SQLite with a minimal server, the engine alone, and a typical stack.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startTypicalStack } from '../baselines/typical-stack.ts'
import { type Clients, serversContender, startClients } from '../harness/contenders.ts'
import { type Contender, type Effort, halved, measureInTurn, measureOpenLoop, type Trial } from '../harness/measure.ts'
import { operations } from '../harness/operations.ts'
import { startBaseline, startNode } from '../harness/processes.ts'
import { type Row, toRows } from '../harness/rows.ts'
import { seedRecords } from '../harness/seed/seed-over-http.ts'
import { seedTenants, serviceSettings } from '../harness/seed/tenants.ts'

export type SqliteOutcome = { operations: Row[]; byConcurrency: Row[]; typical: Typical }

/** The typical stack's versions, or why it could not be started. */
type Typical = { versions: string } | { unavailableReason: string }

const trials: Trial[] = operations.map((operation) => ({ operation, connections: 64, tenants: 1 }))
const concurrencyTrials: Trial[] = operations
  .slice(0, 3)
  .flatMap((operation) => [1, 16, 256].map((connections) => ({ operation, connections, tenants: 1 })))

export async function measureSqlite(directory: string, effort: Effort): Promise<SqliteOutcome> {
  mkdirSync(directory)
  const environment = { ...serviceSettings, DATA_DIR: join(directory, 'service') }
  await using cleanup = new AsyncDisposableStack()
  const clients = cleanup.adopt(startClients(), (each) => each.end())
  const minimal = cleanup.adopt(await startBaseline('minimal-server', directory), (each) => each.end())
  const engine = cleanup.adopt(await startBaseline('engine-only', directory), (each) => each.end())
  const tokens = await seedTenants(environment, 1)
  const node = cleanup.adopt(await startNode(environment, join(directory, 'service.log')), (each) => each.end())
  await Promise.all([seedRecords(minimal.url), seedRecords(engine.url), seedRecords(node.url, tokens[0])])
  const { contender: typicalContender, ...typical } = await startTypical(directory, clients, cleanup)
  const minimalContender = serversContender('minimal server', clients, [minimal], [])
  const service = serversContender('service', clients, [node], tokens)
  const contenders = [
    minimalContender,
    serversContender('engine only', clients, [engine], []),
    service,
    ...(typicalContender ? [typicalContender] : []),
  ]
  const outcomes = await measureInTurn(contenders, trials, effort)
  await measureOpenLoop(contenders, outcomes, effort)
  const byConcurrency = await measureInTurn([minimalContender, service], concurrencyTrials, halved(effort))
  await measureOpenLoop([minimalContender, service], byConcurrency, effort)
  return { operations: toRows(outcomes), byConcurrency: toRows(byConcurrency), typical: typical as Typical }
}

/** If the typical stack cannot be started, returns the reason. The suite then runs without this contender. */
async function startTypical(
  directory: string,
  clients: Clients,
  cleanup: AsyncDisposableStack,
): Promise<{ contender?: Contender } & Typical> {
  try {
    const { server, token, versions } = await startTypicalStack(directory)
    cleanup.adopt(server, (each) => each.end())
    await seedRecords(server.url, token)
    const skips = ({ operation }: Trial) => operation.freshKeys === true // the typical stack ignores Idempotency-Key
    return { versions, contender: { ...serversContender('typical stack', clients, [server], [token]), skips } }
  } catch (error) {
    return { unavailableReason: (error as Error).message.split('\n')[0]! }
  }
}
