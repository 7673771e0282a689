// Formats results as Markdown tables.

import type { MedianFigures, Row } from '../harness/rows.ts'

export const byName = ({ operation }: Row) => operation
export const inFlight = ({ operation, connections }: Row) => `${operation}, ${connections} in flight`

const heading = [
  '',
  '',
  'requests/s',
  'ratio',
  '±',
  'p50 ms',
  'p99 ms',
  'p99.9 ms',
  'node µs',
  'MiB',
  'PostgreSQL µs',
  'writes',
  'clients',
]

/** Returns a table with one line per contender. Omits columns that contain no figures, and the closed-loop latencies of
 *  rows that were also measured in an open loop. */
export function outcomeTable(rows: Row[], label: (row: Row) => string): string {
  const lines = rows.flatMap((row) =>
    row.contenders.map(({ name }, index) => [index === 0 ? label(row) : '', name, ...figures(row, index)]),
  )
  const usedColumns = heading.flatMap((_, column) => (lines.some((line) => line[column] !== '–') ? [column] : []))
  return markdownTable([heading, ...lines].map((line) => usedColumns.map((column) => line[column]!)))
}

function figures({ contenders }: Row, index: number): string[] {
  const { name, figures } = contenders[index]!
  const hasOpenLoop = contenders.some(({ openLoop }) => openLoop)
  return [
    whole(figures.rate) + (figures.failed > 0 ? ` (${figures.failed} refused)` : ''),
    index === 0 ? '' : ratioOf(contenders[0]!.figures, figures).toFixed(2),
    percent(figures.spread),
    ...(hasOpenLoop ? ['–', '–', '–'] : latencies(figures)),
    whole(figures.cost),
    whole(figures.memory),
    whole(figures.databaseCost),
    Number.isFinite(figures.transactions) ? figures.transactions.toFixed(2) : '–',
    name === 'fsync only' ? '' : `${whole(figures.busy)}%`,
  ]
}

export function openLoopTable(rows: Row[], label: (row: Row) => string): string {
  const lines = rows.flatMap((row) =>
    row.contenders
      .flatMap(({ name, openLoop }) => (openLoop ? [{ name, openLoop }] : []))
      .map(({ name, openLoop }, index) => [
        index === 0 ? label(row) : '',
        name,
        whole(openLoop.targetRate),
        whole(openLoop.rate),
        ...latencies(openLoop),
      ]),
  )
  return markdownTable([['', '', 'target rate/s', 'answered/s', 'p50 ms', 'p99 ms', 'p99.9 ms'], ...lines])
}

function latencies({ p50, p99, p999 }: { p50: number; p99: number; p999: number }): string[] {
  return [p50, p99, p999].map((milliseconds) => milliseconds.toFixed(1))
}

/** Returns the rate of `figures` divided by the rate of `baseline`. */
export function ratioOf(baseline: MedianFigures, figures: MedianFigures): number {
  return figures.rate / baseline.rate
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

function whole(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en')
}

/** Returns the rows as Markdown. The columns after the first `textColumns` are aligned to the right. */
export function markdownTable([head, ...rows]: string[][], textColumns = 2): string {
  const rule = head!.map((_, column) => (column < textColumns ? '---' : '---:'))
  return [head!, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
