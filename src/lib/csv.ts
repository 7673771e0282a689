// Reads the rows of a CSV file from its chunks, and bounds how many cells, columns and characters they contain.

import { startYielding } from './yielding.ts'

export const csvLimits = { columns: 500, titleCharacters: 200, cellCharacters: 32_000, rows: 1_000_000 }

/** Whether a text has more than `limit` characters: an emoji of two UTF-16 code units counts as one. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > 2 * limit) return true
  let count = text.length
  for (let index = 0; index < text.length - 1; index++) if (text.codePointAt(index)! > 0xffff) count--
  return count > limit
}

/** Where in a file the fault is. `column`: the number of the cell in its row, from 1. */
type Place = { row: number; column?: number }

const limitOf = (name: keyof typeof csvLimits) => csvLimits[name].toLocaleString('en')

/** A sentence for each reason. */
const sentences = {
  no_header: () => 'The first row of the file must contain the column titles, but it is empty.',
  open_quote: ({ row }: Place) => `A quotation mark in row ${row} is not closed.`,
  many_columns: ({ row }: Place) =>
    `Row ${row} has more than ${limitOf('columns')} cells; a file can have at most ${limitOf('columns')} columns.`,
  long_title: ({ column }: Place) =>
    `The title of column ${column} is longer than ${limitOf('titleCharacters')} characters, which is the limit for column titles.`,
  long_cell: ({ row, column }: Place) =>
    `The cell in row ${row}, column ${column} is longer than ${limitOf('cellCharacters')} characters, which is the limit; perhaps a quotation mark is not closed.`,
  many_rows: () => `The file has more than ${limitOf('rows')} rows, which is the limit; split it into several files.`,
}

export type CsvFault = keyof typeof sentences

/** The file cannot be read as CSV, or exceeds a limit. The message is a sentence. */
export class InvalidCsv extends Error {
  readonly reason: CsvFault
  readonly place: Place

  constructor(reason: CsvFault, place: Place) {
    super(sentences[reason](place))
    this.reason = reason
    this.place = place
  }
}

/** `row`: the row's number in a spreadsheet. A row with a quoted line break counts as one row. Empty lines are counted
 *  too. */
export type CsvRow = { row: number; cells: string[] }

const [tab, lineFeed, carriageReturn, space, quote, backslash, noBreakSpace] = [9, 10, 13, 32, 34, 92, 160]

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
  /** The row that is being read. Each row is a copy, which takes only the memory that its cells need. */
  readonly #cells: string[] = []
  #count = 0 // of its cells
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
      if (this.#count === 0) {
        start = this.#skipBlankLines(start)
        if (this.#mayContinue(this.#end)) break // the next chunk decides whether this line is blank
      }
      if (start === this.#text.length && (this.#count === 0 || !this.#isLast)) break
      const cell = this.#readCell(start)
      if (cell === undefined) break
      this.#addCell(cell)
      start = this.#end + 1
      if (this.#text.charCodeAt(this.#end) === this.#delimiter) continue
      start = this.#endOfLine(this.#end)
      rows.push({ row: ++this.#number, cells: this.#cells.slice(0, this.#count) })
      this.#count = 0
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
    let [hasPairs, isRegular] = [false, false]
    for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
      if (!isRegular && at > start && text.charCodeAt(at - 1) === backslash) {
        const last = this.#endOfQuotes(at) - 1
        const isUndoubled = this.#isBeforeEnd(last + 1) && this.#isUndoubled(start, at)
        if (isUndoubled === undefined) return undefined
        if (isUndoubled && last === at) continue
        if (isUndoubled) {
          hasPairs = true
          at = last
        } else isRegular = this.#isBeforeEnd(last + 1)
      }
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

  /** Whether PHP has written the quotation mark at `at`, which comes after a backslash and before the end of a cell: it does
   *  not double such a mark, as in `"19\"",` for `19\"`, and in `"19\", flat"`. The text counts as PHP's only if what follows
   *  contradicts RFC 4180. Returns undefined if the next chunk decides. `start`: where the cell's text begins. */
  #isUndoubled(start: number, at: number): boolean | undefined {
    const text = this.#text
    const canWait = !this.#isLast && text.length - start <= maxCellUnits
    let after = this.#endOfQuotes(at)
    if (this.#mayContinue(this.#skipBlanks(after))) return undefined
    const isSingle = after === at + 1
    if (!isSingle && (after - at) % 2 === 1) return false
    for (let next = text.indexOf('"', after); next !== -1; next = text.indexOf('"', after)) {
      after = this.#endOfQuotes(next)
      if (canWait && this.#mayContinue(this.#skipBlanks(after))) return undefined
      const isPair = (after - next) % 2 === 0
      const isBeforeEnd = this.#isBeforeEnd(after)
      if (isSingle && this.#isAfterEnd(next)) return isPair && !isBeforeEnd
      if (isSingle) return isPair || isBeforeEnd || text.charCodeAt(next - 1) === backslash
      if (!isPair) return !isBeforeEnd
    }
    return canWait ? undefined : !isSingle
  }

  /** Whether only blanks are between this index and the end of the cell, or of the text. */
  #isBeforeEnd(index: number): boolean {
    const end = this.#skipBlanks(index)
    return end >= this.#text.length || this.#isEnd(this.#text.charCodeAt(end))
  }

  /** Whether only blanks are between the end of a cell and this index. */
  #isAfterEnd(index: number): boolean {
    let before = index - 1
    while (this.#isBlank(this.#text.charCodeAt(before))) before--
    return this.#isEnd(this.#text.charCodeAt(before))
  }

  /** Returns the index after the quotation marks that begin at `start`. */
  #endOfQuotes(start: number): number {
    let index = start
    while (this.#text.charCodeAt(index) === quote) index++
    return index
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
    if (this.#count === csvLimits.columns) throw new InvalidCsv('many_columns', { row: this.#number + 1 })
    const isTooLong =
      this.#number === 0
        ? isLongerThan(value.trim(), csvLimits.titleCharacters)
        : isLongerThan(value, csvLimits.cellCharacters)
    if (isTooLong) throw this.#tooLong()
    this.#cells[this.#count++] = value
  }

  #tooLong(): InvalidCsv {
    const place = { row: this.#number + 1, column: this.#count + 1 }
    return new InvalidCsv(this.#number === 0 ? 'long_title' : 'long_cell', place)
  }
}

function isBlank(code: number): boolean {
  return code === space || code === tab || code === noBreakSpace
}

function isLineBreak(code: number): boolean {
  return code === lineFeed || code === carriageReturn
}

export const candidateDelimiters = [',', ';', '\t'] as const

export type Delimiter = (typeof candidateDelimiters)[number]

/** A header within the limits is shorter, unless its titles are surrounded by very many blanks. */
const maxHeaderUnits = csvLimits.columns * (2 * csvLimits.titleCharacters + 4)

/** Returns the delimiter that occurs most often in the first row; a comma if there is none. */
export async function detectDelimiter(text: AsyncIterable<string>): Promise<Delimiter> {
  const counts = new Map<string, number>(candidateDelimiters.map((delimiter) => [delimiter, 0]))
  let [isQuoted, units] = [false, 0]
  read: for await (const chunk of text) {
    for (const character of chunk) {
      if (character === '"') isQuoted = !isQuoted
      else if (isQuoted) continue
      else if (character === '\n' || character === '\r') break read
      const count = counts.get(character)
      if (count !== undefined) counts.set(character, count + 1)
    }
    units += chunk.length
    if (units > maxHeaderUnits) break
  }
  const frequency = (delimiter: Delimiter) => counts.get(delimiter)!
  return candidateDelimiters.reduce((best, delimiter) => (frequency(delimiter) > frequency(best) ? delimiter : best))
}

/** This number of characters is parsed at once, and then others may use the thread if `sliceMs` has passed. With 8,192
 *  characters, which can be 4,000 rows, V8 concluded in some processes that rows live long. It then allocated them where they
 *  are collected late, and a million short rows took 100 MB more. */
const [charactersAtOnce, sliceMs] = [2048, 5]

/** Yields the rows that end in each piece of the text, without empty lines. Throws InvalidCsv. */
export async function* readRows(text: AsyncIterable<string>, delimiter: Delimiter): AsyncGenerator<CsvRow[]> {
  const parser = new RowParser(delimiter)
  const yieldToOthers = startYielding(sliceMs)
  for await (const chunk of text) {
    for (let at = 0; at < chunk.length; at += charactersAtOnce) {
      yield parser.parse(chunk.slice(at, at + charactersAtOnce))
      await yieldToOthers()
    }
  }
  yield parser.end()
}

/** Whether every cell is blank, as in a line that contains only delimiters, or the row is the mark with which some programs
 *  end a file. */
export function isEmptyRow({ cells }: CsvRow): boolean {
  return cells.every((cell) => cell === '' || cell.trim() === '') || (cells.length === 1 && cells[0] === endOfFile)
}

/** Ctrl-Z, as programs of the time of DOS write it. */
const endOfFile = '\x1a'
