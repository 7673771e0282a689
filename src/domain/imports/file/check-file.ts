// Checks a whole file before any part of it is stored: its encoding, delimiter, columns, and the syntax of every row. Also
// says what an import assumes about its file.

import { type CsvRow, csvLimits, InvalidCsv, isEmptyRow, readRows } from '../../../lib/csv.ts'
import { cleanText, trimInvisible } from '../../../lib/text.ts'
import { Problem } from '../../../problem.ts'
import { type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import { type PartRow, writePart } from '../../jobs/job-parts.ts'
import type { ColumnOptions, DateFormat, FileColumn, FileColumns } from '../columns/columns.ts'
import { matchColumns } from '../columns/match-columns.ts'
import { faultInTenant, requireNoFault, type SetData } from '../columns/set-values.ts'
import { defaultMatch, ignoredTitles, normalizeTitle, titleTest, withTitlesOf } from '../columns/targets.ts'
import { type ImportMapping, mappedTitleTest, withMapping } from '../mappings/mapping.ts'
import type { Currency } from './amounts.ts'
import { watchSamples, withoutOddCharacters, withoutTotal } from './cells.ts'
import { watchFormats } from './formats.ts'
import { watchReadings } from './readings.ts'
import { detectSyntax, NotText, openText, type Syntax } from './syntax.ts'

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
    const columns = matchColumns(titles, resource, resources, options)
    if (columns.set || columns.assignsTag) requireNoFault(await faultInTenant(resource, columns, data))
    const formats = await watchFormats(resource, columns, { findCurrency, unit: options.amounts })
    const readings = columns.columns.some(isReadByContents) ? watchReadings(columns) : null
    const samples = watchSamples(columns.columns.length)
    const total = withoutTotal(rows, resource, columns.columns)
    const written: string[] = []
    let [rowCount, partCount, characters] = [0, 0, 0]
    for await (const part of groupIntoParts(total.rows)) {
      for (const { cells } of part) {
        formats.add(cells)
        readings?.add(cells)
        samples.add(cells)
      }
      rowCount += part.length
      partCount++
      if (characters > maxCharactersInMemory) continue
      const text = writePart(part)
      written.push(text)
      characters += text.length
    }
    const result = formats.result()
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

function assumedSyntax({ encoding, delimiter }: Syntax, charset: string | null, totalRow?: number): Assumption[] {
  const assumptions: Assumption[] = []
  if (encoding !== 'utf-8' && charset === null) assumptions.push({ code: 'encoding', value: encoding })
  if (delimiter !== ',') assumptions.push({ code: 'delimiter', value: delimiter })
  if (totalRow !== undefined) assumptions.push({ code: 'total_row', value: String(totalRow) })
  return assumptions
}

/** Yields the parts of a checked file in the form in which they are stored. */
export async function* readParts(
  source: FileSource,
  resource: Resource,
  { written, syntax, columns }: CheckedFile,
): AsyncGenerator<string> {
  if (written) return yield* written
  const { rows } = await readFile(source, syntax)
  for await (const part of groupIntoParts(withoutTotal(rows, resource, columns.columns).rows)) yield writePart(part)
}

/** Returns the titles in row 1, and the rows below it that are not empty, chunk by chunk. */
async function readFile(
  source: FileSource,
  syntax: Syntax,
): Promise<{ header: string[]; rows: AsyncIterable<PartRow[]> }> {
  const chunks = readRows(openText(source, syntax), syntax.delimiter)
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

/** An assumption about a file. `column`, `columns`: the titles of the columns that the assumption is about. */
export type Assumption = { code: AssumptionCode; column?: string; columns?: string[]; value?: string }

export type AssumptionCode =
  | 'encoding'
  | 'delimiter'
  | 'ignored_columns'
  | 'odd_characters'
  | 'no_match_column'
  | 'day_first'
  | 'month_first'
  | 'unclear_dates'
  | 'times'
  | 'blank_is_no'
  | 'major_units'
  | 'minor_units'
  | 'looked_up_by'
  | 'own_export'
  | 'existing_values'
  | 'kept_values'
  | 'damaged_codes'
  | 'total_row'

/** The maximum number of assumptions about a file (contract §17). */
export const maxAssumptions = 100

/** The assumptions about the file's syntax, followed by those about its columns. */
export function assumptionsOf(
  resource: Resource,
  { columns, match, exportKey }: FileColumns,
  options: Pick<ColumnOptions, 'map' | 'amounts'>,
  syntax: readonly Assumption[],
): Assumption[] {
  const expected = ignoredTitles(resource)
  const isUnknown = ({ title, target }: FileColumn) =>
    target === null && title !== '' && !expected.has(normalizeTitle(title)) && options.map[title] !== ''
  const ignored = columns.filter(isUnknown).map(({ title }) => title)
  const assumptions = [...syntax]
  if (exportKey) assumptions.push({ code: 'own_export' })
  else if (match === null) assumptions.push({ code: 'no_match_column', value: defaultMatch })
  if (ignored.length > 0) assumptions.push({ code: 'ignored_columns', columns: ignored })
  const odd = columns.filter(({ hasOddCharacters }) => hasOddCharacters).map(({ title }) => withoutOddCharacters(title))
  if (odd.length > 0) assumptions.push({ code: 'odd_characters', columns: odd })
  const damaged = columns.filter(({ hasDamagedCodes }) => hasDamagedCodes).map(({ title }) => title)
  if (damaged.length > 0) assumptions.push({ code: 'damaged_codes', columns: damaged })
  for (const { title: column, target, dates, hasTimes, amounts, isBlankNo } of columns) {
    if (target?.kind === 'reference' && target.readings)
      assumptions.push({ code: 'looked_up_by', column, value: target.by })
    if (dates) assumptions.push({ code: assumedDates[dates], column })
    if (hasTimes) assumptions.push({ code: 'times', column })
    if (amounts && options.amounts === null) assumptions.push({ code: `${amounts.unit}_units`, column })
    if (isBlankNo) assumptions.push({ code: 'blank_is_no', column })
  }
  return assumptions.slice(0, maxAssumptions)
}

const assumedDates = {
  'day first': 'day_first',
  'month first': 'month_first',
  unclear: 'unclear_dates',
} as const satisfies Record<DateFormat, AssumptionCode>

/** `Windows-1254` for `windows-1254`, `UTF-16` for `utf-16le`. */
export function encodingName(encoding: string): string {
  return encoding.startsWith('utf-16') ? 'UTF-16' : encoding.charAt(0).toUpperCase() + encoding.slice(1)
}

const delimiterNames: Record<string, string> = { ';': 'a semicolon', '\t': 'a tab', ',': 'a comma' }

const sentences: Record<AssumptionCode, (assumption: Assumption) => string> = {
  encoding: ({ value }) => {
    const reason = value!.startsWith('windows-') ? ', because it is not valid UTF-8' : ''
    return `The file is read as ${encodingName(value!)}${reason}.`
  },
  delimiter: ({ value }) => `The columns are separated by ${delimiterNames[value!]}.`,
  ignored_columns: ({ columns = [] }) =>
    `The column${columns.length === 1 ? '' : 's'} ${quoteAll(columns)} ${columns.length === 1 ? 'is' : 'are'} unknown and ignored.`,
  odd_characters: ({ columns = [] }) =>
    `The column${columns.length === 1 ? '' : 's'} ${quoteAll(columns)} ${columns.length === 1 ? 'has' : 'have'} characters that cannot be shown; the file may be damaged.`,
  no_match_column: ({ value }) => `No column contains ${value}, so every row creates a record.`,
  day_first: ({ column }) => `The dates with slashes or hyphens in ${quote(column)} begin with the day.`,
  month_first: ({ column }) => `The dates with slashes or hyphens in ${quote(column)} begin with the month.`,
  times: ({ column }) => `The times in ${quote(column)} are left out; only the dates are stored.`,
  blank_is_no: ({ column }) => `An empty cell in ${quote(column)} means no.`,
  unclear_dates: ({ column }) =>
    `The dates with slashes or hyphens in ${quote(column)} can be read in two ways and are rejected; write 2026-12-31 or 31.12.2026.`,
  major_units: ({ column }) =>
    `The amounts in ${quote(column)} are in major units of the currency: 1.50 is stored as 150.`,
  minor_units: ({ column }) => `The amounts in ${quote(column)} are in minor units of the currency: 150 means 1.50.`,
  own_export: () =>
    'The file is an export: rows whose external_id is empty or new update the record with their id and created_at.',
  existing_values: ({ column, value }) =>
    value === '1'
      ? `1 new record has a value in ${quote(column)} that an existing record already has.`
      : `${value} new records have a value in ${quote(column)} that an existing record already has.`,
  kept_values: ({ column, value }) =>
    value === '1'
      ? `A spreadsheet has damaged 1 cell in ${quote(column)}; its record keeps the present value.`
      : `A spreadsheet has damaged ${value} cells in ${quote(column)}; their records keep the present values.`,
  damaged_codes: ({ columns = [] }) =>
    `A spreadsheet has changed codes in ${quoteAll(columns)} to numbers such as 1.23E+11; their last digits are lost.`,
  total_row: ({ value }) => `Row ${value} is left out, because it holds only totals.`,
  looked_up_by: ({ column, value }) => `${quote(column)} is looked up by ${value}.`,
}

export function sentenceOf(assumption: Assumption): string {
  return sentences[assumption.code](assumption)
}

function quote(text: string | undefined): string {
  return JSON.stringify(text)
}

/** A sentence names as many columns as fit into this number of characters. */
const maxNamesLength = 4000

function quoteAll(titles: readonly string[]): string {
  let length = 0
  const names = titles.map(quote)
  const fitting = names.filter((name) => {
    length += name.length + 2
    return length <= maxNamesLength
  })
  const more = names.length - fitting.length
  return fitting.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
