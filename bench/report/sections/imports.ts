// Writes the report's section on CSV imports.

import type { ImportsOutcome } from '../../suites/imports.ts'
import { markdownTable } from '../tables.ts'

export function importsSection(outcomes: ImportsOutcome[]): string {
  const rows = outcomes.map(({ engine, rows, upload, check, run, memory, alone, duringImport }) => [
    `${engine}, ${rows.toLocaleString('en')} rows`,
    upload.toFixed(1),
    check.toFixed(1),
    run.toFixed(1),
    (upload + check + run).toFixed(1),
    `+ ${memory.toFixed(0)}`,
    alone.toFixed(1),
    duringImport.toFixed(1),
  ])
  const head = ['', 'upload s', 'check s', 'run s', 'total s', 'MiB', 'p99 ms alone', 'p99 ms during the import']
  return `## Imports

A tenant imports a CSV file of employees in \`all_or_nothing\` mode (\`bench/suites/imports.ts\`). Another tenant
creates records one at a time, with pauses. **p99**: the latency of these creates, first without the import (*alone*)
and then during the import. **MiB**: growth of the node's resident memory.

${markdownTable([head, ...rows])}`
}
