// Checks a whole file before any part of it is stored: its encoding, delimiter, columns, and the syntax of every row.

import { type CsvRow, csvLimits, InvalidCsv, isEmptyRow, isLongerThan, readRows } from '../../../lib/csv.ts'
import { cleanText, trimInvisible } from '../../../lib/text.ts'
import { Problem } from '../../../problem.ts'
import { isAmount, type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import { type PartRow, writePart } from '../../jobs/job-parts.ts'
import type { ColumnOptions, FileColumn, FileColumns } from '../columns/columns.ts'
import { matchColumns } from '../columns/match-columns.ts'
import { faultInTenant, requireNoFault, type SetData, withSetAmounts } from '../columns/set-values.ts'
import { defaultMatch, uniqueColumns } from '../columns/targets.ts'
import { titleTest, withTitlesOf } from '../columns/titles.ts'
import { type ImportMapping, mappedTitleTest, withMapping } from '../mappings/mapping.ts'
import type { Currency } from './amounts.ts'
import { type Assumption, assumedSyntax, assumptionsOf } from './assumptions.ts'
import { watchSamples } from './cells.ts'
import { NotText } from './encodings.ts'
import { watchFormats } from './formats.ts'
import { watchReadings } from './readings.ts'
import { watchRepeatedValues } from './repeated-values.ts'
import { detectSyntax, openText, type Syntax } from './syntax.ts'
import { type RowsWithoutTotal, withoutTotal } from './total-row.ts'

/** Each call reads the file from the start. */
export type FileSource = () => AsyncIterable<Buffer>

/** The result of checking a file, including how to read the file. `match`: the name of the column that identifies
 *  records. `written`: all parts as they are stored, or null if they are too large to be kept in memory. */
export type CheckedFile = {
  syntax: Syntax
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

/** Reads the tenant's data that decides how a file is read. */
export type TenantData = SetData & { findCurrency: () => Promise<Currency> }

/** Reads the file four times, in constant memory. Throws `invalid_request`. */
export async function checkFile(
  source: FileSource,
  resources: Resources,
  { mapping, ...requested }: ColumnOptions & { resource: string; mapping: ImportMapping | null },
  data: TenantData,
): Promise<CheckedFile> {
  const { findCurrency, findReadings } = data
  const resource = resourceNamed(resources, requested.resource)
  const isTitle = titleTest(resource, resources, requested)
  const isMapped = mapping ? mappedTitleTest(mapping) : () => false
  try {
    const syntax = await detectSyntax(source, requested.charset, (title) => isTitle(title) || isMapped(title))
    const { header, rows } = await readFile(source, syntax)
    const titles = header.map(cleanText)
    const named = withTitlesOf(requested, titles)
    const options = mapping ? withMapping(named, mapping, { titles, resource, resources }) : named
    const matched = matchColumns(titles, resource, resources, options)
    const columns = matched.set ? await withSetAmounts(resource, matched, options.amounts, findCurrency) : matched
    if (columns.set || columns.assignsTag) requireNoFault(await faultInTenant(resource, columns, data))
    const formats = await watchFormats(resource, columns, { findCurrency, unit: options.amounts })
    const readings = columns.columns.some(isReadByContents) ? watchReadings(columns) : null
    const unique = options.isDraft ? null : uniqueColumns(resource, columns)
    const repeated = unique?.size ? watchRepeatedValues(columns, unique) : null
    const samples = watchSamples(columns.columns.length)
    const total = leaveOutTotal(rows, resource, columns)
    const written: string[] = []
    let [rowCount, partCount, characters] = [0, 0, 0]
    for await (const part of groupIntoParts(total.rows)) {
      for (const { cells } of part) {
        formats.add(cells)
        readings?.add(cells)
        repeated?.add(cells)
        samples.add(cells)
      }
      rowCount += part.length
      partCount++
      if (characters > maxCharactersInMemory) continue
      const text = writePart(part)
      written.push(text)
      characters += text.length
    }
    const result = { ...formats.result(), ...(repeated && { repeated: repeated.result() }) }
    const formatted = samples.addTo(readings ? await readings.decide(result, findReadings) : result)
    const { match } = formatted
    return {
      syntax,
      columns: formatted,
      match: match === null ? defaultMatch : formatted.columns[match]!.target!.name,
      rows: rowCount,
      parts: partCount,
      written: characters > maxCharactersInMemory ? null : written,
      assumptions: assumptionsOf(resource, formatted, options, assumedSyntax(syntax, options.charset, total.row())),
    }
  } catch (error) {
    if (error instanceof NotText) throw invalidFile(`The file ${error.message}`, error)
    if (error instanceof InvalidCsv) throw invalidFile(error.message, error)
    throw error
  }
}

function isReadByContents({ target }: FileColumn): boolean {
  return target?.kind === 'reference' && target.readings !== undefined
}

/** Keeps the cause, because it determines the message that the panel shows. */
function invalidFile(message: string, cause: NotText | InvalidCsv): Problem {
  return new Problem('invalid_request', { message, cause })
}

/** Yields the parts of a checked file in the form in which they are stored. */
export async function* readParts(
  source: FileSource,
  resource: Resource,
  { written, syntax, columns }: CheckedFile,
): AsyncGenerator<string> {
  if (written) return yield* written
  const { rows } = await readFile(source, syntax)
  for await (const part of groupIntoParts(leaveOutTotal(rows, resource, columns).rows)) yield writePart(part)
}

/** Leaves out a last row with totals. Columns with amounts and ignored columns may hold them. */
function leaveOutTotal(rows: AsyncIterable<PartRow[]>, resource: Resource, { columns }: FileColumns): RowsWithoutTotal {
  const mayHoldAmounts = columns.map(({ target }) => target === null || isAmount(resource.fields[target.name]))
  return mayHoldAmounts.includes(true) ? withoutTotal(rows, mayHoldAmounts) : { rows, row: () => undefined }
}

/** Returns the titles, and the rows below them that are not empty, chunk by chunk. */
async function readFile(
  source: FileSource,
  syntax: Syntax,
): Promise<{ header: string[]; rows: AsyncIterable<PartRow[]> }> {
  const chunks = readRows(openText(source, syntax), syntax.delimiter)
  const first = await rowsFrom(chunks, syntax.headerRow)
  const header = first.shift()
  if (!header || isEmptyRow(header)) {
    await chunks.return(undefined)
    throw new InvalidCsv('no_header', { row: 1 })
  }
  const tooLong = header.cells.findIndex((title) => isLongerThan(title.trim(), csvLimits.titleCharacters))
  if (tooLong !== -1) throw new InvalidCsv('long_title', { row: header.row, column: tooLong + 1 })
  return { header: dropTrailingBlanks(header.cells), rows: withoutEmptyRows(first, chunks) }
}

/** Returns the rows of the first chunk that contains the end of this row or of a later one, without the rows above it. */
async function rowsFrom(chunks: AsyncIterator<CsvRow[]>, start: number): Promise<CsvRow[]> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return []
    const rows = value.filter(({ row }) => row >= start)
    if (rows.length > 0) return rows
  }
}

/** Drops blank titles at the end. A spreadsheet leaves them there for every column that has ever been used. */
function dropTrailingBlanks(titles: readonly string[]): string[] {
  return titles.slice(0, titles.findLastIndex((title) => trimInvisible(title) !== '') + 1)
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
