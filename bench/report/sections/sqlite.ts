// Writes the report's section on SQLite.

import { openLoopShare } from '../../harness/measure.ts'
import type { SqliteOutcome } from '../../suites/sqlite.ts'
import { byName, inFlight, openLoopTable, outcomeTable, percent } from '../tables.ts'

export function sqliteSection({ operations, byConcurrency, typical }: SqliteOutcome): string {
  return `## SQLite

**Minimal server** (\`bench/baselines/minimal-server.ts\`): \`node:http\` and \`node:sqlite\` in one process, with group
commit and fsync. It does not check, count or log anything. Its table has the columns of a record, but no index except
the primary key. Its list reads 50 rows as objects and serializes them.

**Engine only** (\`bench/baselines/engine-only.ts\`): the minimal server, but with the service's storage operations. A
create request writes everything that the service writes: the record with an index for every sort order, its history
row, the stored response for an Idempotency-Key, and the search index. The difference between the minimal server and
*engine only* is the cost of writing all this. The difference between *engine only* and the service is the cost of the
API and the threads.

${typicalText(typical)}

64 requests in flight, one tenant:

${outcomeTable(operations, byName)}

**Latencies** are measured in an open loop (\`bench/harness/load/open-loop-load.ts\`). Requests are due at a fixed rate. Each
latency is measured from the time the request was due, even if no connection was free to send it at that time. So if
the server pauses, every request that was due during the pause is affected (no coordinated omission). For example, one
pause of 40 ms in a second affects 4% of that second's requests, and so determines the p99. A client that waits for
each response would count the pause only once. Each contender receives requests at ${percent(openLoopShare)} of the
service's rate above, or at ${percent(openLoopShare)} of its own rate if that is lower.
[Decision 58](decisions/0058-what-the-slowest-creates-wait-for.md) explains what the slowest creates wait for.

${openLoopTable(operations, byName)}

Different numbers of requests in flight, one tenant:

${outcomeTable(byConcurrency, inFlight)}`
}

function typicalText(typical: SqliteOutcome['typical']): string {
  if ('unavailableReason' in typical)
    return `The typical stack (\`bench/baselines/typical\`) could not be started for comparison: ${typical.unavailableReason}`
  return `**Typical stack** (\`bench/baselines/typical\`: ${typical.versions}): the same API, written as a
team would usually write it. It has one database for all tenants. On every request it looks up the API key by its hash,
validates the body, and counts the request in a rate limiter. It writes the record and its history row in one
transaction, with the same durability as the service (WAL, \`synchronous = FULL\`). It ignores \`Idempotency-Key\` and
does not write a log.`
}
