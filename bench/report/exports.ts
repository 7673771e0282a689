// The section on exports of a large list.

import type { ExportsOutcome } from '../suites/exports.ts'
import { markdownTable } from './tables.ts'

export function exportsSection(outcomes: ExportsOutcome[]): string {
  const rows = outcomes.flatMap(({ engine, records, alone, exports }) =>
    exports.map(({ outcome, rate, memory, p50, p99 }, at) => [
      ...[
        at === 0 ? `${engine}, ${records.toLocaleString('en')} records` : '',
        outcome,
        Math.round(rate).toLocaleString('en'),
        `+ ${memory.toFixed(0)}`,
      ],
      ...[at === 0 ? alone.toFixed(1) : '', p50.toFixed(1), p99.toFixed(1)],
    ]),
  )
  const head = ['', 'export', 'records/s', 'MiB', 'p99 ms alone', 'p50 ms', 'p99 ms']
  return `## Exports

A list of hardware as a file (\`bench/suites/exports.ts\`). **MiB**: how much the resident memory of the node grows.
**p50** and **p99**: of another tenant that reads a record and a list in turns meanwhile, with a pause in between. **during writes**: the
exported tenant creates records meanwhile with 4 requests in flight, so that the list as of the start has to be found in the history.

${markdownTable([head, ...rows])}`
}
