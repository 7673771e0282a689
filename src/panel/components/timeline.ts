// Renders timelines: what happened, newest first, with the days as headings.

import { html } from 'ghtml'
import { dayOf } from '../i18n/conventions.ts'
import type { TenantRequest } from '../requests/request.ts'
import { dayHeading } from './days.ts'
import { type IconName, icon } from './icons.ts'

/** `at`: when it happened. `action`: what was done to the first record. `body`: HTML. */
export type TimelineEntry = { at: string; icon: IconName; action: string; body: string }

/** A timeline is cut off before it exceeds this size, because names and notes can be long. */
const maxBytes = 50_000

/** Renders at least one entry, and others until the list reaches `maxBytes`. `shown`: how many entries fit. */
export function timeline(
  { texts, deps }: TenantRequest,
  entries: readonly TimelineEntry[],
): { list: string; shown: number } {
  const today = dayOf(texts, deps.now())
  const items: string[] = []
  let [latestDay, bytesLeft] = ['', maxBytes]
  for (const entry of entries) {
    const day = dayOf(texts, new Date(entry.at))
    const heading = html`<li class="day"><h3><time datetime="${day}">${dayHeading(texts, day, today)}</time></h3></li>`
    const item = html`!${day === latestDay ? '' : heading}<li data-action="${entry.action}">!${icon(entry.icon)}
!${entry.body}</li>`
    bytesLeft -= Buffer.byteLength(item)
    if (bytesLeft < 0 && items.length > 0) break
    items.push(item)
    latestDay = day
  }
  return { list: html`<ol class="timeline">!${items}</ol>`, shown: items.length }
}
