// Parses timestamps and days in query strings.

import { type FieldError, isDay } from '../../fields/field-values.ts'

const pattern = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+ -]\d{2}:\d{2}))?$/i

/** The range of four-digit years: longer or negative years would not sort correctly as text. */
const [earliest, latest] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Accepts an RFC 3339 date and time, or a date, which means midnight UTC. Returns the form `2026-01-31T09:30:00.000Z`.
 *  Accepts a space in place of an offset's plus sign, because a plus sign that was not percent-encoded arrives as a
 *  space. */
export function readTimestamp(text: string): string | FieldError {
  const [, day = '', time = '00:00:00', fraction = '', offset = 'Z'] = pattern.exec(text) ?? []
  const moment = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${offset.replace(' ', '+').toUpperCase()}`)
  if (isDay(day) && moment >= earliest && moment <= latest) return new Date(moment).toISOString()
  return {
    code: 'invalid_date',
    message: 'Must be a time such as 2026-01-31T09:30:00Z, or a date in the form YYYY-MM-DD.',
  }
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
