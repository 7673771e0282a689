// Compares one node and three nodes on PostgreSQL with a minimal server. All of them use the same database server.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { serversContender, startClients } from '../harness/contenders.ts'
import { type Effort, halved, measureInTurn, measureOpenLoop, type Trial } from '../harness/measure.ts'
import { operations } from '../harness/operations.ts'
import { type DatabaseServer, startDatabaseServer } from '../harness/postgres-server.ts'
import { type Server, startBaseline, startNode } from '../harness/processes.ts'
import { type Row, toRows } from '../harness/rows.ts'
import { seedRecords } from '../harness/seed/seed-over-http.ts'
import { seedTenants, serviceSettings } from '../harness/seed/tenants.ts'

export type PostgresOutcome = {
  version: string
  settings: Record<string, string>
  operations: Row[]
  byConcurrency: Row[]
  manyTenants: Row[]
}

const [create, keyed, read] = [operations[0]!, operations[1]!, operations[2]!]
const trials: Trial[] = operations.map((operation) => ({ operation, connections: 64, tenants: 1 }))
const concurrencyTrials: Trial[] = [keyed, read].flatMap((operation) =>
  [1, 16, 256].map((connections) => ({ operation, connections, tenants: 1 })),
)
const manyTenantsTrials: Trial[] = [create, keyed].map((operation) => ({ operation, connections: 64, tenants: 100 }))

export async function measurePostgres(directory: string, effort: Effort): Promise<PostgresOutcome> {
  mkdirSync(directory)
  await using cleanup = new AsyncDisposableStack()
  const database = cleanup.adopt(await startDatabaseServer(), (each) => each.end())
  const environment = { ...serviceSettings, DATA_DIR: join(directory, 'data'), DATABASE_URL: database.url }
  const tokens = await seedTenants(environment, 100)
  const minimalUrl = await database.createDatabase('minimal')
  const minimal = cleanup.adopt(await startBaseline('minimal-postgres-server', directory, minimalUrl), (each) =>
    each.end(),
  )
  const clients = cleanup.adopt(startClients(), (each) => each.end())
  const nodes: Server[] = []
  for (const number of [1, 2, 3]) {
    const node = await startNode(environment, join(directory, `node-${number}.log`))
    nodes.push(cleanup.adopt(node, (each) => each.end()))
  }
  await Promise.all([seedRecords(minimal.url), seedRecords(nodes[0]!.url, tokens[0])])
  const skips = ({ tenants }: Trial) => tenants > 1
  const contenders = [
    { ...serversContender('minimal server', clients, [minimal], [], database), skips },
    serversContender('one node', clients, nodes.slice(0, 1), tokens, database),
    serversContender('three nodes', clients, nodes, tokens, database),
  ]
  const outcomes = await measureInTurn(contenders, [...trials, ...manyTenantsTrials], effort)
  const oneTenant = outcomes.slice(0, trials.length)
  await measureOpenLoop(contenders.slice(0, 2), oneTenant, effort, 'one node')
  const byConcurrency = await measureInTurn(contenders.slice(0, 2), concurrencyTrials, halved(effort))
  await requireConsistent(database)
  return {
    version: database.version,
    settings: database.settings,
    operations: toRows(oneTenant),
    byConcurrency: toRows(byConcurrency),
    manyTenants: toRows(outcomes.slice(trials.length)),
  }
}

/** Throws unless every Idempotency-Key has a response, every record has a history row, and no history has a gap. */
async function requireConsistent(database: DatabaseServer): Promise<void> {
  const schemas = await database.query(`select nspname as name from pg_namespace where nspname ~ '^t_[a-z0-9]{20}$'`)
  for (const { name } of schemas) {
    const [problems] = await database.query(`
      select (select count(*) from ${name}.stored_responses where status = 0)::int as unanswered,
        (select coalesce(max(seq), 0) - count(*) from ${name}.changes)::int as gaps,
        (select count(*) from ${name}.customers)::int - (select count(*) from ${name}.changes)::int as unwritten`)
    if (Object.values(problems!).some((count) => count !== 0))
      throw new Error(`After the measurement, ${name} is not consistent: ${JSON.stringify(problems)}`)
  }
}
