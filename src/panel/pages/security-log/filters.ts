// Reads the security log's filters from the URL, and shows them in a form.

import { html } from 'ghtml'
import type { EventsQuery } from '../../../catalog/audit/audit-log.ts'
import { isDay } from '../../../domain/fields/field-values.ts'
import { daysAfter } from '../../../domain/lists/request/operands.ts'
import { fold } from '../../../domain/search/fold.ts'
import type { Tenant } from '../../../tenants/tenants.ts'
import { type Choice, filterDay, filterSelect, hiddenField, submitButton } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { dayAfter } from '../../i18n/conventions.ts'
import type { Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { PageError } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'

/** `user`: a user's id, set by links. `who`: part of an email address. `of`: part of a tenant's name, or a tenant's
 *  whole slug. Days are in the user's time zone. */
const names = ['event', 'user', 'who', 'of', 'from', 'to', 'q'] as const

export type Filters = { [name in (typeof names)[number]]?: string }

/** The `event` filter's value that selects all failures. */
const failures = 'failures'

/** Whether the event is an attempt that did not succeed. */
export function isFailure(event: string): boolean {
  return /_(failed|throttled|refused|denied)$/.test(event)
}

export function readFilters({ query, texts }: SignedInRequest): Filters {
  const parameters = names.map((name) => [name, query.get(name)?.trim() ?? ''] as const)
  const filters: Filters = Object.fromEntries(parameters.filter(([, value]) => value !== ''))
  const { event, user, from, to } = filters
  const isKnown = event === undefined || event === failures || Object.hasOwn(texts.events.names, event)
  const days = [from, to].filter((each) => each !== undefined)
  if (!isKnown || (user && !/^\w+$/.test(user)) || !days.every(isDay)) throw new PageError(400, 'bad_request')
  return filters
}

export function toEventsQuery(
  texts: Texts,
  { event, user, who, of, from, to, q }: Filters,
  tenants: readonly Tenant[],
): Omit<EventsQuery, 'limit' | 'before'> {
  const eventNames = Object.keys(texts.events.names)
  const namedTenants = (words: string) =>
    tenants.filter(({ name, slug }) => slug === words || fold(name).includes(fold(words)))
  return {
    events: event === undefined ? undefined : event === failures ? eventNames.filter(isFailure) : [event],
    tenantIds: of === undefined ? undefined : namedTenants(of).map(({ id }) => id),
    userId: user,
    user: who,
    words: q,
    since: from === undefined ? undefined : dayAfter(texts, daysAfter(from, -1)),
    until: to === undefined ? undefined : dayAfter(texts, to),
  }
}

export function filterForm({ texts }: SignedInRequest, filters: Filters): string {
  const { event, user, who, of, from, to, q } = filters
  const { securityLog: labels, events, records } = texts
  const isFiltered = Object.keys(filters).length > 0
  const collator = new Intl.Collator(texts.locale)
  const eventChoices = Object.entries(events.names).sort(([, one], [, other]) => collator.compare(one, other))
  const choices: Choice[] = [[failures, labels.failures], ...eventChoices]
  const clear = isFiltered ? html`<a href="events.php">${records.clear}</a>` : ''
  const file = pageUrl('events.php', { ...filters, format: 'csv', delimiter: texts.csvDelimiter })
  const download = html`<a class="button" href="${file}" download>${records.download}</a>`
  return html`<form action="events.php" class="log-filters">
!${user === undefined ? '' : html`<p>${labels.onlyUser}</p>!${hiddenField('user', user)}`}
<div class="grid">
!${filterSelect({ name: 'event', label: events.what, any: labels.all, choices, value: event })}
!${textFilter('who', labels.user, who, labels.userHint)}
!${textFilter('of', labels.tenant, of, labels.tenantHint)}
!${textFilter('q', records.search, q, labels.search)}
!${filterDay('from', labels.from, from)}
!${filterDay('to', labels.to, to)}
</div>
!${buttonRow(submitButton(records.filter), clear, download)}
</form>`
}

function textFilter(name: string, label: string, value: string | undefined, example: string): string {
  return html`<label>${label}<input type="search" name="${name}" value="${value ?? ''}" placeholder="${example}"
 autocomplete="off"></label>`
}
