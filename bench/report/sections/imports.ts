// Writes the report's section on CSV imports.

import { median } from '../../harness/measure.ts'
import type { ImportsOutcome } from '../../suites/imports.ts'
import { markdownTable } from '../tables.ts'

export function importsSection({ sizes, references }: ImportsOutcome): string {
  const rows = sizes.map(({ engine, rows, upload, check, run, memory, alone, duringImport }) => [
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

${markdownTable([head, ...rows])}${references.length > 0 ? referencesSection(references) : ''}`
}

function referencesSection(references: ImportsOutcome['references']): string {
  const rows = references.map(({ holders, rows, contenders }) => [
    `${rows.toLocaleString('en')} assets, holders by ${holders}`,
    ...contenders.flatMap(({ rounds }) => [median(rounds, 'seconds').toFixed(1), median(rounds, 'cost').toFixed(1)]),
  ])
  const { contenders } = references[0]!
  const head = ['', ...contenders.flatMap(({ name }) => [`${name} s`, 'CPU s'])]
  return `

The next files are of assets whose holders, among 30,000 people, are named in different ways. Names and numbers are looked
up by the column's contents. **s**: from the upload to the last record (SQLite). **CPU s**: processor time of the node.

${markdownTable([head, ...rows], 1)}`
}
