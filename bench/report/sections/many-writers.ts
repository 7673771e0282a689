// Writes the report's section on creates spread over a thousand tenants.

import type { ManyWritersOutcome } from '../../suites/many-writers.ts'
import { inFlight, outcomeTable } from '../tables.ts'

export function manyWritersSection({ tenants, openFiles, rows }: ManyWritersOutcome): string {
  return `## ${tenants.toLocaleString('en')} active tenants

Requests go to ${tenants.toLocaleString('en')} tenants in turn. So create requests almost never share a commit: nearly
every one of them is a separate transaction in a different file.

**fsync only** (\`bench/baselines/fsync.ts\`) shows the highest rate that the disk allows. It runs as many threads as
the service has writers. The threads cycle through the files of these tenants and commit a record with its history row
in each. With one request in flight, only one thread runs. The files have the same indexes and durability settings as
those of the service. **Engine only** (\`bench/baselines/engine-only-threads.ts\`) passes requests from \`node:http\` to
the same number of threads, which run the service's create operation on these files. How far *engine only* falls behind
*fsync only* shows the cost of HTTP and of the service's storage code, which share the processors with the clients.
**Service** may keep ${openFiles.toLocaleString('en')} files open here. **Service, few open** keeps at most 256 open, as
every server does. This is less than the number of active tenants, so most requests have to open a file.
Every contender finishes its background work before the next one is measured.

${outcomeTable(rows, inFlight)}`
}
