// PostgreSQL: one node and three nodes against the limit, on one database, with the same tenants.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Job as LimitJob } from '../baselines/limit.ts'
import { type Batch, openRecorder, type Recording } from '../baselines/recording.ts'
import { baselineContender, serversContender, startClients } from '../harness/contenders.ts'
import { type Effort, halved, measureByTurns, type Outcome, paceByTurns, type Trial } from '../harness/measure.ts'
import { type Operation, operations } from '../harness/operations.ts'
import { type DatabaseServer, startDatabaseServer } from '../harness/postgres-server.ts'
import { type Server, startMeter, startNode } from '../harness/processes.ts'
import { makeTenants, serviceSettings } from '../harness/tenants.ts'

/** `trips`: a recording of each operation. `crowds`: by requests in flight; `tenants`: by number of tenants. */
export type PostgresOutcome = {
  version: string
  settings: Record<string, string>
  poolSizes: number[]
  trips: { name: string; recording: Recording }[]
  operations: Outcome[]
  crowds: Outcome[]
  tenants: Outcome[]
}

const [create, keyed, read] = operations as [Operation, Operation, Operation]
const usual = { connections: 64, tenants: 1 }
const trials: Trial[] = operations.map((operation) => ({ operation, ...usual }))
const crowds: Trial[] = [keyed, read].flatMap((operation) =>
  [1, 16, 256].map((connections) => ({ operation, connections, tenants: 1 })),
)
const tenants: Trial[] = [create, keyed].map((operation) => ({ operation, connections: 64, tenants: 100 }))

/** What the limit sends, by operation and number of tenants. */
type Recordings = Map<string, Recording[]>

export async function measurePostgres(directory: string, effort: Effort): Promise<PostgresOutcome> {
  mkdirSync(directory)
  await using started = new AsyncDisposableStack()
  const database = started.adopt(await startDatabaseServer(), (each) => each.end())
  const environment = { ...serviceSettings, DATA_DIR: join(directory, 'data'), DATABASE_URL: database.url }
  const tokens = await makeTenants(environment, 100)
  const { recordings, poolSizes } = await recordAll(environment, tokens)
  const recordingsOf = (trial: Trial) => recordings.get(nameOf(trial))!
  const limit = started.adopt(
    startMeter<LimitJob>('baselines/limit.ts', database.url, ...poolSizes.map(String)),
    (each) => each.end(),
  )
  const clients = started.adopt(startClients(), (each) => each.end())
  const nodes = await startNodes(3, environment, directory, started)
  const contenders = [
    baselineContender(
      limit,
      ({ trial, seconds }) => ({ recordings: recordingsOf(trial), connections: trial.connections, seconds }),
      database,
    ),
    serversContender('one node', clients, nodes.slice(0, 1), tokens, database),
    serversContender('three nodes', clients, nodes, tokens, database),
  ]
  const outcomes = await measureByTurns(contenders, [...trials, ...tenants], effort)
  await paceByTurns(contenders.slice(0, 2), outcomes.slice(0, trials.length), effort, 'one node')
  const byCrowd = await measureByTurns(contenders.slice(0, 2), crowds, halved(effort))
  await requireSound(database)
  return {
    version: database.version,
    settings: database.settings,
    poolSizes,
    trips: trials.map((trial) => ({ name: trial.operation.name, recording: withoutValues(recordingsOf(trial)[0]!) })),
    operations: outcomes.slice(0, trials.length),
    crowds: byCrowd,
    tenants: outcomes.slice(trials.length),
  }
}

/** What the report tells of it. */
function withoutValues(recording: Recording): Recording {
  const bare = (batch: Batch) => ({ ...batch, statements: batch.statements.map((each) => ({ ...each, values: [] })) })
  return recording.map((flight) => flight.map(bare))
}

/** What is started is put on `started`, to be ended in the reverse order. */
async function startNodes(
  count: number,
  environment: Record<string, string>,
  directory: string,
  started: AsyncDisposableStack,
): Promise<Server[]> {
  const nodes: Server[] = []
  for (let number = 1; number <= count; number++) {
    const node = await startNode(environment, join(directory, `node-${number}.log`))
    nodes.push(started.adopt(node, (each) => each.end()))
  }
  return nodes
}

async function recordAll(environment: Record<string, string>, tokens: string[]) {
  await using recorder = await openRecorder(environment)
  const recordings: Recordings = new Map()
  for (const trial of [...trials, ...tenants]) {
    recordings.set(nameOf(trial), await recorder.record(trial.operation, tokens.slice(0, trial.tenants)))
  }
  return { recordings, poolSizes: recorder.poolSizes() }
}

function nameOf({ operation, tenants }: Trial): string {
  return `${operation.name}, ${tenants}`
}

/** What was measured must have been done: every key has its answer, no history has a gap. */
async function requireSound(database: DatabaseServer): Promise<void> {
  const schemas = await database.query(`select nspname as name from pg_namespace where nspname ~ '^t_[a-z0-9]{20}$'`)
  for (const { name } of schemas) {
    const [found] = await database.query(`
      select (select count(*) from ${name}.stored_responses where status = 0)::int as unanswered,
        (select coalesce(max(seq), 0) - count(*) from ${name}.changes)::int as gaps,
        (select count(*) from ${name}.customers)::int - (select count(*) from ${name}.changes)::int as unwritten`)
    if (Object.values(found!).some((number) => number !== 0)) {
      throw new Error(`After the measurement ${name} was not sound: ${JSON.stringify(found)}`)
    }
  }
}
