// Prints the output of commands: results as values or JSON, lists as tables or JSON, and progress.

import { visible, visibleJson } from '../lib/text.ts'
import type { Terminal } from './command.ts'

type Cell = string | number | null

/** A table's columns: for each heading, the function that returns a row's cell. */
export type TableColumns<Row> = Record<string, (row: Row) => Cell>

/** `advice`: printed instead of an empty table. */
type List<Row> = { json: unknown; rows: readonly Row[]; columns: TableColumns<Row>; advice?: string }

/** Prints a JSON array, or a table, which has headings on a terminal. */
export function printList<Row>(terminal: Terminal, { json, rows, columns, advice }: List<Row>): void {
  const lines = rows.map((row) => Object.values(columns).map((cell) => visible(String(cell(row) ?? ''))))
  if (json) terminal.stdout(visibleJson(rows))
  else if (advice && rows.length === 0) terminal.stderr(advice)
  else if (terminal.isStdoutTerminal) terminal.stdout(withHeadings(terminal, Object.keys(columns), lines))
  else terminal.stdout(alignColumns(lines))
}

function withHeadings({ style }: Terminal, headings: string[], lines: string[][]): string {
  const [first, ...rest] = alignColumns([headings, ...lines]).split('\n')
  return [style?.('bold', first!) ?? first, ...rest].join('\n')
}

export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Prints the value, if there is one. With --json, prints the whole result as an object instead. */
export function printResult(
  terminal: Terminal,
  { json, result, value }: { json: unknown; result: object; value?: string | undefined },
): void {
  if (json) terminal.stdout(visibleJson(result))
  else if (value !== undefined) terminal.stdout(value)
}

export type ProgressBar = {
  update(done: number, total: number): void
  end(): void
}

const barWidth = 20

/** Shows a progress line on a terminal, such as `acme [========== ] 50% 500 of 1,000 rows 12 s left`. Shows nothing if
 *  there is no terminal. `end` removes the line. */
export function createProgressBar(
  terminal: Terminal,
  label: string,
  unit: string,
  clock: () => number = () => performance.now(),
): ProgressBar {
  const startedAt = clock()
  return {
    update(done, total) {
      if (!terminal.progress) return
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const bar = '='.repeat(Math.floor(share * barWidth)).padEnd(barWidth)
      const percent = `${Math.floor(share * 100)}%`.padStart(4)
      const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`
      terminal.progress([label, `[${bar}] ${percent}`, counts, timeLeft(share, clock() - startedAt)].join('  '))
    },
    end: () => terminal.progress?.(''),
  }
}

/** Returns an estimate of the time left. Returns empty text in the first second, and while the share is 0 or 1. */
function timeLeft(share: number, elapsedMs: number): string {
  if (share === 0 || share === 1 || elapsedMs < 1000) return ''
  const seconds = Math.ceil(((elapsedMs / share) * (1 - share)) / 1000)
  return seconds < 120 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`
}
