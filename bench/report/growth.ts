// The section on how cost grows.

import type { GrowthOutcome } from '../suites/growth/growth.ts'
import { byName, markdownTable, outcomeTable } from './tables.ts'

export function growthSection({ rows, tenants }: GrowthOutcome): string {
  const nodes = tenants.nodes.map((node) => [
    node.tenants.toLocaleString('en'),
    ...[node.making, node.starting].map((seconds) => seconds.toFixed(1)),
    ...Object.values(node.memory).map((memory) => memory.toFixed(0)),
  ])
  const head = ['tenants', 'made in s', 'started in s', 'MiB started', 'MiB each asked once', 'MiB after load']
  return `## How cost grows

With the records of a tenant (and as many history rows), on one node, 64 requests in flight; the ratio is to the smallest. A deep
page is behind 85 of 100 records:

${outcomeTable(rows, byName)}

With the tenants of a node, whose requests come in turn, 64 in flight. \`SQLITE_MAX_OPEN_FILES\` is ${tenants.openFiles.toLocaleString('en')}: where there are more
tenants than that, most requests open a file. Rounds are ${tenants.patience} times as long here: files that were closed while another node had its
turn are opened first:

${outcomeTable(tenants.outcomes, byName)}

${markdownTable([head, ...nodes], 1)}`
}
