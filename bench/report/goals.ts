// The goals of the service, and whether it reaches them.

import type { Results, Row } from '../harness/results.ts'
import { bulkRatios } from './bulk.ts'
import { markdownTable, ratioOf } from './tables.ts'

/** `name` is to reach at least this `ratio` of the rate of `baseline`. */
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
  ...{ name: 'one node', baseline: 'minimal server', ratio: 0.7 },
  rows: ({ postgres }: Results) => postgres?.outcome.operations,
}

const goals: Goal[] = [
  { title: 'SQLite: creates, of the minimal server', operation: 'create', ratio: 0.55, ...minimal },
  { title: 'SQLite: keyed creates, of the minimal server', operation: 'keyed create', ratio: 0.5, ...minimal },
  { title: 'SQLite: reads by id, of the minimal server', operation: 'read by id', ratio: 0.7, ...minimal },
  { title: 'SQLite: lists of 50, of the minimal server', operation: 'list of 50', ratio: 1.5, ...minimal },
  {
    title: 'SQLite: creates, of the typical stack',
    operation: 'create',
    baseline: 'typical stack',
    ratio: 20,
    ...sqlite,
  },
  ...[64, 256].map((connections) => ({
    title: `SQLite: creates spread over 1,000 tenants, ${connections} in flight, of fsync only`,
    ...{ name: 'service', baseline: 'fsync only', operation: 'create', ratio: 0.9 },
    rows: (results: Results) => results['many-writers']?.outcome.rows.filter((row) => row.connections === connections),
  })),
  ...['create', 'keyed create', 'read by id'].map((operation) => ({
    title: `PostgreSQL: ${operation}, one node, of the minimal server`,
    operation,
    ...postgres,
  })),
]

/** Highest p99 of a quiet tenant beside a loud one, relative to its p99 alone. */
const fairnessFactor = 5

export function goalsSection(results: Results): string {
  const rows = goals.map((goal) => {
    const row = goal.rows(results)?.find(({ operation }) => operation === goal.operation)
    const [own, baseline] = [goal.name, goal.baseline].map((name) => row?.contenders.find((each) => each.name === name))
    if (!own || !baseline) return [goal.title, `≥ ${goal.ratio}`, 'not measured', '–']
    const ratio = ratioOf(baseline.figures, own.figures)
    return [goal.title, `≥ ${goal.ratio}`, ratio.toFixed(2), ratio >= goal.ratio ? 'yes' : '**no**']
  })
  return `## Goals

With 64 requests in flight and one tenant unless noted.

${markdownTable([['', 'goal', 'measured', 'reached'], ...rows, fairnessRow(results), ...bulkRows(results)], 1)}`
}

/** Bulk requests: rates, and the longest p99 of other requests beside them, in milliseconds. */
const bulkGoals = { ofCreates: 2, ofEngine: 0.8, otherTenants: 50, ownReads: 100 }

function bulkRows({ bulk }: Results): string[][] {
  const ratios = bulk && bulkRatios(bulk.outcome)
  const worst = (isOwn: boolean) =>
    bulk &&
    Math.max(
      ...bulk.outcome.besides.filter(({ place }) => (place === 'same tenant') === isOwn).map((each) => each.beside.p99),
    )
  const row = (title: string, goal: string, value: number | undefined, isReached: boolean): string[] =>
    value === undefined
      ? [title, goal, 'not measured', '–']
      : [title, goal, value.toFixed(1), isReached ? 'yes' : '**no**']
  const { ofCreates, ofEngine } = ratios ?? {}
  const [others, own] = [worst(false), worst(true)]
  return [
    row(
      'SQLite: records of bulk requests, of single creates',
      `≥ ${bulkGoals.ofCreates}`,
      ofCreates,
      ofCreates! >= bulkGoals.ofCreates,
    ),
    row(
      'SQLite: records of bulk requests, of the engine only',
      `≥ ${bulkGoals.ofEngine}`,
      ofEngine,
      ofEngine! >= bulkGoals.ofEngine,
    ),
    row(
      'SQLite: p99 in ms of other tenants beside bulk requests',
      `≤ ${bulkGoals.otherTenants}`,
      others,
      others! <= bulkGoals.otherTenants,
    ),
    row(
      'SQLite: p99 in ms of reads of the same tenant beside bulk requests',
      `≤ ${bulkGoals.ownReads}`,
      own,
      own! <= bulkGoals.ownReads,
    ),
  ]
}

function fairnessRow({ fairness }: Results): string[] {
  const title = 'SQLite: p99 of a quiet tenant beside one at full load, relative to its p99 alone; the worst case below'
  const factors = fairness?.outcome.quietTenants.map(({ alone, beside }) => beside.p99 / alone.p99)
  if (!factors) return [title, `≤ ${fairnessFactor}`, 'not measured', '–']
  const worst = Math.max(...factors)
  return [title, `≤ ${fairnessFactor}`, worst.toFixed(1), worst <= fairnessFactor ? 'yes' : '**no**']
}
