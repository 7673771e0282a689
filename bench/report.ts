// From figures to the table that is printed.

import { table } from '../src/cli/rooms.ts'
import type { Measured } from './load.ts'

/** `cost`: processor time of the server per request, in microseconds; NaN where the system does not tell. */
export type Figures = Measured & { cost: number }

/** What was measured of one operation, round by round. */
export type Row = { name: string; floor: Figures[]; service: Figures[] }

const heading = [
  ...['operation', 'floor req/s', 'service req/s', 'ratio', 'floor p50/p99 ms', 'service p50/p99 ms'],
  ...['floor µs', 'service µs', 'clients'],
]

export function report(rows: Row[]): string {
  return `${table([heading, ...rows.map(line)])}

Medians. µs: processor time of the server per request, all threads. clients: how busy they kept a core; near 100 % the
rate is theirs, and only µs compares the servers.`
}

function line({ name, floor, service }: Row): string[] {
  const ratio = median(service, 'rate') / median(floor, 'rate')
  return [
    ...[name, whole(floor, 'rate'), whole(service, 'rate'), ratio.toFixed(2), latencies(floor), latencies(service)],
    ...[whole(floor, 'cost'), whole(service, 'cost'), `${whole(floor, 'busy')} %, ${whole(service, 'busy')} %`],
  ]
}

function latencies(rounds: Figures[]): string {
  return `${median(rounds, 'p50').toFixed(1)} / ${median(rounds, 'p99').toFixed(1)}`
}

function whole(rounds: Figures[], name: keyof Figures): string {
  const number = median(rounds, name)
  return Number.isNaN(number) ? '–' : Math.round(number).toLocaleString('en')
}

/** The middle figure; of an even number, the mean of the two in the middle. */
function median(rounds: Figures[], name: keyof Figures): number {
  const sorted = rounds.map((figures) => figures[name]).sort((one, other) => one - other)
  const half = (sorted.length - 1) / 2
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2
}
