// Writes the report's section on how cost grows.

import type { GrowthOutcome } from '../../suites/growth/growth.ts'
import { byName, markdownTable, outcomeTable } from '../tables.ts'

export function growthSection({ records, tenants }: GrowthOutcome): string {
  const nodes = tenants.nodes.map(({ tenants, createSeconds, startSeconds, memory }) => [
    tenants.toLocaleString('en'),
    ...[createSeconds, startSeconds].map((seconds) => seconds.toFixed(1)),
    ...Object.values(memory).map((mebibytes) => mebibytes.toFixed(0)),
  ])
  const head = [
    'tenants',
    'seconds to create',
    'seconds to start',
    'MiB after start',
    'MiB after one request per tenant',
    'MiB after load',
  ]
  return `## How cost grows

The tenants of one node have different numbers of records. Each record has one history row. There are 64 requests in
flight. The ratio is relative to the smallest tenant. A *deep page* starts after 85% of the records.

${outcomeTable(records, byName)}

The next table compares nodes with different numbers of tenants. Requests go to the tenants in turn, with 64 requests in
flight. Here a node keeps up to ${tenants.openFiles.toLocaleString('en')} files open. If it has more tenants than this,
most requests have to open a file. Rounds are ${tenants.lengthFactor} times as long as in the other tables, because a
node first reopens the files that it closed while other nodes were measured.

${outcomeTable(tenants.rows, byName)}

${markdownTable([head, ...nodes], 1)}`
}
