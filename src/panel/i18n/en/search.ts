// English texts for the search, and for the fields in which users choose a record.

import { plural } from '../plural.ts'

const locale = 'en-GB'

export const search = {
  title: 'Search',
  titleEverywhere: 'Search all tenants',
  fieldLabel: 'Search assets, people and branches',
  help: 'Enter part of a name, an asset tag, a serial number, or an email address.',
  nothing: 'No results',
  nothingHelp: 'Check the spelling, or enter fewer words.',
  back: 'Back to all results',
  everywhere: 'Search all tenants',
  inactive: 'Inactive',
  next: 'Search more tenants',
  all: (count: string) => `Show all ${count}`,
  limit: (count: string) => `Only the first ${count} results are listed. Add a word to narrow them down.`,
  moreIn: (tenant: string) => `Show all results in ${tenant}`,
  notSearched: (names: string) => `These tenants could not be searched: ${names}.`,
  searched: (done: string, all: string) => `${done} of ${all} tenants have been searched.`,

  offers: (count: number) => plural(locale, count, { one: '# result', other: '# results' }),
  allFor: (text: string) => `Show all results for “${text}”`,
  everywhereFor: (text: string) => `Search all tenants for “${text}”`,

  shortcuts: {
    title: 'Keyboard shortcuts',
    letters: 'Use single-key shortcuts',
    close: 'Close',
    names: {
      search: 'Search, or go to a page',
      next: 'Next row in a list',
      previous: 'Previous row',
      open: 'Open the row',
      select: 'Select the row',
      act: 'Choose what to do with the selected rows',
      save: 'Save the form',
      close: 'Close a menu or list',
      list: 'Show these shortcuts',
    },
  },

  none: 'No matches',
  first: (count: string) => `${count} or more. Keep typing to narrow the list.`,
  /** The messages shown if no record has been chosen, by resource. */
  choose: {
    records: {
      empty: 'Choose a record.',
      unknown: 'No record matches. Check the spelling, or enter only part of the name.',
      ambiguous: 'Several records match. Choose one of them.',
    },
    employees: {
      empty: 'Choose a person.',
      unknown: 'No person matches. Check the spelling, or enter only part of the name.',
      ambiguous: 'Several people match. Choose one of them.',
    },
    customers: {
      empty: 'Choose a branch.',
      unknown: 'No branch matches. Check the spelling, or enter only part of the name.',
      ambiguous: 'Several branches match. Choose one of them.',
    },
    hardware: {
      empty: 'Choose an asset.',
      unknown: 'No asset matches. Check the spelling, or enter only part of the tag or serial number.',
      ambiguous: 'Several assets match. Choose one of them.',
    },
  },
}
