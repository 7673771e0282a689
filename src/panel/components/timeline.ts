// Renders timelines: what happened, newest first, with the days as headings.

import { html } from 'ghtml'
import { dayOf } from '../i18n/conventions.ts'
import type { TenantRequest } from '../requests/request.ts'
import { dayHeading } from './days.ts'
import { type IconName, icon } from './icons.ts'
import { fittingItems } from './sections.ts'

/** `at`: when it happened. `action`: what was done to the first record. `body`: HTML. */
export type TimelineEntry = { at: string; icon: IconName; action: string; body: string }

/** Renders as many entries as fit into a list. `shown`: how many these are. */
export function timeline({ texts, deps }: TenantRequest, entries: readonly TimelineEntry[]) {
  const today = dayOf(texts, deps.now())
  const days = entries.map(({ at }) => dayOf(texts, new Date(at)))
  const all = entries.map((entry, index) => {
    const day = days[index]!
    const heading = html`<li class="day"><h3><time datetime="${day}">${dayHeading(texts, day, today)}</time></h3></li>`
    return html`!${day === days[index - 1] ? '' : heading}<li data-action="${entry.action}">!${icon(entry.icon)}
!${entry.body}</li>`
  })
  const items = fittingItems(all)
  return { list: html`<ol class="timeline">!${items}</ol>`, shown: items.length }
}
