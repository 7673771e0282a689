// The goals of the service, and whether it reaches them.

import type { Results, Row } from '../harness/results.ts'
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

${markdownTable([['', 'goal', 'measured', 'reached'], ...rows, fairnessRow(results)], 1)}`
}

function fairnessRow({ fairness }: Results): string[] {
  const title = 'SQLite: p99 of a quiet tenant beside one at full load, relative to its p99 alone; the worst case below'
  const factors = fairness?.outcome.quietTenants.map(({ alone, beside }) => beside.p99 / alone.p99)
  if (!factors) return [title, `≤ ${fairnessFactor}`, 'not measured', '–']
  const worst = Math.max(...factors)
  return [title, `≤ ${fairnessFactor}`, worst.toFixed(1), worst <= fairnessFactor ? 'yes' : '**no**']
}
