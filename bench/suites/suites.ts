// Lists the benchmark suites. Each suite has its own data directory and can be run alone.

import type { Effort } from '../harness/measure.ts'
import { type BulkOutcome, measureBulk } from './bulk.ts'
import { type ExportsOutcome, measureExports } from './exports.ts'
import { type FairnessOutcome, measureFairness } from './fairness.ts'
import { type GrowthOutcome, measureGrowth } from './growth/growth.ts'
import { type ImportsOutcome, measureImports } from './imports.ts'
import { type ManyWritersOutcome, measureManyWriters } from './many-writers.ts'
import { measurePanel, type PanelOutcome } from './panel.ts'
import { measurePostgres, type PostgresOutcome } from './postgres.ts'
import { measureSqlite, type SqliteOutcome } from './sqlite.ts'

export type Outcomes = {
  sqlite: SqliteOutcome
  'many-writers': ManyWritersOutcome
  fairness: FairnessOutcome
  growth: GrowthOutcome
  bulk: BulkOutcome
  exports: ExportsOutcome[]
  imports: ImportsOutcome
  panel: PanelOutcome[]
  postgres: PostgresOutcome
}

export type SuiteName = keyof Outcomes

type Measure<Outcome> = (directory: string, effort: Effort) => Promise<Outcome>

/** The suites, in the order in which the report shows them. */
export const suites: { [Name in SuiteName]: Measure<Outcomes[Name]> } = {
  sqlite: measureSqlite,
  'many-writers': measureManyWriters,
  fairness: measureFairness,
  growth: measureGrowth,
  bulk: measureBulk,
  exports: measureExports,
  imports: measureImports,
  panel: measurePanel,
  postgres: measurePostgres,
}

export const suiteNames = Object.keys(suites) as SuiteName[]

/** Suites that take too long to run by default. */
export const longSuites: readonly SuiteName[] = ['fairness', 'growth', 'exports', 'imports', 'panel']
