// Filters whose value is a word for a condition on one or more fields, such as `warranty=60d`. Unlike dates, these
// words do not become outdated in saved views and links.

import type { Value } from '../../../engine/database/database.ts'
import type { Resource } from '../../declarations/resource.ts'

/** `words`: the allowed values. `takesDays`: whether a number of days such as `60d` is also allowed. `columns`: the
 *  condition's columns; lists can use a single column's index. `clause`: the condition for a word, or for a number of
 *  days. `last`: the last day of the period that starts today. */
export type WordFilter = {
  kind: 'words'
  about: string
  words: readonly string[]
  takesDays?: true
  columns: readonly string[]
  clause(operands: { word: string; today: string; last: string }): { sql: string; values: Value[] }
}

const warranty: WordFilter = {
  kind: 'words',
  about:
    'Warranties: `60d` matches those that end within 60 days, `valid` those that have not ended, `expired` those that ' +
    'have ended, and `none` matches assets whose warranty has no known end.',
  words: ['valid', 'expired', 'none'],
  takesDays: true,
  columns: ['warranty_end'],
  clause({ word, today, last }) {
    if (word === 'none') return { sql: 'warranty_end is null', values: [] }
    if (word === 'expired') return { sql: 'warranty_end < ?', values: [today] }
    if (word === 'valid') return { sql: 'warranty_end >= ?', values: [today] }
    return { sql: '(warranty_end >= ? and warranty_end <= ?)', values: [today, last] }
  },
}

const loan: WordFilter = {
  kind: 'words',
  about:
    'Loans with a return date: `out` matches all of them, `overdue` those past the date, `7d` those due within 7 days.',
  words: ['out', 'overdue'],
  takesDays: true,
  columns: ['due_back'],
  clause({ word, today, last }) {
    if (word === 'out') return { sql: 'due_back is not null', values: [] }
    if (word === 'overdue') return { sql: 'due_back < ?', values: [today] }
    return { sql: '(due_back >= ? and due_back <= ?)', values: [today, last] }
  },
}

const employment: WordFilter = {
  kind: 'words',
  about:
    'Employment: `current`, `left` (inactive, or past the last day), or `30d` for people who leave within 30 days.',
  words: ['current', 'left'],
  takesDays: true,
  columns: ['is_active', 'end_date'],
  clause({ word, today, last }) {
    if (word === 'left') return { sql: '(is_active = ? or end_date < ?)', values: [false, today] }
    if (word === 'current')
      return { sql: '(is_active = ? and (end_date is null or end_date >= ?))', values: [true, today] }
    return { sql: '(is_active = ? and end_date >= ? and end_date <= ?)', values: [true, today, last] }
  },
}

const byResource: Record<string, Record<string, WordFilter>> = {
  employees: { employment },
  hardware: { warranty, loan },
}

/** The word filters for this resource, except filters on columns that the resource lacks. */
export function wordFiltersOf({ name, fields }: Resource): Record<string, WordFilter> {
  const filters = Object.entries(byResource[name] ?? {})
  return Object.fromEntries(filters.filter(([, { columns }]) => columns.every((column) => column in fields)))
}

/** Parses a relative day: `today`, `30d` (in 30 days), `-14d` (14 days ago). Null for other text. */
export function readRelativeDay(text: string, today: string): string | null {
  const [, days] = /^(-?\d{1,4})d$/.exec(text.trim()) ?? []
  if (text.trim() === 'today') return today
  return days === undefined ? null : daysAfter(today, Number(days))
}

/** Returns the day in UTC as `YYYY-MM-DD`. */
export function utcDayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

export function daysAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return utcDayOf(date)
}
