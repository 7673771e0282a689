// What an import assumes about its file, and the sentences that say so.

import type { Resource } from '../../declarations/resource.ts'
import type { ColumnOptions, DateFormat, FileColumn, FileColumns } from '../columns/columns.ts'
import { defaultMatch } from '../columns/targets.ts'
import { ignoredTitles, normalizeTitle } from '../columns/titles.ts'
import { withoutOddCharacters } from './cells.ts'
import type { Syntax } from './syntax.ts'

/** An assumption about a file. `column`, `columns`: the titles of the columns that the assumption is about. */
export type Assumption = { code: AssumptionCode; column?: string; columns?: string[]; value?: string }

export type AssumptionCode =
  | 'encoding'
  | 'delimiter'
  | 'header_row'
  | 'ignored_columns'
  | 'odd_characters'
  | 'no_match_column'
  | 'day_first'
  | 'month_first'
  | 'unclear_dates'
  | 'times'
  | 'missing_dates'
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

export function assumedSyntax(
  { encoding, delimiter, headerRow }: Syntax,
  charset: string | null,
  totalRow?: number,
): Assumption[] {
  const assumptions: Assumption[] = []
  if (encoding !== 'utf-8' && charset === null) assumptions.push({ code: 'encoding', value: encoding })
  if (delimiter !== ',') assumptions.push({ code: 'delimiter', value: delimiter })
  if (headerRow > 1) assumptions.push({ code: 'header_row', value: String(headerRow) })
  if (totalRow !== undefined) assumptions.push({ code: 'total_row', value: String(totalRow) })
  return assumptions
}

/** The assumptions about the file's syntax, followed by those about its columns. */
export function assumptionsOf(
  resource: Resource,
  { columns, match, exportKey }: FileColumns,
  options: Pick<ColumnOptions, 'map' | 'amounts'>,
  syntax: readonly Assumption[],
): Assumption[] {
  const expected = ignoredTitles(resource)
  const isUnknown = ({ title, target, samples = [] }: FileColumn) =>
    target === null &&
    (title !== '' || samples.length > 0) &&
    !expected.has(normalizeTitle(title)) &&
    options.map[title] !== ''
  const ignored = columns.flatMap((column, index) => (isUnknown(column) ? column.title || `#${index + 1}` : []))
  const assumptions = [...syntax]
  if (exportKey) assumptions.push({ code: 'own_export' })
  else if (match === null) assumptions.push({ code: 'no_match_column', value: defaultMatch })
  if (ignored.length > 0) assumptions.push({ code: 'ignored_columns', columns: ignored })
  const odd = columns.filter(({ hasOddCharacters }) => hasOddCharacters).map(({ title }) => withoutOddCharacters(title))
  if (odd.length > 0) assumptions.push({ code: 'odd_characters', columns: odd })
  const damaged = columns.filter(({ hasDamagedCodes }) => hasDamagedCodes).map(({ title }) => title)
  if (damaged.length > 0) assumptions.push({ code: 'damaged_codes', columns: damaged })
  for (const { title: column, target, dates, hasTimes, noDate, amounts, isBlankNo } of columns) {
    if (target?.kind === 'reference' && target.readings)
      assumptions.push({ code: 'looked_up_by', column, value: target.by })
    if (dates) assumptions.push({ code: assumedDates[dates], column })
    if (hasTimes) assumptions.push({ code: 'times', column })
    if (noDate !== undefined) assumptions.push({ code: 'missing_dates', column, value: noDate.slice(0, 40) })
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
  header_row: ({ value }) => `The column titles are in row ${value}; the rows above it are left out.`,
  ignored_columns: ({ columns = [] }) =>
    `The column${columns.length === 1 ? '' : 's'} ${quoteAll(columns)} ${columns.length === 1 ? 'is' : 'are'} unknown and ignored.`,
  odd_characters: ({ columns = [] }) =>
    `The column${columns.length === 1 ? '' : 's'} ${quoteAll(columns)} ${columns.length === 1 ? 'has' : 'have'} characters that cannot be shown, or letters that were read wrongly, such as Ã¼; the file may be damaged.`,
  no_match_column: ({ value }) => `No column contains ${value}, so every row creates a record.`,
  day_first: ({ column }) => `The dates with slashes or hyphens in ${quote(column)} begin with the day.`,
  month_first: ({ column }) => `The dates with slashes or hyphens in ${quote(column)} begin with the month.`,
  times: ({ column }) => `The times in ${quote(column)} are left out; only the dates are stored.`,
  missing_dates: ({ column, value }) => `A date such as ${quote(value)} in ${quote(column)} means that there is none.`,
  blank_is_no: ({ column }) => `An empty cell in ${quote(column)} means no.`,
  unclear_dates: ({ column }) =>
    `The dates with slashes or hyphens in ${quote(column)} can be read in two ways and are rejected; write 2026-01-31 or 31.01.2026.`,
  major_units: ({ column }) =>
    `The amounts in ${quote(column)} are in major units of the currency: 1.50 is stored as 150.`,
  minor_units: ({ column }) => `The amounts in ${quote(column)} are in minor units of the currency: 150 means 1.50.`,
  own_export: () =>
    'Rows whose external_id is empty or new update the record that has their id and created_at, if there is one.',
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
