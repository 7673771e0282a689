// From what was measured to docs/benchmarks.md: data in, text out.

import type { Results } from '../harness/results.ts'
import { fairnessSection } from './fairness.ts'
import { goalsSection } from './goals.ts'
import { growthSection } from './growth.ts'
import { howToRead } from './how-to-read.ts'
import { machineSection } from './machine.ts'
import { spreadSection } from './many-writers.ts'
import { postgresSection } from './postgres.ts'
import { sqliteSection } from './sqlite.ts'

/** The whole text. Parts that were not measured are left out. */
export function report(results: Results): string {
  const { sqlite, spread, fairness, growth, postgres } = results
  const sections = [
    `# Benchmarks

Written by \`npm run bench\`; not by hand.

![Requests per second](benchmarks.svg)`,
    goalsSection(results),
    machineSection(results),
    sqlite && sqliteSection(sqlite.outcome),
    spread && spreadSection(spread.outcome),
    fairness && fairnessSection(fairness.outcome),
    growth && growthSection(growth.outcome),
    postgres && postgresSection(postgres.outcome),
    howToRead,
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}
