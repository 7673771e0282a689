// Checks a whole file before any part of it is stored: its encoding, delimiter, columns, and the syntax of every row.

import {
  type CsvRow,
  csvLimits,
  type Delimiter,
  detectDelimiter,
  InvalidCsv,
  isEmptyRow,
  readRows,
} from '../../lib/csv.ts'
import { Problem } from '../../problem.ts'
import { type Resources, resourceNamed } from '../declarations/resource.ts'
import { type PartRow, writePart } from '../jobs/job-parts.ts'
import { type ColumnOptions, defaultMatch, type FileColumns, matchColumns } from './columns.ts'
import { type Assumption, assumptionsOf, watchFormats } from './formats.ts'

/** Each call reads the file from the start. */
export type FileSource = () => AsyncIterable<Buffer>

/** The result of checking a file, including how to read the file. `match`: the name of the column that identifies
 *  records. `written`: all parts as they are stored, or null if they are too large to be kept in memory. */
export type CheckedFile = {
  encoding: TextEncoding
  delimiter: Delimiter
  columns: FileColumns
  match: string
  assumptions: Assumption[]
  rows: number
  parts: number
  written: readonly string[] | null
}

/** Parts of at most this size are kept in memory, so that a small file, or a large one of blank lines, is parsed only
 *  once. */
const maxCharactersInMemory = 2 ** 20

/** Reads the file three times, in constant memory. `findDecimals`: as in watchFormats. Throws `invalid_request`. */
export async function checkFile(
  source: FileSource,
  resources: Resources,
  options: ColumnOptions & { resource: string },
  findDecimals: () => Promise<number>,
): Promise<CheckedFile> {
  const resource = resourceNamed(resources, options.resource)
  try {
    const encoding = await detectEncoding(source())
    const delimiter = await detectDelimiter(decodeText(source(), encoding))
    const { header, rows } = await readFile(source, { encoding, delimiter })
    const { columns, match } = matchColumns(header, resource, resources, options)
    const formats = await watchFormats(resource, columns, findDecimals)
    const written: string[] = []
    let [rowCount, partCount, characters] = [0, 0, 0]
    for await (const part of groupIntoParts(rows)) {
      for (const { cells } of part) formats.add(cells)
      rowCount += part.length
      partCount++
      if (characters > maxCharactersInMemory) continue
      const text = writePart(part)
      written.push(text)
      characters += text.length
    }
    const formatted: FileColumns = { columns: formats.result(), match }
    return {
      encoding,
      delimiter,
      columns: formatted,
      match: match === null ? defaultMatch : columns[match]!.target!.name,
      rows: rowCount,
      parts: partCount,
      written: characters > maxCharactersInMemory ? null : written,
      assumptions: assumptionsOf(resource, formatted, options, assumedSyntax(encoding, delimiter)),
    }
  } catch (error) {
    if (error instanceof NotText) throw invalidFile(`The file ${error.message}`, error)
    if (error instanceof InvalidCsv) throw invalidFile(error.message, error)
    throw error
  }
}

/** Keeps the cause, because it determines the message that the panel shows. */
function invalidFile(message: string, cause: NotText | InvalidCsv): Problem {
  return new Problem('invalid_request', { message, cause })
}

function assumedSyntax(encoding: TextEncoding, delimiter: Delimiter): Assumption[] {
  const assumptions: Assumption[] = []
  if (encoding !== 'utf-8') assumptions.push({ code: 'encoding', value: encoding })
  if (delimiter !== ',') assumptions.push({ code: 'delimiter', value: delimiter })
  return assumptions
}

/** Yields the parts of a checked file in the form in which they are stored. */
export async function* readParts(source: FileSource, checked: CheckedFile): AsyncGenerator<string> {
  if (checked.written) return yield* checked.written
  const { rows } = await readFile(source, checked)
  for await (const part of groupIntoParts(rows)) yield writePart(part)
}

/** Returns the titles in row 1, and the rows below it that are not empty, chunk by chunk. */
async function readFile(
  source: FileSource,
  { encoding, delimiter }: Pick<CheckedFile, 'encoding' | 'delimiter'>,
): Promise<{ header: string[]; rows: AsyncIterable<PartRow[]> }> {
  const chunks = readRows(decodeText(source(), encoding), delimiter)
  const first = await firstRows(chunks)
  const header = first.shift()
  if (header?.row !== 1 || isEmptyRow(header)) {
    await chunks.return(undefined)
    throw new InvalidCsv('no_header', { row: 1 })
  }
  return { header: dropTrailingBlanks(header.cells), rows: withoutEmptyRows(first, chunks) }
}

/** Returns the rows of the first chunk that contains the end of a row. */
async function firstRows(chunks: AsyncIterator<CsvRow[]>): Promise<CsvRow[]> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return []
    if (value.length > 0) return value
  }
}

/** Drops blank titles at the end. A spreadsheet leaves them there for every column that has ever been used. */
function dropTrailingBlanks(titles: readonly string[]): string[] {
  return titles.slice(0, titles.findLastIndex((title) => title.trim() !== '') + 1)
}

/** Leaves out empty rows. Throws InvalidCsv if there are too many rows, including those of empty quoted cells. */
async function* withoutEmptyRows(first: readonly CsvRow[], rest: AsyncIterable<CsvRow[]>): AsyncGenerator<PartRow[]> {
  let count = 0
  const select = (rows: readonly CsvRow[]): PartRow[] => {
    count += rows.length
    if (count > csvLimits.rows) throw new InvalidCsv('many_rows', { row: rows.at(-1)!.row })
    return rows.filter((row) => !isEmptyRow(row))
  }
  yield select(first)
  for await (const rows of rest) yield select(rows)
}

/** An import step processes at least one part, so these limits determine a step's minimum duration: about 5 ms. */
const partLimits = { rows: 50, characters: 65_536 }

async function* groupIntoParts(chunks: AsyncIterable<PartRow[]>): AsyncGenerator<PartRow[]> {
  let part: PartRow[] = []
  let characters = 0
  for await (const rows of chunks) {
    for (const row of rows) {
      part.push(row)
      for (const cell of row.cells) characters += cell.length
      if (part.length < partLimits.rows && characters < partLimits.characters) continue
      yield part
      part = []
      characters = 0
    }
  }
  if (part.length > 0) yield part
}

const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type TextEncoding = (typeof encodings)[number]

/** The file is not text. The message completes the sentence "The file …". */
export class NotText extends Error {
  readonly reason: 'workbook' | 'not_text' | 'invalid_utf8'

  constructor(message: string, reason: NotText['reason'] = 'not_text') {
    super(message)
    this.reason = reason
  }
}

/** The first bytes of formats that users mistake for CSV. */
const signatures: readonly [bytes: string, name: string][] = [
  ['PK\x03\x04', 'an Excel workbook (.xlsx) or another zip archive'],
  ['\xd0\xcf\x11\xe0', 'an Excel workbook (.xls)'],
  ['%PDF-', 'a PDF document'],
  ['\x1f\x8b', 'a gzip archive'],
]

/** Reads the whole file. UTF-16 requires a byte order mark. A file that is not valid UTF-8 is assumed to be
 *  Windows-1252, in which every byte is a character. Throws NotText. */
export async function detectEncoding(chunks: AsyncIterable<Buffer>): Promise<TextEncoding> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let start = Buffer.alloc(0)
  let isUtf8 = true
  let hasNull = false
  for await (const chunk of chunks) {
    if (start.length < longestSignature) start = Buffer.concat([start, chunk.subarray(0, longestSignature)])
    hasNull ||= chunk.includes(0)
    isUtf8 &&= decodes(() => utf8.decode(chunk, { stream: true }))
  }
  requireNoSignature(start)
  const mark = byteOrderMark(start)
  if (mark?.startsWith('utf-16')) return mark
  if (hasNull) throw new NotText('is not text: it contains bytes that are zero. UTF-16 needs a byte order mark.')
  if (isUtf8 && decodes(() => utf8.decode())) return 'utf-8'
  if (mark === 'utf-8')
    throw new NotText('begins with the byte order mark of UTF-8, but is not valid UTF-8.', 'invalid_utf8')
  return 'windows-1252'
}

const longestSignature = Math.max(...signatures.map(([bytes]) => bytes.length))

function decodes(decode: () => string): boolean {
  try {
    decode()
    return true
  } catch {
    return false
  }
}

function requireNoSignature(start: Buffer): void {
  const text = start.toString('latin1')
  const signature = signatures.find(([bytes]) => text.startsWith(bytes))
  if (!signature) return
  const reason = signature[1].includes('workbook') ? 'workbook' : 'not_text'
  throw new NotText(`is not text but ${signature[1]}: save it as CSV, and upload that.`, reason)
}

function byteOrderMark(start: Buffer): TextEncoding | undefined {
  const text = start.toString('latin1')
  if (text.startsWith('\xff\xfe')) return 'utf-16le'
  if (text.startsWith('\xfe\xff')) return 'utf-16be'
  return text.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined
}

/** Yields a file's text without its byte order mark. */
export async function* decodeText(chunks: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}
