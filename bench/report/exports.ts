// The section on exports of a large list.

import type { ExportsOutcome } from '../suites/exports.ts'
import { markdownTable } from './tables.ts'

export function exportsSection(outcomes: ExportsOutcome[]): string {
  const rows = outcomes.flatMap(({ engine, records, alone, exports }) =>
    exports.map(({ name, rate, memory, p50, p99 }, index) => [
      ...[
        index === 0 ? `${engine}, ${records.toLocaleString('en')} records` : '',
        name,
        Math.round(rate).toLocaleString('en'),
        `+ ${memory.toFixed(0)}`,
      ],
      ...[index === 0 ? alone.toFixed(1) : '', p50.toFixed(1), p99.toFixed(1)],
    ]),
  )
  const head = ['', 'export', 'records/s', 'MiB', 'p99 ms alone', 'p50 ms', 'p99 ms']
  return `## Exports

Exports of a list of hardware to a file (\`bench/suites/exports.ts\`). **MiB**: growth of the node's resident memory.
**p50** and **p99**: latencies of another tenant that alternately reads a record and a list, with pauses, during the
export. **during writes**: the exported tenant creates records with 4 requests in flight, so the export has to
reconstruct its initial state from the history.

${markdownTable([head, ...rows])}`
}
