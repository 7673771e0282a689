// Writes the report's section on performance goals and whether the service reaches them.

import type { Row } from '../harness/rows.ts'
import type { Results } from './results.ts'
import { bulkRatios } from './sections/bulk.ts'
import { markdownTable, ratioOf } from './tables.ts'

/** The goal is reached if the contender `name` is at least `ratio` times as fast as `baseline`. */
type Goal = {
  title: string
  operation: string
  name: string
  baseline: string
  ratio: number
  rows: (results: Results) => Row[] | undefined
}

const sqlite = { name: 'service', rows: ({ sqlite }: Results) => sqlite?.outcome.operations }
const minimal = { ...sqlite, baseline: 'minimal server' }
const postgres = {
  name: 'one node',
  baseline: 'minimal server',
  ratio: 0.7,
  rows: ({ postgres }: Results) => postgres?.outcome.operations,
}

const goals: Goal[] = [
  { title: 'SQLite: creates per second, relative to the minimal server', operation: 'create', ratio: 0.55, ...minimal },
  {
    title: 'SQLite: keyed creates per second, relative to the minimal server',
    operation: 'keyed create',
    ratio: 0.5,
    ...minimal,
  },
  {
    title: 'SQLite: reads by id, per second, relative to the minimal server',
    operation: 'read by id',
    ratio: 0.7,
    ...minimal,
  },
  {
    title: 'SQLite: lists of 50 records, per second, relative to the minimal server',
    operation: 'list of 50',
    ratio: 1.5,
    ...minimal,
  },
  {
    title: 'SQLite: creates per second, relative to the typical stack',
    operation: 'create',
    baseline: 'typical stack',
    ratio: 20,
    ...sqlite,
  },
  ...[64, 256].map((connections) => ({
    title: `SQLite: creates per second over 1,000 tenants, ${connections} requests in flight, relative to *fsync only*`,
    name: 'service',
    baseline: 'fsync only',
    operation: 'create',
    ratio: 0.9,
    rows: (results: Results) => results['many-writers']?.outcome.rows.filter((row) => row.connections === connections),
  })),
  ...['create', 'keyed create', 'read by id'].map((operation) => ({
    title: `PostgreSQL: rate of “${operation}” on one node, relative to the minimal server`,
    operation,
    ...postgres,
  })),
]

/** The highest acceptable p99 of a quiet tenant alongside a noisy neighbour, relative to its p99 without the
 *  neighbour. */
const fairnessFactor = 5

export function goalsSection(results: Results): string {
  const rows = goals.map((goal) => {
    const row = goal.rows(results)?.find(({ operation }) => operation === goal.operation)
    const resultOf = (name: string) => row?.contenders.find((contender) => contender.name === name)
    const [contender, baseline] = [resultOf(goal.name), resultOf(goal.baseline)]
    if (!contender || !baseline) return [goal.title, `≥ ${goal.ratio}`, 'not measured', '–']
    const ratio = ratioOf(baseline.figures, contender.figures)
    return [goal.title, `≥ ${goal.ratio}`, ratio.toFixed(2), ratio >= goal.ratio ? 'yes' : '**no**']
  })
  return `## Goals

These are the goals for the service's speed, most of them relative to programs that do far less. Unless stated otherwise,
they apply to one tenant with 64 requests in flight.

${markdownTable([['', 'goal', 'measured', 'reached'], ...rows, fairnessRow(results), ...bulkRows(results)], 1)}`
}

/** The goals for bulk requests: the lowest acceptable rate ratios, and the highest acceptable p99 of other requests
 *  during bulk requests, in milliseconds. */
const bulkGoals = { ratioToCreates: 2, ratioToEngine: 0.8, otherTenants: 50, sameTenant: 100 }

type Limit = { atLeast: number } | { atMost: number }

function bulkRows({ bulk }: Results): string[][] {
  const ratios = bulk && bulkRatios(bulk.outcome)
  const worstP99 = (isSameTenant: boolean) =>
    bulk &&
    Math.max(
      ...bulk.outcome.otherRequests
        .filter(({ place }) => (place === 'same tenant') === isSameTenant)
        .map(({ underLoad }) => underLoad.p99),
    )
  const row = (title: string, value: number | undefined, goal: Limit): string[] => {
    const limit = 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`
    if (value === undefined) return [title, limit, 'not measured', '–']
    const shown = value.toFixed(2)
    const isReached = 'atLeast' in goal ? Number(shown) >= goal.atLeast : Number(shown) <= goal.atMost
    return [title, limit, shown, isReached ? 'yes' : '**no**']
  }
  return [
    row('SQLite: records per second with bulk requests, relative to single creates', ratios?.ratioToCreates, {
      atLeast: bulkGoals.ratioToCreates,
    }),
    row('SQLite: records per second with bulk requests, relative to *engine only*', ratios?.ratioToEngine, {
      atLeast: bulkGoals.ratioToEngine,
    }),
    row('SQLite: p99 of other tenants during bulk requests, in ms', worstP99(false), {
      atMost: bulkGoals.otherTenants,
    }),
    row('SQLite: p99 of reads by the same tenant during bulk requests, in ms', worstP99(true), {
      atMost: bulkGoals.sameTenant,
    }),
  ]
}

function fairnessRow({ fairness }: Results): string[] {
  const title =
    'SQLite: p99 of a quiet tenant next to a noisy neighbour, relative to its p99 without the neighbour (worst case)'
  const factors = fairness?.outcome.quietTenants.map(({ alone, withNeighbour }) => withNeighbour.p99 / alone.p99)
  if (!factors) return [title, `≤ ${fairnessFactor}`, 'not measured', '–']
  const worst = Math.max(...factors)
  return [title, `≤ ${fairnessFactor}`, worst.toFixed(1), worst <= fairnessFactor ? 'yes' : '**no**']
}
