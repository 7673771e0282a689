// The parts of the benchmark; each can be measured by itself, in a directory that is its own.

import type { Effort } from '../harness/measure.ts'
import { type FairnessOutcome, measureFairness } from './fairness.ts'
import { type GrowthOutcome, measureGrowth } from './growth/growth.ts'
import { measureSpread, type SpreadOutcome } from './many-writers.ts'
import { measurePostgres, type PostgresOutcome } from './postgres.ts'
import { measureSqlite, type SqliteOutcome } from './sqlite.ts'

export type Outcomes = {
  sqlite: SqliteOutcome
  spread: SpreadOutcome
  fairness: FairnessOutcome
  growth: GrowthOutcome
  postgres: PostgresOutcome
}

export type PartName = keyof Outcomes

type Measure<Outcome> = (directory: string, effort: Effort) => Promise<Outcome>

/** In the order of the report. */
export const parts: { [Name in PartName]: Measure<Outcomes[Name]> } = {
  sqlite: measureSqlite,
  spread: measureSpread,
  fairness: measureFairness,
  growth: measureGrowth,
  postgres: measurePostgres,
}

export const partNames = Object.keys(parts) as PartName[]

/** What takes too long to be measured each time. */
export const longParts: readonly PartName[] = ['fairness', 'growth']
