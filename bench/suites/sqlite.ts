// The embedded engine: the service against the floor.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startTypicalStack } from '../baselines/typical-stack.ts'
import { type Clients, serversContender, startClients } from '../harness/contenders.ts'
import {
  type Contender,
  type Effort,
  halved,
  measureByTurns,
  type Outcome,
  paceByTurns,
  type Trial,
} from '../harness/measure.ts'
import { operations } from '../harness/operations.ts'
import { type Server, startNode, startServer } from '../harness/processes.ts'
import { makeRecords } from '../harness/seed-over-http.ts'
import { makeTenants, serviceSettings } from '../harness/tenants.ts'

/** `crowds`: by requests in flight. */
export type SqliteOutcome = { operations: Outcome[]; crowds: Outcome[]; typical: Typical }

/** What the typical stack is made of, or why it was not there. */
type Typical = { versions: string } | { absence: string }

const trials: Trial[] = operations.map((operation) => ({ operation, connections: 64, tenants: 1 }))
const crowds: Trial[] = operations
  .slice(0, 3)
  .flatMap((operation) => [1, 16, 256].map((connections) => ({ operation, connections, tenants: 1 })))

/** Measures in a directory of its own, with one tenant. */
export async function measureSqlite(directory: string, effort: Effort): Promise<SqliteOutcome> {
  mkdirSync(directory)
  const environment = { ...serviceSettings, DATA_DIR: join(directory, 'service') }
  await using started = new AsyncDisposableStack()
  const clients = started.adopt(startClients(), (each) => each.end())
  const floor = started.adopt(await startBeside('minimal-server', directory, 'floor.sqlite'), (each) => each.end())
  const bare = started.adopt(await startBeside('engine-only', directory, 'bare'), (each) => each.end())
  const tokens = await makeTenants(environment, 1)
  const node = started.adopt(await startNode(environment, join(directory, 'service.log')), (each) => each.end())
  await Promise.all([makeRecords(floor.url), makeRecords(bare.url), makeRecords(node.url, tokens[0])])
  const contenders = [
    serversContender('floor', clients, [floor], []),
    serversContender('service', clients, [node], tokens),
  ]
  const typical = await typicalContender(directory, clients, started)
  const [first, ...others] = [...contenders, ...(typical.contender ? [typical.contender] : [])]
  const all = [first!, serversContender('bare engine', clients, [bare], []), ...others]
  const outcomes = await measureByTurns(all, trials, effort)
  await paceByTurns(all, outcomes, effort)
  const byCrowd = await measureByTurns(contenders, crowds, halved(effort))
  await paceByTurns(contenders, byCrowd, { ...halved(effort), rounds: 1 })
  const { contender: _, ...told } = typical
  return { operations: outcomes, crowds: byCrowd, typical: told }
}

/** A measurement without it is still one. What is started is put on `started`. */
async function typicalContender(
  directory: string,
  clients: Clients,
  started: AsyncDisposableStack,
): Promise<{ contender?: Contender } & Typical> {
  try {
    const { server, token, versions } = await startTypicalStack(directory)
    started.adopt(server, (each) => each.end())
    await makeRecords(server.url, token)
    const refuses = ({ operation }: Trial) => operation.freshKeys === true // it knows no Idempotency-Key
    return { versions, contender: { ...serversContender('typical', clients, [server], [token]), refuses } }
  } catch (error) {
    return { absence: (error as Error).message.split('\n')[0]! }
  }
}

/** A program of bench/baselines that keeps its data at `name`. */
function startBeside(program: string, directory: string, name: string): Promise<Server> {
  const line = [join(import.meta.dirname, '../baselines', `${program}.ts`), join(directory, name)]
  return startServer(line, {}, join(directory, `${program}.log`))
}
