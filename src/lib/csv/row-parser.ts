// Parses CSV as spreadsheets write it: cells with quoted line breaks, and any line endings. A parser of its own,
// because the limits must hold while a row is being read (a row of a million cells must never be in memory), and
// because programs write quotation marks in ways that RFC 4180 does not allow (contract §17).

import { InvalidCsv } from './invalid-csv.ts'
import { csvLimits, isLongerThan } from './limits.ts'

/** `row`: the row's number in a spreadsheet. A row with a quoted line break counts as one row. Empty lines are counted
 *  too. */
export type CsvRow = { row: number; cells: string[] }

const [tab, lineFeed, carriageReturn, space, quote, noBreakSpace] = [9, 10, 13, 32, 34, 160]

const maxDelimiters = csvLimits.columns - 1

/** A longer text cannot be a cell within the limit, even if it consists of pairs of quotation marks. The rest is for
 *  blanks around the cell. */
const maxCellUnits = 2 * csvLimits.cellCharacters + 1000

/** Parses a file chunk by chunk. */
export class RowParser {
  readonly #delimiter: number
  #text = '' // starts with the cell that the last chunk did not end
  #isLast = false
  #number = 0 // of the last complete row
  #cells: string[] = []
  #end = 0 // of the cell or the blanks that were read last: the index after them

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** Returns the rows that end in this chunk, without blank lines. Throws InvalidCsv. */
  parse(chunk: string): CsvRow[] {
    this.#text += chunk
    return this.#parseRows()
  }

  /** Returns the last row if the file does not end with a line break. Throws InvalidCsv. */
  end(): CsvRow[] {
    this.#isLast = true
    return this.#parseRows()
  }

  #parseRows(): CsvRow[] {
    const rows: CsvRow[] = []
    let start = 0
    for (;;) {
      if (this.#cells.length === 0) {
        start = this.#skipBlankLines(start)
        if (this.#mayContinue(this.#end)) break // the next chunk decides whether this line is blank
      }
      if (start === this.#text.length && (this.#cells.length === 0 || !this.#isLast)) break
      const cell = this.#readCell(start)
      if (cell === undefined) break
      this.#addCell(cell)
      start = this.#end + 1
      if (this.#text.charCodeAt(this.#end) === this.#delimiter) continue
      start = this.#endOfLine(this.#end)
      rows.push({ row: ++this.#number, cells: this.#cells })
      this.#cells = []
    }
    this.#text = this.#text.slice(start)
    if (this.#text.length > maxCellUnits) throw this.#tooLong()
    return rows
  }

  /** Skips lines of at most 500 blank cells, which spreadsheets write below a table. They never become rows, because a
   *  file can have 25 million of them. */
  #skipBlankLines(start: number): number {
    const [text, delimiter] = [this.#text, this.#delimiter]
    let [line, index, count] = [start, start, 0]
    for (;;) {
      const code = text.charCodeAt(index)
      if (code === lineFeed) {
        line = ++index
        count++
      } else if (code === carriageReturn && !this.#mayContinue(index)) {
        index = this.#endOfLine(index)
        line = index
        count++
      } else if ((code === delimiter || isBlank(code)) && index - line < maxDelimiters) index++
      else break
    }
    this.#number += count
    this.#end = index
    return line
  }

  /** Whether the next chunk may contain the second half of the line break at `index`. */
  #mayContinue(index: number): boolean {
    return index + 1 >= this.#text.length && !this.#isLast && this.#text.charCodeAt(index) !== lineFeed
  }

  /** Returns the index after the line break at `index`. */
  #endOfLine(index: number): number {
    const isPair = this.#text.charCodeAt(index) === carriageReturn && this.#text.charCodeAt(index + 1) === lineFeed
    return Math.min(index + (isPair ? 2 : 1), this.#text.length)
  }

  /** Returns undefined if the cell may continue in the next chunk. */
  #readCell(start: number): string | undefined {
    const first = this.#skipBlanks(start)
    if (this.#text.charCodeAt(first) === quote) return this.#readQuotedCell(first + 1)
    const text = this.#text
    let end = first
    while (end < text.length && !this.#isEnd(text.charCodeAt(end))) end++
    this.#end = end
    return this.#mayContinue(end) ? undefined : text.slice(start, end)
  }

  /** Reads a cell from the character after its opening quotation mark. */
  #readQuotedCell(start: number): string | undefined {
    const text = this.#text
    let hasPairs = false
    for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
      if (text.charCodeAt(at + 1) === quote) {
        hasPairs = true
        at++
        continue
      }
      const end = this.#skipBlanks(at + 1)
      if (this.#mayContinue(end)) return undefined
      if (end < text.length && !this.#isEnd(text.charCodeAt(end))) continue // a quotation mark within the text
      const value = text.slice(start, at)
      this.#end = end
      return hasPairs ? value.replaceAll('""', '"') : value
    }
    if (this.#isLast && text.length - start <= maxCellUnits)
      throw new InvalidCsv('open_quote', { row: this.#number + 1 })
    return undefined
  }

  #skipBlanks(start: number): number {
    let index = start
    while (this.#isBlank(this.#text.charCodeAt(index))) index++
    return index
  }

  #isBlank(code: number): boolean {
    return isBlank(code) && code !== this.#delimiter
  }

  #isEnd(code: number): boolean {
    return code === this.#delimiter || isLineBreak(code)
  }

  #addCell(value: string): void {
    if (this.#cells.length === csvLimits.columns) throw new InvalidCsv('many_columns', { row: this.#number + 1 })
    const isTooLong =
      this.#number === 0
        ? isLongerThan(value.trim(), csvLimits.titleCharacters)
        : isLongerThan(value, csvLimits.cellCharacters)
    if (isTooLong) throw this.#tooLong()
    this.#cells.push(value)
  }

  #tooLong(): InvalidCsv {
    const place = { row: this.#number + 1, column: this.#cells.length + 1 }
    return new InvalidCsv(this.#number === 0 ? 'long_title' : 'long_cell', place)
  }
}

function isBlank(code: number): boolean {
  return code === space || code === tab || code === noBreakSpace
}

function isLineBreak(code: number): boolean {
  return code === lineFeed || code === carriageReturn
}
