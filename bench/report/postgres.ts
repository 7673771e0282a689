// The section on PostgreSQL.

import { openLoopShare } from '../harness/measure.ts'
import type { PostgresOutcome } from '../suites/postgres.ts'
import { byName, inFlight, openLoopTable, outcomeTable, percent } from './tables.ts'

export function postgresSection(outcome: PostgresOutcome): string {
  const settings = Object.entries(outcome.settings).map(([name, value]) => `\`${name} = ${value}\``)
  return `## PostgreSQL

PostgreSQL ${outcome.version} with its default settings: ${settings.join(', ')}.

**Minimal server** (\`bench/baselines/minimal-postgres-server.ts\`): \`node:http\` and \`pg\`, with the same number of
connections as the service. A create is a transaction with the record and its history row, and its statements are
pipelined. History rows are numbered without gaps, as in the service. The server checks, counts and logs nothing, and
its tables have no index except the primary key.

64 requests in flight, one tenant:

${outcomeTable(outcome.operations, byName)}

Latencies in an open loop, at ${percent(openLoopShare)} of one node's rate:

${openLoopTable(outcome.operations, byName)}

The same load on 100 tenants in turn. Commits of one tenant wait for each other, because its history rows are numbered
without gaps. Commits of different tenants overlap:

${outcomeTable(outcome.manyTenants, byName)}

By requests in flight, one tenant:

${outcomeTable(outcome.byConcurrency, inFlight)}`
}
