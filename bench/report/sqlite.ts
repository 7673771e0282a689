// The section on SQLite.

import { openLoopShare } from '../harness/measure.ts'
import type { SqliteOutcome } from '../suites/sqlite.ts'
import { byName, inFlight, openLoopTable, outcomeTable, percent } from './tables.ts'

export function sqliteSection({ operations, byConcurrency, typical }: SqliteOutcome): string {
  return `## SQLite

**Minimal server** (\`bench/baselines/minimal-server.ts\`): \`node:http\` and \`node:sqlite\` in one process, with group commit and
fsync. It checks, counts and logs nothing. Its table has the columns of a record and no index. Its list reads 50 rows as objects and
serializes them.

**Engine only** (\`bench/baselines/engine-only.ts\`): the minimal server, but with the storage operations of the service. A create
writes everything that the service writes: the record with an index for every sort order, its history row, the stored
response of an Idempotency-Key, and the search index. The difference from the minimal server is the cost of writing all
this; the difference from the service is the cost of the API and the threads.

${typicalText(typical)}

64 requests in flight, one tenant:

${outcomeTable(operations, byName)}

**Latencies** are measured in an open loop (\`bench/harness/open-loop-load.ts\`): requests are due at a fixed rate, and
latency is measured from the time the request was due, not from when a connection was free to send it. So a pause of the
server counts for every request that was due during the pause (no coordinated omission). One pause of 40 ms in a second
affects 4 % of that second's requests, and so determines the p99; a client that waits for each response would count the
pause only once. All contenders get the same rate: ${percent(openLoopShare)} of the service's rate above, or of the
contender's own if that is lower. [Decision 58](decisions/0058-what-the-slowest-creates-wait-for.md) explains what the
slowest creates wait for.

${openLoopTable(operations, byName)}

By requests in flight:

${outcomeTable(byConcurrency, inFlight)}

Latencies in an open loop:

${openLoopTable(byConcurrency, inFlight)}`
}

function typicalText(typical: SqliteOutcome['typical']): string {
  if ('absence' in typical)
    return `The typical stack (\`bench/baselines/typical\`) could not be started for comparison: ${typical.absence}`
  return `**Typical stack** (\`bench/baselines/typical\`: ${typical.versions}): the same API, written the way a team usually would. It has one
database for all tenants, an API key looked up by its hash on every request, a validated body, a rate limiter, the record and its
history row in one transaction, and the same durability (WAL, \`synchronous = FULL\`). It ignores \`Idempotency-Key\` and writes no log.`
}
