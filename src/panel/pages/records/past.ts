// Pages that show the inventory as it was: the day or time in the URL, and what the pages then have in common. Their
// links stay at that time, remaining days count from it, and they offer no changes.

import { html } from 'ghtml'
import { isDay } from '../../../domain/fields/field-values.ts'
import { readTimestamp } from '../../../domain/lists/request/operands.ts'
import { icon } from '../../components/icons.ts'
import { dayOf, endOfDay, formatDateTime } from '../../i18n/conventions.ts'
import { formatDate, type Texts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'

/** Returns the past day or time that the URL names. Returns null for anything else: pages then show the current
 *  state. */
export function readPastMoment({ texts, query, deps }: RecordRequest): string | null {
  const text = query.get('as_of') ?? ''
  return isMoment(text) && text < presentOf(texts, text, deps.now()) ? text : null
}

function isMoment(text: string): boolean {
  return isDay(text) || readTimestamp(text) === text
}

function presentOf(texts: Texts, text: string, now: Date): string {
  return isDay(text) ? dayOf(texts, now) : now.toISOString()
}

/** Returns the time that a past day stands for: its end, in the tenant's time zone. */
export function timeOf(texts: Texts, past: string): string {
  return isDay(past) ? endOfDay(texts, past) : past
}

export function toPastRequest(request: RecordRequest, past: string): RecordRequest {
  const { deps, texts, baseParams } = request
  const moment = new Date(timeOf(texts, past))
  const pastParams = { ...baseParams, as_of: past }
  return { ...request, canWrite: false, baseParams: pastParams, deps: { ...deps, now: () => moment } }
}

export function formatPastMoment(texts: Texts, past: string): string {
  return isDay(past) ? formatDate(texts, past) : formatDateTime(texts, past)
}

/** Renders a note if the URL names a future day or time. `sentence`: says that the page is the one of today. */
export function futureNote({ texts, query, deps }: RecordRequest, sentence: (day: string) => string, todayUrl: string) {
  const text = query.get('as_of') ?? ''
  const isFuture = isMoment(text) && text > presentOf(texts, text, deps.now())
  return isFuture ? pastNote(texts, sentence(formatPastMoment(texts, text)), todayUrl) : ''
}

/** Renders the note above a page about the past. `todayUrl`: the same page as of now. */
export function pastNote(texts: Texts, note: string, todayUrl: string): string {
  return html`<p class="banner">!${icon('calendar')}${note} <a href="${todayUrl}">${texts.lists.backToToday}</a></p>`
}
