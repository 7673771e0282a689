// How an imported file writes its dates and amounts, and the sentences in which the API says what an import assumes about
// its file.

import type { Field, Resource } from '../declarations/resource.ts'
import {
  type AmountFormat,
  type ColumnOptions,
  type DateFormat,
  defaultMatch,
  type FileColumn,
  type FileColumns,
  ignoredColumns,
  normalizeTitle,
} from './columns.ts'

/** Detects how the dates and amounts in each column are written, from the cells of all rows. `findDecimals`: returns how
 *  many decimals the tenant's currency has; called only if there are amounts. */
export async function watchFormats(
  resource: Resource,
  columns: readonly FileColumn[],
  findDecimals: () => Promise<number>,
) {
  const fields = columns.map(({ target }) => (target?.kind === 'field' ? resource.fields[target.name] : undefined))
  const decimals = fields.some(isAmount) ? await findDecimals() : 0
  const watches = fields.map((field): Watch | undefined => {
    if (field?.kind === 'date') return watchDates()
    return isAmount(field) ? watchAmounts(decimals) : undefined
  })
  const watched = watches.flatMap((watch, index) => (watch ? [{ watch, index }] : []))
  return {
    add(cells: readonly string[]): void {
      for (const { watch, index } of watched) {
        const cell = (cells[index] ?? '').trim()
        if (cell !== '') watch.add(cell)
      }
    },
    /** The columns with their formats. */
    result: (): FileColumn[] => columns.map((column, index) => ({ ...column, ...watches[index]?.format() })),
  }
}

function isAmount(field: Field | undefined): boolean {
  return field?.kind === 'integer' && field.isAmount === true
}

type Watch = { add(cell: string): void; format(): Partial<FileColumn> }

type Separator = '.' | ','

const withDots = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/
const withSlashes = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** The column gets a format only if any of its dates has slashes. */
function watchDates(): Watch {
  let [slashed, dayFirst, monthFirst] = [false, false, false]
  return {
    add(cell: string): void {
      const [, first, second] = withSlashes.exec(cell) ?? []
      if (first === undefined) return
      slashed = true
      dayFirst ||= Number(first) > 12
      monthFirst ||= Number(second) > 12
    },
    format() {
      if (!slashed) return {}
      if (dayFirst === monthFirst) return { dates: 'unclear' }
      return { dates: dayFirst ? 'day first' : 'month first' }
    },
  }
}

/** Returns the date as `YYYY-MM-DD`, or the unchanged cell if its format is unknown or unclear. Validation later checks
 *  whether the date exists. */
export function readDate(cell: string, slashed: DateFormat | undefined): string {
  const date = cell.replace(withDots, (_, day: string, month: string, year: string) => isoDate(year, month, day))
  if (slashed === undefined || slashed === 'unclear') return date
  return date.replace(withSlashes, (_, first: string, second: string, year: string) =>
    slashed === 'day first' ? isoDate(year, second, first) : isoDate(year, first, second),
  )
}

function isoDate(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** An amount without spaces or currency. `digits`: the amount's digits and separators. */
type WrittenAmount = { sign: string; digits: string }

/** An amount's separators, as far as their meaning is clear. */
type Separators = { decimal?: Separator; thousands?: Separator }

/** `digits`: how many decimals the currency has. */
function watchAmounts(digits: number): Watch {
  const decimals = new Set<Separator>()
  const thousands = new Set<Separator>()
  return {
    add(cell: string): void {
      const written = parse(cell)
      const reading = written && readSeparators(written.digits)
      if (reading?.decimal) decimals.add(reading.decimal)
      if (reading?.thousands) thousands.add(reading.thousands)
    },
    format() {
      const unit = decimals.size > 0 ? 'major' : 'minor'
      const candidates = (['.', ','] as const).filter((separator) =>
        decimals.size > 0 ? decimals.has(separator) : thousands.size > 0 && !thousands.has(separator),
      )
      const isAgreed = candidates.length === 1 && !thousands.has(candidates[0]!)
      return { amounts: { unit, decimal: isAgreed ? candidates[0] : undefined, digits } }
    },
  }
}

/** Returns the amount in minor units as digits. A cell that is ambiguous, has too many decimals or is not an amount
 *  stays unchanged, so that validation rejects it. 1500.00 is accepted for a currency without decimals. */
export function readAmount(cell: string, { unit, decimal, digits }: AmountFormat): string {
  const written = parse(cell)
  if (!written) return cell
  const separator = readSeparators(written.digits)?.decimal ?? decimal
  if (separator === undefined && isAmbiguous(written.digits)) return cell
  const [whole, fraction = ''] = separator === undefined ? [written.digits] : split(written.digits, separator)
  const units = whole!.replaceAll(/[.,]/g, '')
  if (unit === 'minor') return fraction === '' ? written.sign + units : cell
  if (fraction.length > Math.max(digits, 2) || /[^0]/.test(fraction.slice(digits))) return cell
  return written.sign + units + fraction.slice(0, digits).padEnd(digits, '0')
}

/** Reads an ambiguous amount in major units as if its separator were a thousands separator: 1499 for `1.499`. Returns
 *  undefined for other cells. */
export function wholeAmount(cell: string): number | undefined {
  const written = parse(cell)
  return written && isAmbiguous(written.digits) ? Number(written.digits.replaceAll(/[.,]/g, '')) : undefined
}

/** Removes spaces, the apostrophes that Swiss amounts use as thousands separators, and a currency before or after the
 *  number. Returns undefined for text that is not an amount. */
function parse(cell: string): WrittenAmount | undefined {
  const compact = cell.replaceAll(/[\s\u00a0\u202f'’]/g, '')
  const match = /^(-?)(?:\p{Sc}|[A-Z]{3}|TL)?(-?)(\d[\d.,]*)(?:\p{Sc}|[A-Z]{3}|TL)?$/u.exec(compact)
  if (!match || !/\d$/.test(match[3]!) || (match[1] && match[2])) return undefined
  return isNumber(match[3]!) ? { sign: match[1]! + match[2]!, digits: match[3]! } : undefined
}

/** Whether the groups of digits form one number. */
function isNumber(digits: string): boolean {
  return /^\d+([.,]\d+)?$|^\d{1,3}(\.\d{3})+(,\d+)?$|^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)
}

/** Undefined if there are no separators, or if they are ambiguous. */
function readSeparators(digits: string): Separators | undefined {
  const separators = digits.replaceAll(/\d/g, '')
  if (separators === '' || isAmbiguous(digits)) return undefined
  const first: Separator = separators.startsWith('.') ? '.' : ','
  const last: Separator = separators.endsWith('.') ? '.' : ','
  if (first !== last) return { decimal: last, thousands: first }
  return separators.length > 1 ? { thousands: first } : { decimal: first }
}

/** `1.299` can mean 1299 or 1.299; `0.299`, `1234.567` and `12.5` are unambiguous. */
function isAmbiguous(digits: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)
}

function split(digits: string, separator: Separator): string[] {
  const index = digits.lastIndexOf(separator)
  return index === -1 ? [digits] : [digits.slice(0, index), digits.slice(index + 1)]
}

/** An assumption about a file. `column`, `columns`: the titles of the columns that the assumption is about. */
export type Assumption = { code: AssumptionCode; column?: string; columns?: string[]; value?: string }

export type AssumptionCode =
  | 'encoding'
  | 'delimiter'
  | 'ignored_columns'
  | 'no_match_column'
  | 'day_first'
  | 'month_first'
  | 'unclear_dates'
  | 'major_units'
  | 'minor_units'

/** The maximum number of assumptions about a file (contract §17). */
export const maxAssumptions = 100

/** The assumptions about the file's syntax, followed by those about its columns. */
export function assumptionsOf(
  resource: Resource,
  { columns, match }: FileColumns,
  options: ColumnOptions,
  syntax: readonly Assumption[],
): Assumption[] {
  const expected = new Set(ignoredColumns(resource).map(normalizeTitle))
  const isUnknown = ({ title, target }: FileColumn) =>
    target === null && title !== '' && !expected.has(normalizeTitle(title)) && options.map[title] !== ''
  const ignored = columns.filter(isUnknown).map(({ title }) => title)
  const assumptions = [...syntax]
  if (match === null) assumptions.push({ code: 'no_match_column', value: defaultMatch })
  if (ignored.length > 0) assumptions.push({ code: 'ignored_columns', columns: ignored })
  for (const { title: column, dates, amounts } of columns) {
    if (dates) assumptions.push({ code: assumedDates[dates], column })
    if (amounts) assumptions.push({ code: `${amounts.unit}_units`, column })
  }
  return assumptions.slice(0, maxAssumptions)
}

const assumedDates = {
  'day first': 'day_first',
  'month first': 'month_first',
  unclear: 'unclear_dates',
} as const satisfies Record<DateFormat, AssumptionCode>

const encodingNames: Record<string, string> = {
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252, because it is not valid UTF-8',
}

const delimiterNames: Record<string, string> = { ';': 'a semicolon', '\t': 'a tab', ',': 'a comma' }

const sentences: Record<AssumptionCode, (assumption: Assumption) => string> = {
  encoding: ({ value }) => `The file is read as ${encodingNames[value!]}.`,
  delimiter: ({ value }) => `The columns are separated by ${delimiterNames[value!]}.`,
  ignored_columns: ({ columns = [] }) =>
    `The column${columns.length === 1 ? '' : 's'} ${quoteAll(columns)} ${columns.length === 1 ? 'is' : 'are'} unknown and ignored.`,
  no_match_column: ({ value }) => `No column contains ${value}, so every row creates a record.`,
  day_first: ({ column }) => `The dates with slashes in ${quote(column)} begin with the day.`,
  month_first: ({ column }) => `The dates with slashes in ${quote(column)} begin with the month.`,
  unclear_dates: ({ column }) =>
    `The dates with slashes in ${quote(column)} can be read in two ways and are rejected; write 2026-12-31 or 31.12.2026.`,
  major_units: ({ column }) =>
    `The amounts in ${quote(column)} are in major units of the currency: 1.50 is stored as 150.`,
  minor_units: ({ column }) =>
    `The amounts in ${quote(column)} have no decimals, so they are read as minor units of the currency: 150 means 1.50.`,
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
