// English texts for lists: columns, filters, views, page navigation and exports.

import { plural } from '../plural.ts'

const locale = 'en-GB'

/** Says that something happens within this many days, today included. */
export function withinDays(days: number): string {
  return days === 0 ? 'today' : plural(locale, days, { one: 'within # day', other: 'within # days' })
}

export const lists = {
  /** Column labels that differ from the field labels. */
  columns: { employee_name: 'Holder', id: 'ID' } as Record<string, string>,
  inStock: 'In stock',
  left: 'Left',

  views: 'Views',
  moreViews: 'More views',
  all: 'All',
  /** Built-in views by their ids. */
  builtIn: {
    '-9': 'Leaving soon',
    '-8': 'Left',
    '-6': 'In stock',
    '-5': 'In repair over 14 days',
    '-4': 'Warranty ending',
    '-3': 'Loans overdue',
    '-2': 'Held by leavers',
    '-1': 'No serial or tag',
  } as Record<string, string>,
  saveView: 'Save view',
  viewName: 'View name',
  shareView: 'Show it to everyone in this company',
  saveViewHelp:
    'Saves the filters, the sort order and the columns. Replaces your existing view with this name, if any.',
  viewSaved: (name: string) => `View “${name}” saved.`,
  viewNotSaved: 'The view was not saved, because its filters or columns do not fit this list.',
  nameView: 'Enter a name for the view.',
  deleteView: 'Delete view',
  viewDeleted: (name: string) => `View “${name}” deleted.`,

  sortMenu: 'Sort',
  columnsMenu: 'Columns',
  chooseColumns: 'Show these columns',
  standardColumns: 'Default columns',
  apply: 'Apply',

  exportMenu: 'Export',
  exportShown: 'This list, as shown',
  exportFinance: 'Finance list with costs and total',
  exportAll: 'All fields, for importing back',
  total: 'Total',

  more: 'More filters',
  asOf: 'As of',
  asOfHelp: 'Shows the inventory as it was at the end of this day.',
  asOfDay: (day: string) => `As of ${day}`,
  asOfNote: (day: string) => `This is the inventory as of ${day}. Nothing can be changed here.`,
  asOfFuture: (day: string) => `${day} is in the future. This is the inventory of today.`,
  backToToday: 'Back to today',
  /** The link that removes a filter, for screen readers. */
  remove: (filter: string) => `Remove filter: ${filter}`,
  clear: 'Clear all',
  /** The ends of a range of numbers or amounts. */
  atLeast: 'At least',
  atMost: 'At most',
  /** The first and last day of a period. */
  from: 'From',
  to: 'To',
  empty: 'empty',
  notEmpty: 'not empty',
  invalid: 'These filters don’t fit this list. Remove them, or choose a view above.',

  /** The text of an active filter, by comparison operator. */
  compared: {
    eq: (field: string, value: string) => `${field}: ${value}`,
    in: (field: string, value: string) => `${field}: ${value}`,
    ne: (field: string, value: string) => `${field}: not ${value}`,
    gte: (field: string, value: string) => `${field}: from ${value}`,
    gt: (field: string, value: string) => `${field}: after ${value}`,
    lte: (field: string, value: string) => `${field}: up to ${value}`,
    lt: (field: string, value: string) => `${field}: before ${value}`,
    contains: (field: string, value: string) => `${field}: “${value}”`,
    null: (field: string, value: string) => `${field}: ${value}`,
  },
  /** Labels for filters that are not fields, and labels that differ from the field's label. */
  names: {
    q: 'Search',
    employee_id: 'Person',
    warranty: 'Warranty',
    loan: 'Loan',
    employment: 'Employment',
    'employee.employment': 'Employment',
    'employee.kind': 'Holder',
    'employee.department': 'Department',
    status_since: 'Status since',
    created_in: 'Added',
    missing: 'Without',
    purchase_cost: 'Cost',
  } as Record<string, string>,
  words: {
    valid: 'not ended',
    expired: 'ended',
    none: 'unknown',
    out: 'on loan',
    overdue: 'overdue',
    current: 'current',
    left: 'left',
    storage: 'stock',
    person: 'person',
  } as Record<string, string>,
  /** Filters by the change set that created the records. */
  oneChange: 'in one step',
  /** Filters by the end of a warranty, loan or employment. */
  within: (days: number) => `ends ${withinDays(days)}`,
  daysAgo: (days: number) => plural(locale, days, { one: '# day ago', other: '# days ago' }),
  inDays: (days: number) => plural(locale, days, { one: 'in # day', other: 'in # days' }),
  /** A filter by the end of a loan. */
  dueWithin: (days: number) => `due ${withinDays(days)}`,
  today: 'today',
  lastDays: (days: number) => plural(locale, days, { one: 'in the last day', other: 'in the last # days' }),
  or: ' or ',

  /** The number of records that match the filters, out of all records. */
  foundOf: (found: string, all: string) => `${found} of ${all}`,
  range: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
  /** Shown before the total cost of the records. */
  onThisPage: (shown: string) => `On this page (${shown})`,
  allMatching: (all: string) => `All (${all})`,
  addUp: 'Add up all',
  rangeOnly: (from: string, to: string) => `${from}–${to}`,
  previous: 'Previous',
  next: 'Next',
  perPage: 'Rows per page',
}
