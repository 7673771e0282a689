// The section on a thousand tenants at work.

import { pace } from '../harness/measure.ts'
import type { SpreadOutcome } from '../suites/many-writers.ts'
import { inFlight, outcomeTable, pacedTable, percent } from './tables.ts'

export function spreadSection({ tenants, openFiles, outcomes }: SpreadOutcome): string {
  const many = tenants.toLocaleString('en')
  return `## ${many} tenants at work

Requests that come to ${many} tenants in turn, so that next to no create can share a commit with another: each is a transaction
of its own, in a file of its own. Beside creates with a key stands the same limit.

**The limit**: what the disk allows (\`bench/baselines/fsync.ts\`): threads, as many as the service has writers, that go through the
files of as many tenants and commit in each a record with its history row, and do nothing else; one for a single
request in flight. The files are the service's, with
all their indexes; the durability is the same. **The bare engine**: \`node:http\` before as many threads, which run the service's
creates on those files and do nothing else (\`bench/baselines/engine-only-threads.ts\`): what lies between the limit and this is the price of being
asked over HTTP at all, on the same processors as those who ask. **few open**: the same service with its default \`SQLITE_MAX_OPEN_FILES\`, which is fewer than
there are tenants at work, so that most requests open a file; otherwise it is ${openFiles.toLocaleString('en')}. Before another has its turn,
each contender does what it has left until after the answers.

${outcomeTable(outcomes, inFlight)}

Latencies in an open loop, one round of each, at ${percent(pace)} of what the service took, or of the one of the two that took less:

${pacedTable(outcomes, inFlight)}`
}
