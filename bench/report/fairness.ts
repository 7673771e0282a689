// The section on a quiet tenant beside a loud one.

import type { FairnessOutcome } from '../suites/fairness.ts'
import { markdownTable } from './tables.ts'

export function fairnessSection({ connections, seconds, quietTenants }: FairnessOutcome): string {
  const rows = quietTenants.map(({ load, method, place, alone, beside, loud }, at) => [
    load === quietTenants[at - 1]?.load ? '' : load,
    `${method}, ${place} thread`,
    ...[alone, beside].flatMap(({ p50, p99 }) => [p50.toFixed(1), p99.toFixed(1)]),
    (beside.p99 / alone.p99).toFixed(1),
    Math.round(loud.rate).toLocaleString('en'),
    loud.p99.toFixed(1),
  ])
  const head = [
    ...['loud tenant', 'quiet tenant', 'p50 ms alone', 'p99', 'p50 ms beside', 'p99', 'factor'],
    ...['loud tenant: requests/s', 'p99 ms'],
  ]
  return `## A quiet tenant beside a loud one

How long a tenant waits that sends one request after another with a pause in between, as a person does: alone, and beside a tenant that
always has ${connections} requests in flight (\`bench/suites/fairness.ts\`). Every tenant belongs to one of the node's writer threads; the
loud tenant's is the same or another one. Measured for ${seconds} s, in turns. **factor**: p99 beside the loud tenant divided by p99 alone.

${markdownTable([head, ...rows])}`
}
