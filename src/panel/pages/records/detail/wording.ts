// The names of records as pages show them, and badges with the number of days left.

import { html } from 'ghtml'
import type { Resource } from '../../../../domain/declarations/resource.ts'
import { badge, type Tone } from '../../../components/badge.ts'
import { daysBetween } from '../../../components/days.ts'
import { type PanelRecord, titleOf } from '../../../components/record-fields.ts'
import { dayOf, noticeDaysOf } from '../../../i18n/conventions.ts'
import type { Texts } from '../../../i18n/index.ts'
import { plural } from '../../../i18n/plural.ts'
import type { TenantRequest } from '../../../requests/request.ts'

/** Returns what pages call a record. A storage location's name says that it is stock. */
export function recordName({ texts, deps }: TenantRequest, resource: Resource, record: PanelRecord): string {
  return deps.presentationOf(resource).nameOf(texts, titleOf(record, resource.title, texts), record)
}

/** Returns the number of days until a day; negative if the day is in the past. */
export function daysUntil(texts: Texts, now: Date, day: string): number {
  return daysBetween(dayOf(texts, now), day)
}

/** If the end is more than this many days away, there is no badge, because the date is easier to read. */
const maxRelativeDays = 120

/** Renders a badge such as “ends in 23 days”; empty if the end is far away. */
export function endBadge(texts: Texts, days: number): string {
  const { ends } = texts.recordPages
  if (days > maxRelativeDays) return ''
  const tone: Tone = days < 0 ? 'neutral' : days <= noticeDaysOf(texts) ? 'warn' : 'ok'
  const text = days < 0 ? ends.over : days === 0 ? ends.today : plural(texts.locale, days, ends.inDays)
  return html` !${badge(text, tone)}`
}

/** Renders a badge such as “Due back in 3 days” or “2 days overdue”. */
export function dueBadge(texts: Texts, days: number): string {
  const { due } = texts.recordPages
  if (days < 0) return badge(plural(texts.locale, -days, due.overdue), 'bad')
  return badge(days === 0 ? due.today : plural(texts.locale, days, due.inDays), days <= 7 ? 'warn' : 'info')
}
