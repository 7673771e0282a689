// Decides how the text of a file is encoded, and what separates its cells (contract §17): the reading counts in which
// the most titles are known.

import {
  type CsvRow,
  candidateDelimiters,
  type Delimiter,
  detectDelimiter,
  InvalidCsv,
  isEmptyRow,
  RowParser,
} from '../../../lib/csv.ts'
import { cleanText } from '../../../lib/text.ts'
import { invalidRequest } from '../../../problem.ts'
import { declaredEncoding, decodeText, detectEncodings, isEncoding } from './encodings.ts'

/** `encoding`: a label of the WHATWG Encoding Standard. `hasLeadingLine`: the file begins with a line that is
 *  not counted as a row: `sep=;`, or a type's name, as PowerShell writes it. `headerRow`: the number of the row with the
 *  titles, which a heading or blank lines may precede. */
export type Syntax = { encoding: string; delimiter: Delimiter; hasLeadingLine: boolean; headerRow: number }

/** Whether a column title is known. */
export type KnowsTitle = (title: string) => boolean

type Source = () => AsyncIterable<Buffer>

/** Throws `invalid_request` for an unknown charset. */
export function requireCharset(charset: string | null): void {
  if (charset !== null && !isEncoding(charset))
    throw invalidRequest(`The charset ${JSON.stringify(charset.slice(0, 40))} in Content-Type is unknown.`)
}

/** `charset`: what the sender says; null decides by the bytes. Throws NotText. */
export async function detectSyntax(source: Source, charset: string | null, knows: KnowsTitle): Promise<Syntax> {
  const sample = await readSample(source)
  const encodings = charset === null ? await detectEncodings(source(), sample) : [declaredEncoding(charset, sample)]
  const readings = encodings.map((encoding) => readingOf(sample, encoding, knows))
  const best = readings.reduce((first, other) => (other.known > first.known ? other : first))
  const { encoding, separator, hasLeadingLine, headerRow } = best
  const delimiter = separator ?? best.delimiter ?? (await detectDelimiter(openText(source, best)))
  return { encoding, delimiter, hasLeadingLine, headerRow }
}

/** Returns the titles of a file, in the reading in which the most of them are known. Throws NotText. */
export async function readTitles(source: Source, knows: KnowsTitle): Promise<string[]> {
  const { encoding, delimiter, hasLeadingLine, headerRow } = await detectSyntax(source, null, knows)
  const text = new TextDecoder(encoding).decode(await readSample(source), { stream: true })
  const rows = firstRows(hasLeadingLine ? text.replace(leadingLine, '') : text, delimiter)
  const header = rows.find(({ row }) => row >= headerRow)
  return header?.cells.map(cleanText) ?? []
}

/** Yields the text of a file, without its leading line. */
export async function* openText(
  source: Source,
  { encoding, hasLeadingLine }: Pick<Syntax, 'encoding' | 'hasLeadingLine'>,
): AsyncGenerator<string> {
  let [start, isStart] = ['', hasLeadingLine]
  for await (const chunk of decodeText(source(), encoding)) {
    if (!isStart) {
      yield chunk
      continue
    }
    start += chunk
    if (start.length < longestLeadingLine) continue
    yield start.replace(leadingLine, '')
    isStart = false
  }
  if (isStart) yield start.replace(leadingLine, '')
}

const leadingLine = /^(?:"?sep=(.)"?[,;\t ]*|#TYPE \S{1,500}[^\S\r\n]*)(?:\r\n|\r|\n|$)/i

const longestLeadingLine = 1000

const sampleBytes = 2 ** 18

async function readSample(source: Source): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source()) {
    chunks.push(Buffer.from(chunk)) // a chunk is valid only until the next one is read
    size += chunk.length
    if (size >= sampleBytes) break
  }
  return Buffer.concat(chunks).subarray(0, sampleBytes)
}

/** `known`: the number of titles that are known. `delimiter`: undefined if no title is known with any delimiter. */
type Reading = Pick<Syntax, 'encoding' | 'hasLeadingLine' | 'headerRow'> & {
  known: number
  delimiter: Delimiter | undefined
  separator: Delimiter | undefined
}

function readingOf(sample: Buffer, encoding: string, knows: KnowsTitle): Reading {
  const decoded = new TextDecoder(encoding).decode(sample, { stream: true })
  const line = leadingLine.exec(decoded)
  const separator = candidateDelimiters.find((delimiter) => delimiter === line?.[1])
  const text = decoded.slice(line?.[0].length ?? 0)
  const candidates = (separator === undefined ? candidateDelimiters : [separator]).map((delimiter) => ({
    delimiter,
    ...tableFitOf(firstRows(text, delimiter), knows),
  }))
  const best = candidates.reduce((first, other) =>
    other.known > first.known || (other.known === first.known && other.equal > first.equal) ? other : first,
  )
  const delimiter = best.known > 0 ? best.delimiter : undefined
  const { known, headerRow } = best
  return { encoding, hasLeadingLine: line !== null, headerRow, known, delimiter, separator }
}

/** The header and the rows that decide on the delimiter, and how many lines are searched for them. */
const [maxRows, maxLines] = [101, 2000]

/** Returns the rows before the first error in the file's syntax. */
function firstRows(text: string, delimiter: Delimiter): CsvRow[] {
  const parser = new RowParser(delimiter)
  const rows: CsvRow[] = []
  const lines = text.matchAll(/[^\r\n]*[\r\n]+|[^\r\n]+$/g).take(maxLines)
  try {
    for (const [line] of lines) {
      rows.push(...parser.parse(line))
      if (rows.length >= maxRows) return rows.slice(0, maxRows)
    }
    return [...rows, ...parser.end()]
  } catch (error) {
    if (error instanceof InvalidCsv) return rows
    throw error
  }
}

/** How well a delimiter fits. `known`: how many titles are known. `equal`: how many rows have as many cells as the header,
 *  if it has several. */
type TableFit = { headerRow: number; known: number; equal: number }

function tableFitOf(rows: readonly CsvRow[], knows: KnowsTitle): TableFit {
  const header = findHeader(rows, knows)
  const titles = header?.cells ?? []
  const hasAsMany = ({ row, cells }: CsvRow) => row > header!.row && cells.length === titles.length
  const equal = titles.length > 1 ? rows.filter(hasAsMany).length : 0
  return { headerRow: header?.row ?? 1, known: titles.filter(knows).length, equal }
}

/** The number of rows that are searched for the titles, because a report may begin with a heading. */
const maxHeadingRows = 20

/** Returns the first row that is not empty, unless it is part of a heading: a row below it has several known titles, and
 *  more of them and more cells than each row above it. */
function findHeader(rows: readonly CsvRow[], knows: KnowsTitle): CsvRow | undefined {
  const filled = rows.filter((row) => !isEmptyRow(row)).slice(0, maxHeadingRows)
  const counts = filled.map(({ cells }) => {
    return { known: cells.filter(knows).length, filled: cells.filter((cell) => cell.trim() !== '').length }
  })
  const index = counts.findIndex((count, at) => {
    const exceeds = (above: typeof count) => count.known > above.known && count.filled > above.filled
    return at > 0 && count.known > 1 && counts.slice(0, at).every(exceeds)
  })
  return filled[Math.max(index, 0)]
}
