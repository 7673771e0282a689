// Reads the rows of CSV files as spreadsheets write them: with quoted line breaks, any line endings, and one of three
// delimiters.

import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'

export const delimiters = [',', ';', '\t'] as const

export type Delimiter = (typeof delimiters)[number]

/** `number`: the row number in a spreadsheet. A row with a quoted line break counts as one row. Empty rows are counted
 *  too. */
export type CsvRow = { number: number; cells: string[] }

/** The file cannot be read as CSV. The message is a sentence. `row`: the invalid row's number. */
export class InvalidCsv extends Error {
  readonly reason: 'no_header' | 'open_quote' | 'invalid_row'
  readonly row: number

  constructor(message: string, reason: InvalidCsv['reason'], row: number) {
    super(message)
    this.reason = reason
    this.row = row
  }
}

/** A row is held in memory. A row larger than this probably contains an unclosed quotation mark. */
const maxRowBytes = 8 * 2 ** 20

/** Returns the delimiter that occurs most often in the first row; a comma if there is none. */
export async function detectDelimiter(text: AsyncIterable<string>): Promise<Delimiter> {
  const counts = new Map<string, number>()
  let isQuoted = false
  read: for await (const chunk of text) {
    for (const character of chunk) {
      if (character === '"') isQuoted = !isQuoted
      else if (isQuoted) continue
      else if (character === '\n' || character === '\r') break read
      else counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  const frequency = (delimiter: Delimiter) => counts.get(delimiter) ?? 0
  return delimiters.reduce((best, delimiter) => (frequency(delimiter) > frequency(best) ? delimiter : best))
}

/** Yields every row, including empty ones. Throws InvalidCsv. */
export async function* readRows(text: AsyncIterable<string>, delimiter: Delimiter): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true, // a cell such as 24" is text
    max_record_size: maxRowBytes,
  })
  const source = Readable.from(text)
  source.on('error', (error) => parser.destroy(error))
  let number = 0
  try {
    for await (const cells of source.pipe(parser)) yield { number: ++number, cells: cells as string[] }
  } catch (error) {
    throw error instanceof CsvError ? toInvalidCsv(error) : error
  } finally {
    source.destroy()
  }
}

function toInvalidCsv(error: CsvError & { records?: number }): InvalidCsv {
  const row = (error.records ?? 0) + 1
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new InvalidCsv(`A quotation mark in row ${row} is not closed.`, 'open_quote', row)
    case 'CSV_MAX_RECORD_SIZE':
      return new InvalidCsv(
        `Row ${row} is larger than ${maxRowBytes} bytes; perhaps a quotation mark is not closed.`,
        'open_quote',
        row,
      )
    default:
      return new InvalidCsv(`Row ${row} is not valid CSV.`, 'invalid_row', row)
  }
}

/** Whether every cell is blank, as in a line that contains only delimiters. */
export function isEmptyRow({ cells }: CsvRow): boolean {
  return cells.every((cell) => cell.trim() === '')
}
