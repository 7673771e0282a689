// The sentences in which the API describes what an import assumes about its file.

import type { Assumption, AssumptionCode } from './columns.ts'

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
  const shown = names.filter((name) => {
    length += name.length + 2
    return length <= maxNamesLength
  })
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
