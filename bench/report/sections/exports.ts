// Writes the report's section on exports of a large list.

import type { ExportsOutcome } from '../../suites/exports.ts'
import { markdownTable } from '../tables.ts'

export function exportsSection(outcomes: ExportsOutcome[]): string {
  const rows = outcomes.flatMap(({ engine, records, alone, exports }) =>
    exports.map(({ name, rate, memory, p50, p99 }, index) => [
      index === 0 ? `${engine}, ${records.toLocaleString('en')} records` : '',
      name,
      Math.round(rate).toLocaleString('en'),
      `+ ${memory.toFixed(0)}`,
      index === 0 ? alone.toFixed(1) : '',
      p50.toFixed(1),
      p99.toFixed(1),
    ]),
  )
  const head = ['', 'export', 'records/s', 'MiB', 'p99 ms alone', 'p50 ms', 'p99 ms']
  return `## Exports

A tenant exports its list of hardware (\`bench/suites/exports.ts\`). During the export, another tenant alternately reads
a record and a list, with pauses. **p50** and **p99** are the latencies of these reads. **p99 ms alone** is their p99
without an export. **MiB**: growth of the node's resident memory. **during writes**: the exporting tenant also updates
assets, with 4 requests in flight. The export then has to use the history to reconstruct the list as it was at the
start of the export.

${markdownTable([head, ...rows])}`
}
