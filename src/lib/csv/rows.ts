// Reads the rows of CSV files, which have one of three candidateDelimiters.

import { startYielding } from '../concurrency/yielding.ts'
import { csvLimits } from './limits.ts'
import { type CsvRow, RowParser } from './row-parser.ts'

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

/** This number of characters is parsed at once, and then others may use the thread if `sliceMs` has passed. Short rows
 *  take longest: 4,000 of them take about a millisecond. */
const [charactersAtOnce, sliceMs] = [8192, 5]

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

/** Whether every cell is blank, as in a line that contains only delimiters. */
export function isEmptyRow({ cells }: CsvRow): boolean {
  return cells.every((cell) => cell === '' || cell.trim() === '')
}
