// The section on a quiet tenant beside a loud one.

import { median } from '../harness/measure.ts'
import type { FairnessOutcome } from '../suites/fairness.ts'
import { markdownTable } from './tables.ts'

export function fairnessSection({ connections, seconds, quiet }: FairnessOutcome): string {
  const rows = quiet.map(({ load, method, place, alone, beside, loud }, at) => [
    load === quiet[at - 1]?.load ? '' : load,
    `${method}, ${place} worker`,
    ...[alone, beside].flatMap((rounds) => [median(rounds, 'p50').toFixed(1), median(rounds, 'p99').toFixed(1)]),
    (median(beside, 'p99') / median(alone, 'p99')).toFixed(1),
    Math.round(median(loud, 'rate')).toLocaleString('en'),
    median(loud, 'p99').toFixed(1),
  ])
  const head = [
    'the loud tenant',
    'the quiet one',
    'p50 ms alone',
    'p99',
    'p50 ms beside',
    'p99',
    'times',
    'loud: /s',
    'p99 ms',
  ]
  return `## A quiet tenant beside a loud one

How long a tenant waits that asks for one thing after another, with a pause between them, as a person causes it: alone, and beside
a tenant with ${connections} requests always in flight (\`bench/suites/fairness.ts\`). A tenant belongs to one of the node's writers; the loud one's is
the same or another. Measurements of ${seconds} s, by turns. **times**: the p99 beside the loud tenant to the one alone.

${markdownTable([head, ...rows])}`
}
