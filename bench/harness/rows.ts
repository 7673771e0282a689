// The medians of a suite's rounds, as rows of the report.

import { type Figures, median, type OpenLoopResult, type Outcome } from './measure.ts'

/** A trial with each contender's medians. */
export type Row = { operation: string; connections: number; tenants: number; contenders: ContenderResult[] }
export type ContenderResult = { name: string; figures: MedianFigures; openLoop?: MedianLatencies }

const figureNames = ['rate', 'p50', 'p99', 'p999', 'busy', 'cost', 'memory', 'databaseCost', 'transactions'] as const
const latencyNames = ['targetRate', 'rate', 'p50', 'p99', 'p999'] as const

/** `spread`: the difference between the highest and the lowest rate of the rounds, divided by the median. */
export type MedianFigures = Record<(typeof figureNames)[number], number> & { spread: number; failed: number }
export type MedianLatencies = Record<(typeof latencyNames)[number], number>

export function toRows(outcomes: Outcome[]): Row[] {
  return outcomes.map(({ trial: { operation, connections, tenants }, contenders }) => ({
    operation: operation.name,
    connections,
    tenants,
    contenders: contenders.map(({ name, rounds, openLoop }) => ({
      name,
      figures: mediansOf(rounds),
      ...(openLoop.length > 0 && { openLoop: medians<keyof MedianLatencies>(openLoop, latencyNames) }),
    })),
  }))
}

function mediansOf(rounds: Figures[]): MedianFigures {
  const rates = rounds.map(({ rate }) => rate)
  const spread = (Math.max(...rates) - Math.min(...rates)) / median(rounds, 'rate')
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0)
  return { ...medians<(typeof figureNames)[number]>(rounds, figureNames), spread, failed }
}

export function medians<Name extends keyof OpenLoopResult | keyof Figures>(
  rounds: Record<Name, number>[],
  names: readonly Name[],
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, median(rounds, name)])) as Record<Name, number>
}
