// The section on the embedded engine.

import { pace } from '../harness/measure.ts'
import type { SqliteOutcome } from '../suites/sqlite.ts'
import { byName, inFlight, outcomeTable, pacedTable, percent } from './tables.ts'

export function sqliteSection({ operations, crowds, typical }: SqliteOutcome): string {
  return `## SQLite

**The floor**: \`node:http\` and \`node:sqlite\` in one process with group commit and fsync, and nothing checked, counted, logged
or kept (\`bench/baselines/minimal-server.ts\`). Its table has the columns of a record, and no index; its list reads 50 rows into objects and
stringifies them.

**The bare engine**: the floor's process with the operations of the service in place of the floor's statements
(\`bench/baselines/engine-only.ts\`). A create writes all that it has to: the record with an index for each order that lists are sorted in,
its history row, the kept answer of a key, the search index. Still nothing is checked, counted or logged. What lies between
the floor and this is the price of what is stored; what lies between this and the service is the price of serving it.

${typicalText(typical)}

64 requests in flight, one tenant:

${outcomeTable(operations, byName)}

${paceText}The same pace for all: ${percent(pace)} of what the service took above, or of what a contender itself took where that is less.

${pacedTable(operations, byName)}

By requests in flight:

${outcomeTable(crowds, inFlight)}

Latencies at their pace, one round of each:

${pacedTable(crowds, inFlight)}`
}

function typicalText(typical: SqliteOutcome['typical']): string {
  if ('absence' in typical)
    return `The typical stack (\`bench/baselines/typical\`) was not there to compare with: ${typical.absence}`
  return `**The typical stack**: the same requests answered as a team would write it (\`bench/baselines/typical\`: ${typical.versions}): one
database for all tenants, a key looked up by its hash per request, a validated body, a limiter, the record and its history row in
one transaction, and the same durability (WAL, \`synchronous = FULL\`). It knows no \`Idempotency-Key\`, and writes no log.`
}

const paceText = `**Latencies**, in an open loop (\`bench/harness/open-loop-load.ts\`): requests are due at a fixed rate, and a latency counts from the moment
when its request was due, not from when a connection was free to send it; so a standstill is felt by all who would have come
meanwhile (no coordinated omission), and the contenders are compared doing the same work. A clock of milliseconds sends what is due.
`
