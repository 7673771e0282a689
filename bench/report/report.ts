// Writes docs/benchmarks.md from the results.

import { goalsSection } from './goals.ts'
import { howToRead } from './how-to-read.ts'
import { machineSection } from './machine.ts'
import type { Results } from './results.ts'
import { bulkSection } from './sections/bulk.ts'
import { exportsSection } from './sections/exports.ts'
import { fairnessSection } from './sections/fairness.ts'
import { growthSection } from './sections/growth.ts'
import { importsSection } from './sections/imports.ts'
import { manyWritersSection } from './sections/many-writers.ts'
import { panelSection } from './sections/panel.ts'
import { postgresSection } from './sections/postgres.ts'
import { soakSection } from './sections/soak.ts'
import { sqliteSection } from './sections/sqlite.ts'
import { summarySection } from './summary.ts'

/** Returns the report, without sections for suites that have no results. */
export function report(results: Results): string {
  const {
    sqlite,
    'many-writers': manyWriters,
    fairness,
    growth,
    bulk,
    exports,
    imports,
    panel,
    postgres,
    soak,
  } = results
  const sections = [
    `# Benchmarks

\`npm run bench\` writes this file.`,
    summarySection(results),
    '![Requests per second](benchmarks.svg)',
    machineSection(results),
    sqlite && sqliteSection(sqlite.outcome),
    manyWriters && manyWritersSection(manyWriters.outcome),
    fairness && fairnessSection(fairness.outcome),
    growth && growthSection(growth.outcome),
    bulk && bulkSection(bulk.outcome),
    exports && exportsSection(exports.outcome),
    imports && importsSection(imports.outcome),
    panel && panelSection(panel.outcome),
    postgres && postgresSection(postgres.outcome),
    soak && soakSection(soak),
    goalsSection(results),
    howToRead,
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}
