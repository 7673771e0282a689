// Measures sides against each other by turns, in one run, so that what else the machine does meets all of them.

import type { Measured } from './measured.ts'
import type { Operation } from './operations.ts'

/** What is asked of a side. `connections`: requests in flight, each waiting for its answer before the next. */
export type Trial = { operation: Operation; connections: number; tenants: number }

/** `cost` and `databaseCost`: processor time of the service (or what stands for it) and of the database server per request,
 *  in microseconds. `transactions`: those of the database server that wrote, per request. NaN where there is no telling. */
export type Figures = Measured & { cost: number; databaseCost: number; transactions: number }

/** Something that can be put under load. */
export type Side = { name: string; measure(trial: Trial, seconds: number): Promise<Figures> }

/** A trial with what came out of it, round by round, in the order of the sides. */
export type Outcome = { trial: Trial; sides: { name: string; rounds: Figures[] }[] }

/** `seconds`: of a round. */
export type Effort = { rounds: number; seconds: number }

/** Before anything is written down, each side has run each trial this long: V8 is still compiling. Seconds. */
const warmUp = 1

/** Each round begins with so much that is not counted: connections that idled were closed, caches went cold. Seconds. */
const runIn = 0.5

/** The last side of the last trial is behind the first one by a whole round: compare within a trial. */
export async function measureByTurns(sides: Side[], trials: Trial[], effort: Effort): Promise<Outcome[]> {
  for (const trial of trials) for (const side of sides) await side.measure(trial, warmUp)
  const outcomes = trials.map((trial): Outcome => ({ trial, sides: sides.map(({ name }) => ({ name, rounds: [] })) }))
  for (let round = 0; round < effort.rounds; round++) {
    for (const outcome of outcomes) await measureRound(sides, outcome, effort.seconds, round)
  }
  return outcomes
}

async function measureRound(sides: Side[], outcome: Outcome, seconds: number, round: number): Promise<void> {
  const order = [...sides.entries()]
  if (round % 2 === 1) order.reverse() // none always comes first
  for (const [at, side] of order) {
    await side.measure(outcome.trial, runIn)
    outcome.sides[at]!.rounds.push(await side.measure(outcome.trial, seconds))
  }
}

/** The middle figure of the rounds; of an even number, the mean of the two in the middle. */
export function median(rounds: Figures[], name: keyof Figures): number {
  const sorted = rounds.map((figures) => figures[name]).sort((one, other) => one - other)
  const half = (sorted.length - 1) / 2
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2
}

/** How far apart the rounds were: the distance of the fastest from the slowest, as a part of the median. */
export function spread(rounds: Figures[]): number {
  const rates = rounds.map(({ rate }) => rate)
  return (Math.max(...rates) - Math.min(...rates)) / median(rounds, 'rate')
}
