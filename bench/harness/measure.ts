// Measures contenders alternately within one run, so that other activity on the machine affects all of them.

import type { LoadResult } from './load/latencies.ts'
import type { Operation } from './operations.ts'

/** `connections`: the number of requests in flight. */
export type Trial = { operation: Operation; connections: number; tenants: number }

/** `cost`: CPU time of the contender's processes per request, in microseconds. `databaseCost`: the same for the
 *  database server. `memory`: resident memory of the contender's processes at the end, in MiB. `transactions`: write
 *  transactions and savepoints on the database server, per request. Unknown figures are NaN. */
export type Figures = LoadResult & { cost: number; memory: number; databaseCost: number; transactions: number }

/** A server, a group of servers or a baseline that can be measured. `openLoop` sends requests at a fixed rate. `settle`
 *  waits until background work is done. `skips`: whether to leave the contender out of a trial. */
export type Contender = {
  name: string
  measure(trial: Trial, seconds: number): Promise<Figures>
  openLoop?(trial: Trial, rate: number, seconds: number): Promise<LoadResult>
  settle?(): Promise<void>
  skips?(trial: Trial): boolean
}

/** A trial's results for each contender, round by round. Contenders keep the order in which they were passed. */
export type Outcome = { trial: Trial; contenders: { name: string; rounds: Figures[]; openLoop: OpenLoopResult[] }[] }

/** `targetRate`: the fixed rate, in requests per second. */
export type OpenLoopResult = LoadResult & { targetRate: number }

/** `seconds`: length of a round. `isCheck`: measure as little as possible. `isWarm`: the contenders have already been
 *  measured and do not need a warm-up. `against`: the folder of an earlier version's checkout, which imports are compared
 *  with. */
export type Effort = { rounds: number; seconds: number; isCheck?: true; isWarm?: true; against?: string }

/** Returns the effort for further trials of contenders that have already been measured. Rounds are half as long. */
export function halved(effort: Effort): Effort {
  return { ...effort, seconds: effort.seconds / 2, isWarm: true }
}

/** How long each contender runs each trial before the first round, so that V8 has compiled the code by then. */
const warmUpSeconds = 1

/** Seconds of load before each round. This load is not measured: it reopens connections that were closed while idle,
 *  and warms the caches. */
const runInSeconds = 0.5

/** The open loop's rate, as a share of the service's rate in the closed loop. */
export const openLoopShare = 0.7

export async function measureInTurn(contenders: Contender[], trials: Trial[], effort: Effort): Promise<Outcome[]> {
  const outcomes = trials.map(
    (trial): Outcome => ({
      trial,
      contenders: participantsIn(contenders, trial).map(({ name }) => ({ name, rounds: [], openLoop: [] })),
    }),
  )
  if (!effort.isWarm) {
    for (const trial of trials) {
      for (const contender of participantsIn(contenders, trial)) {
        await contender.measure(trial, warmUpSeconds)
        await contender.settle?.()
      }
    }
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (const { trial, contenders: results } of outcomes) {
      for (const [index, contender] of inTurn(participantsIn(contenders, trial), round)) {
        await contender.measure(trial, runInSeconds)
        results[index]!.rounds.push(await contender.measure(trial, effort.seconds))
        await contender.settle?.()
      }
    }
  }
  return outcomes
}

/** Measures latencies in an open loop and adds them to `outcomes`. The fixed rate is a share of the closed-loop rate of
 *  the contender named `reference`. If the measured contender is slower, the fixed rate is a share of that
 *  contender's own rate. */
export async function measureOpenLoop(
  contenders: Contender[],
  outcomes: Outcome[],
  effort: Effort,
  reference = 'service',
): Promise<void> {
  for (let round = 0; round < effort.rounds; round++) {
    for (const { trial, contenders: results } of outcomes) {
      const referenceRate = median(results.find(({ name }) => name === reference)!.rounds, 'rate')
      for (const [index, contender] of inTurn(participantsIn(contenders, trial), round)) {
        if (!contender.openLoop) continue
        const targetRate = openLoopShare * Math.min(median(results[index]!.rounds, 'rate'), referenceRate)
        await contender.openLoop(trial, targetRate, runInSeconds)
        results[index]!.openLoop.push({ ...(await contender.openLoop(trial, targetRate, effort.seconds)), targetRate })
        await contender.settle?.()
      }
    }
  }
}

function participantsIn(contenders: Contender[], trial: Trial): Contender[] {
  return contenders.filter((contender) => !contender.skips?.(trial))
}

/** Returns the items with their indexes. The order is reversed in every other round, so that no item is always
 *  first. */
export function inTurn<Item>(items: Item[], round: number): [index: number, item: Item][] {
  const order = [...items.entries()]
  return round % 2 === 1 ? order.reverse() : order
}

/** Returns the median. For an even number of rounds, this is the mean of the two middle values. */
export function median<Name extends string>(rounds: Record<Name, number>[], name: Name): number {
  const sorted = rounds.map((figures) => figures[name]).sort((one, other) => one - other)
  const half = (sorted.length - 1) / 2
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2
}
