// Measures contenders against each other by turns, in one run, so that what else the machine does meets all of them.

import type { Measured } from './latencies.ts'
import type { Operation } from './operations.ts'

/** What is asked of a contender. `connections`: requests in flight, each waiting for its answer before the next. */
export type Trial = { operation: Operation; connections: number; tenants: number }

/** `cost` and `databaseCost`: processor time of the service (or what stands for it) and of the database server per request,
 *  in microseconds. `memory`: of the service's process (or what stands for it) at the end, in MiB. `transactions`: those of the
 *  database server that wrote, per request. NaN where there is no telling. */
export type Figures = Measured & { cost: number; memory: number; databaseCost: number; transactions: number }

/** Something that can be put under load: as much as it takes, or at a pace of so many requests a second. A contender does not take
 *  part in the trials that it refuses. `rest` ends when nothing is left to do of what was asked. */
export type Contender = {
  name: string
  measure(trial: Trial, seconds: number): Promise<Figures>
  pace?(trial: Trial, rate: number, seconds: number): Promise<Measured>
  rest?(): Promise<void>
  refuses?(trial: Trial): boolean
}

/** A trial with what came out of it, round by round, in the order of the contenders. `paced`: empty where nobody was. */
export type Outcome = { trial: Trial; contenders: { name: string; rounds: Figures[]; paced: Paced[] }[] }

/** `asked`: requests per second. */
export type Paced = Measured & { asked: number }

/** `seconds`: of a round. `isCheck`: little of everything will do. `isWarm`: the contenders have been at work before. */
export type Effort = { rounds: number; seconds: number; isCheck?: true; isWarm?: true }

/** For more trials of contenders that have been measured: half as long, so that the run ends. */
export function halved(effort: Effort): Effort {
  return { ...effort, seconds: effort.seconds / 2, isWarm: true }
}

/** Before anything is written down, each contender has run each trial this long: V8 is still compiling. Seconds. */
const warmUp = 1

/** Each round begins with so much that is not counted: connections that idled were closed, caches went cold. Seconds. */
const runIn = 0.5

/** The last contender of the last trial is behind the first one by a whole round: compare within a trial. */
export async function measureByTurns(contenders: Contender[], trials: Trial[], effort: Effort): Promise<Outcome[]> {
  const takers = (trial: Trial) => contenders.filter((contender) => !contender.refuses?.(trial))
  if (!effort.isWarm) {
    for (const trial of trials) {
      for (const contender of takers(trial)) {
        await contender.measure(trial, warmUp)
        await contender.rest?.()
      }
    }
  }
  const outcomes = trials.map(
    (trial): Outcome => ({ trial, contenders: takers(trial).map(({ name }) => ({ name, rounds: [], paced: [] })) }),
  )
  for (let round = 0; round < effort.rounds; round++) {
    for (const outcome of outcomes) await measureRound(takers(outcome.trial), outcome, effort.seconds, round)
  }
  return outcomes
}

async function measureRound(contenders: Contender[], outcome: Outcome, seconds: number, round: number): Promise<void> {
  for (const [at, contender] of inTurn(contenders, round)) {
    await contender.measure(outcome.trial, runIn)
    outcome.contenders[at]!.rounds.push(await contender.measure(outcome.trial, seconds))
    await contender.rest?.()
  }
}

/** Sides with their places; none always comes first. */
function inTurn(contenders: Contender[], round: number): [at: number, contender: Contender][] {
  const order = [...contenders.entries()]
  return round % 2 === 1 ? order.reverse() : order
}

/** How much of what the service takes at most it is then asked for. */
export const pace = 0.7

/** Latencies, at the same pace for all: that of the contender with this name, or less for one that cannot keep up with it. */
export async function paceByTurns(
  contenders: Contender[],
  outcomes: Outcome[],
  effort: Effort,
  pacemaker = 'service',
): Promise<void> {
  for (let round = 0; round < effort.rounds; round++) {
    for (const { trial, contenders: measured } of outcomes) {
      const takers = contenders.filter((contender) => !contender.refuses?.(trial))
      const most = median(measured.find(({ name }) => name === pacemaker)!.rounds, 'rate')
      for (const [at, contender] of inTurn(takers, round)) {
        if (!contender.pace) continue
        const asked = pace * Math.min(median(measured[at]!.rounds, 'rate'), most)
        await contender.pace(trial, asked, runIn)
        measured[at]!.paced.push({ ...(await contender.pace(trial, asked, effort.seconds)), asked })
        await contender.rest?.()
      }
    }
  }
}

/** The middle figure of the rounds; of an even number, the mean of the two in the middle. */
export function median<Name extends string>(rounds: Record<Name, number>[], name: Name): number {
  const sorted = rounds.map((figures) => figures[name]).sort((one, other) => one - other)
  const half = (sorted.length - 1) / 2
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2
}

/** How far apart the rounds were: the distance of the fastest from the slowest, as a part of the median. */
export function spread(rounds: Figures[]): number {
  const rates = rounds.map(({ rate }) => rate)
  return (Math.max(...rates) - Math.min(...rates)) / median(rounds, 'rate')
}
