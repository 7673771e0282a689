// The section on how cost grows.

import type { GrowthOutcome } from '../suites/growth/growth.ts'
import { byName, markdownTable, outcomeTable } from './tables.ts'

export function growthSection({ records, tenants }: GrowthOutcome): string {
  const nodes = tenants.nodes.map(({ tenants, createSeconds, startSeconds, memory }) => [
    tenants.toLocaleString('en'),
    ...[createSeconds, startSeconds].map((seconds) => seconds.toFixed(1)),
    ...Object.values(memory).map((each) => each.toFixed(0)),
  ])
  const head = ['tenants', 'create s', 'start s', 'MiB after start', 'MiB after one request each', 'MiB after load']
  return `## How cost grows

With the records of a tenant (and as many history rows), on one node, with 64 requests in flight. The ratio is to the smallest tenant. A
deep page comes after 85 % of the records:

${outcomeTable(records, byName)}

With the tenants of a node, which get requests in turn, 64 in flight. \`SQLITE_MAX_OPEN_FILES\` is ${tenants.openFiles.toLocaleString('en')}: with more
tenants, most requests open a file. Rounds are ${tenants.lengthFactor} times as long here, because files that were closed during another node's
turn are opened first:

${outcomeTable(tenants.rows, byName)}

${markdownTable([head, ...nodes], 1)}`
}
