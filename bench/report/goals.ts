// What the service should reach, beside what it has reached.

import { median, type Outcome } from '../harness/measure.ts'
import type { Results } from '../harness/results.ts'
import { markdownTable, ratioOf, shareOf } from './tables.ts'

/** `contender` is to come up to so many `times` the rate of `against`. */
type Goal = {
  what: string
  operation: string
  contender: string
  against: string
  times: number
  outcomes: (results: Results) => Outcome[] | undefined
}

const sqlite = { contender: 'service', outcomes: ({ sqlite }: Results) => sqlite?.outcome.operations }
const postgres = {
  ...{ contender: 'one node', against: 'limit', times: 0.7 },
  outcomes: ({ postgres }: Results) => postgres?.outcome.operations,
}
const spread = { contender: 'service', against: 'limit', operation: 'create', times: 0.9 }
const spreadAt = (connections: number) => (results: Results) =>
  results.spread?.outcome.outcomes.filter(({ trial }) => trial.connections === connections)

const goals: Goal[] = [
  { what: 'SQLite: creates, of the floor', operation: 'create', against: 'floor', times: 0.55, ...sqlite },
  { what: 'SQLite: keyed creates, of the floor', operation: 'keyed create', against: 'floor', times: 0.5, ...sqlite },
  { what: 'SQLite: reads by id, of the floor', operation: 'read by id', against: 'floor', times: 0.7, ...sqlite },
  { what: 'SQLite: lists of 50, of the floor', operation: 'list of 50', against: 'floor', times: 1.5, ...sqlite },
  { what: 'SQLite: creates, of the typical stack', operation: 'create', against: 'typical', times: 20, ...sqlite },
  ...[64, 256].map((connections) => ({
    what: `SQLite: creates spread over 1,000 tenants, ${connections} in flight, of what the disk allows`,
    ...spread,
    outcomes: spreadAt(connections),
  })),
  ...['create', 'keyed create', 'read by id'].map((operation) => ({
    what: `PostgreSQL: ${operation}, one node, of the limit`,
    operation,
    ...postgres,
  })),
]

/** How many times as long a quiet tenant may wait beside one at full load. */
const mostTimes = 5

function fairnessRow({ fairness }: Results): string[] {
  const what = 'SQLite: p99 of a quiet tenant beside one at full load, to its p99 alone; the worst case of those below'
  const times = fairness?.outcome.quiet.map(({ alone, beside }) => median(beside, 'p99') / median(alone, 'p99'))
  if (!times) return [what, `≤ ${mostTimes}`, 'not measured', '–']
  const worst = Math.max(...times)
  return [what, `≤ ${mostTimes}`, worst.toFixed(1), worst <= mostTimes ? 'yes' : '**no**']
}

export function goalsSection(results: Results): string {
  const rows = goals.map((goal) => {
    const outcome = goal.outcomes(results)?.find(({ trial }) => trial.operation.name === goal.operation)
    const [contender, against] = [goal.contender, goal.against].map((name) =>
      outcome?.contenders.find((each) => each.name === name),
    )
    const aim = `≥ ${goal.times}`
    if (!contender || !against) return [goal.what, aim, 'not measured', '–']
    const isReached = ratioOf(against.rounds, contender.rounds) >= goal.times
    return [goal.what, aim, shareOf(against.rounds, contender.rounds), isReached ? 'yes' : '**no**']
  })
  return `## Goals

With 64 requests in flight and one tenant where nothing else is said; in brackets the lowest and the highest round.

${markdownTable([['', 'goal', 'measured', 'reached'], ...rows, fairnessRow(results)], 1)}`
}
