// Writes the report's section on a quiet tenant with a noisy neighbour.

import type { FairnessOutcome } from '../../suites/fairness.ts'
import { markdownTable } from '../tables.ts'

export function fairnessSection({ connections, seconds, quietTenants }: FairnessOutcome): string {
  const rows = quietTenants.map(({ load, method, place, alone, withNeighbour, neighbour }, index) => [
    load === quietTenants[index - 1]?.load ? '' : load,
    `${method}, ${place} thread`,
    ...[alone, withNeighbour].flatMap(({ p50, p99 }) => [p50.toFixed(1), p99.toFixed(1)]),
    (withNeighbour.p99 / alone.p99).toFixed(1),
    Math.round(neighbour.rate).toLocaleString('en'),
    neighbour.p99.toFixed(1),
  ])
  const head = [
    'neighbour',
    'quiet tenant',
    'p50 ms alone',
    'p99',
    'p50 ms with neighbour',
    'p99',
    'factor',
    'neighbour: requests/s',
    'p99 ms',
  ]
  return `## A quiet tenant with a noisy neighbour

A quiet tenant sends one request at a time with pauses, as a person does. Its latencies are measured first without other
load (*alone*), and then while a neighbour always has ${connections} requests in flight (\`bench/suites/fairness.ts\`).
Each tenant belongs to one of the node's writer threads. The table shows whether the quiet tenant and the neighbour
share a thread. Each round takes ${seconds} s. **factor**: the p99 with the neighbour, divided by the p99 alone.

${markdownTable([head, ...rows])}`
}
