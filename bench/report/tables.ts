// Outcomes as tables of Markdown.

import { type Figures, median, type Outcome, type Paced, spread, type Trial } from '../harness/measure.ts'

/** What rows are called by. */
export const byName = ({ operation }: Trial) => operation.name
export const inFlight = ({ operation, connections }: Trial) => `${operation.name}, ${connections} in flight`

const heading = [
  ...['', 'side', 'requests/s', 'ratio', '±', 'p50 ms', 'p99 ms', 'p99.9 ms'],
  ...['node µs', 'MiB', 'PostgreSQL µs', 'writes', 'clients'],
]

/** A row for each contender of each outcome; columns in which nothing is known are left out. So are latencies where pacedTable has
 *  better ones. */
export function outcomeTable(outcomes: Outcome[], label: (trial: Trial) => string): string {
  const rows = outcomes.flatMap((outcome) =>
    outcome.contenders.map((contender, at) => [
      at === 0 ? label(outcome.trial) : '',
      contender.name,
      ...figures(outcome, at),
    ]),
  )
  const isUsed = heading.map((_, column) => rows.some((row) => row[column] !== '–'))
  return markdownTable([heading, ...rows].map((row) => row.filter((_, column) => isUsed[column])))
}

function figures(outcome: Outcome, at: number): string[] {
  const { name, rounds } = outcome.contenders[at]!
  const isPaced = outcome.contenders.some(({ paced }) => paced.length > 0)
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0)
  return [
    whole(median(rounds, 'rate')) + (failed > 0 ? ` (${failed} refused)` : ''),
    at === 0 ? '' : share(outcome, at),
    `${Math.round(spread(rounds) * 100)} %`,
    ...(isPaced ? ['–', '–', '–'] : latencies(rounds)),
    whole(median(rounds, 'cost')),
    whole(median(rounds, 'memory')),
    whole(median(rounds, 'databaseCost')),
    fixed(median(rounds, 'transactions')),
    name === 'limit' ? '' : `${whole(median(rounds, 'busy'))} %`,
  ]
}

/** Latencies at a pace, counted from when each request was due. */
export function pacedTable(outcomes: Outcome[], label: (trial: Trial) => string): string {
  const rows = outcomes.flatMap(({ trial, contenders }) =>
    contenders
      .filter(({ paced }) => paced.length > 0)
      .map(({ name, paced }, at) => [
        at === 0 ? label(trial) : '',
        name,
        whole(median(paced, 'asked')),
        whole(median(paced, 'rate')),
        ...latencies(paced),
      ]),
  )
  const head = ['', 'side', 'asked for/s', 'answered/s', 'p50 ms', 'p99 ms', 'p99.9 ms']
  return markdownTable([head, ...rows])
}

function latencies(rounds: (Figures | Paced)[]): string[] {
  return (['p50', 'p99', 'p999'] as const).map((name) => median(rounds, name).toFixed(1))
}

/** A side's rate as a part of the first side's. */
function share({ contenders }: Outcome, at: number): string {
  return shareOf(contenders[0]!.rounds, contenders[at]!.rounds)
}

/** A rate as a part of another, with the lowest and highest round. */
export function shareOf(first: Figures[], contender: Figures[]): string {
  const ratios = contender.map(({ rate }, round) => rate / first[round]!.rate)
  const range = (ratio: number) => ratio.toFixed(2)
  return `${range(ratioOf(first, contender))} (${range(Math.min(...ratios))}–${range(Math.max(...ratios))})`
}

export function ratioOf(first: Figures[], contender: Figures[]): number {
  return median(contender, 'rate') / median(first, 'rate')
}

export function percent(part: number): string {
  return `${Math.round(part * 100)} %`
}

function whole(value: number): string {
  return Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en')
}

function fixed(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(2)
}

/** Numbers to the right: every column but the first ones, which are words. */
export function markdownTable([head, ...rows]: string[][], words = 2): string {
  const rule = head!.map((_, column) => (column < words ? '---' : '---:'))
  return [head!, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
