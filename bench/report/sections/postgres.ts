// Writes the report's section on PostgreSQL.

import { openLoopShare } from '../../harness/measure.ts'
import type { PostgresOutcome } from '../../suites/postgres.ts'
import { byName, inFlight, openLoopTable, outcomeTable, percent } from '../tables.ts'

export function postgresSection(outcome: PostgresOutcome): string {
  const settings = Object.entries(outcome.settings).map(([name, value]) => `\`${name} = ${value}\``)
  return `## PostgreSQL

PostgreSQL ${outcome.version} with its default settings: ${settings.join(', ')}.

**Minimal server** (\`bench/baselines/minimal-postgres-server.ts\`): \`node:http\` and \`pg\`, with the same number of
connections as the service. A create request writes the record and its history row in one transaction, with pipelined
statements. History rows are numbered without gaps, as in the service. The server does not check, count or log anything,
and its tables have no index except the primary key.

64 requests in flight, one tenant:

${outcomeTable(outcome.operations, byName)}

Latencies in an open loop, at ${percent(openLoopShare)} of one node's rate:

${openLoopTable(outcome.operations, byName)}

The same load, sent to 100 tenants in turn. A tenant's commits wait for each other, because its history rows are
numbered without gaps. Commits of different tenants overlap:

${outcomeTable(outcome.manyTenants, byName)}

Different numbers of requests in flight, one tenant:

${outcomeTable(outcome.byConcurrency, inFlight)}`
}
