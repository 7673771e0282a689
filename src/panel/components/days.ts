// Counts days, and formats days and times in the tenant's time zone.

import { html } from 'ghtml'
import { formatDateTime, timeZoneOf } from '../i18n/conventions.ts'
import type { Texts } from '../i18n/index.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Returns the number of days from one day to another; negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
}

/** Cached, because creating an Intl formatter takes longer than rendering a table row. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats the time of day without the time zone, which the page names once. */
export function formatTime(texts: Texts, moment: string): string {
  return formatFor(texts.locale, { timeStyle: 'short', timeZone: timeZoneOf(texts) }).format(new Date(moment))
}

export function showTime(texts: Texts, time: string): string {
  return html`<time datetime="${time}">${formatDateTime(texts, time)}</time>`
}

/** Renders a time, or says that what it is about has never happened. */
export function timeOrNever(texts: Texts, time: string | null | undefined): string {
  return time ? showTime(texts, time) : html`${texts.never}`
}

/** Returns “Today”, “Yesterday”, or the day of the week with the date. */
export function dayHeading({ locale }: Texts, day: string, today: string): string {
  const daysAgo = daysBetween(day, today)
  if (daysAgo > 1 || daysAgo < 0) return formatFor(locale, { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(day))
  const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-daysAgo, 'day')
  return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1)
}

function formatFor(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, format)
  return format
}
