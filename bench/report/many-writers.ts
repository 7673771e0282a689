// The section on creates spread over a thousand tenants.

import { openLoopShare } from '../harness/measure.ts'
import type { ManyWritersOutcome } from '../suites/many-writers.ts'
import { inFlight, openLoopTable, outcomeTable, percent } from './tables.ts'

export function manyWritersSection({ tenants, openFiles, rows }: ManyWritersOutcome): string {
  return `## ${tenants.toLocaleString('en')} active tenants

Requests go to ${tenants.toLocaleString('en')} tenants in turn, so that creates almost never share a commit: nearly each is a separate
transaction in another file.

**fsync only** (\`bench/baselines/fsync.ts\`) is what the disk allows. It has the same number of threads as the service has writers; they go
through the files of these tenants and commit a record with its history row in each. For one request in flight, only one thread runs. The
files have all of the service's indexes and the same durability. **Engine only** (\`bench/baselines/engine-only-threads.ts\`): \`node:http\`
in front of the same number of threads, which run the service's creates on these files. The difference from fsync only is the cost of
HTTP, on the same processors as the clients. **Few open**: the service with the default \`SQLITE_MAX_OPEN_FILES\`, which is less than the
number of active tenants, so most requests open a file. **Service** allows ${openFiles.toLocaleString('en')} open files. Every contender finishes its
background work before the next one is measured.

${outcomeTable(rows, inFlight)}

Latencies in an open loop, one round of each, at ${percent(openLoopShare)} of the service's rate, or of the contender's own if that is lower:

${openLoopTable(rows, inFlight)}`
}
