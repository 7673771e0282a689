// /activity.php: a tenant's change history, with filters. If `change_set` is given, the page shows only
// that change set.

import { html } from 'ghtml'
import { listApiKeys } from '../../access/api-keys.ts'
import { displayName, listAdministratorIds, listUsersOfTenant } from '../../accounts/users.ts'
import { withConfiguration } from '../../domain/declarations/configuration.ts'
import { isDay } from '../../domain/fields/field-values.ts'
import { actions } from '../../domain/history/history.ts'
import { daysAfter } from '../../domain/lists/request/operands.ts'
import { activityByDay, readActivity } from '../components/activity/activity.ts'
import { type ChangesFilter, keyLabel } from '../components/activity/change-list.ts'
import { type Choice, filterDay, filterSelect, hiddenFields, submitButton } from '../components/forms/forms.ts'
import { buttonRow, emptyState, pageLinks } from '../components/sections.ts'
import { endOfDay, timeZoneOf } from '../i18n/conventions.ts'
import { subjectLabel, type Texts } from '../i18n/index.ts'
import { toLocalizedRequest } from '../requests/authorize.ts'
import { requireNumber } from '../requests/read-number.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../requests/request.ts'
import { PageError, type PageResponse } from '../responses.ts'
import { pageUrl } from '../urls.ts'
import { showChangeSet, submitUndo } from './change-set.ts'

/** A page shows at most this many change sets. It shows fewer if long names would make the page too large. */
const perPage = 50

export async function showActivity(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request)
  const changeSet = request.query.get('change_set')
  if (changeSet) return showChangeSet(tenantRequest, changeSet)
  const { sets, before } = await readActivity(tenantRequest, await readFilter(tenantRequest))
  const { activity, frame, home, records } = tenantRequest.texts
  const { list, rest } = await activityByDay(tenantRequest, sets)
  const cursor = rest ?? before
  const next = cursor === null ? undefined : pageUrl('activity.php', { ...filterParams(request), before: cursor })
  const zone = html`<p class="hint">${home.timesIn(timeZoneOf(tenantRequest.texts))}</p>`
  const none = emptyState(isFiltered(request) ? records.nothingFound : activity.empty)
  const found = sets.length === 0 ? none : zone + list
  const body = (await filterForm(tenantRequest)) + found + pageLinks(tenantRequest.texts, { next })
  return { kind: 'page', title: frame.activity, body }
}

/** Undoes a change set. */
export async function submitActivity(request: SignedInRequest): Promise<PageResponse> {
  return submitUndo(await toLocalizedRequest(request))
}

const filterNames = ['resource', 'id', 'action', 'by', 'from', 'to'] as const

function isFiltered({ query }: SignedInRequest): boolean {
  return filterNames.some((name) => query.get(name))
}

function filterParams({ query }: SignedInRequest): Record<string, string> {
  return Object.fromEntries([...query].filter(([name, value]) => value !== '' && name !== 'before'))
}

/** Reads the filter from the query. Throws a PageError with 400 for invalid values. */
async function readFilter({ query, deps, resources, texts }: TenantRequest): Promise<ChangesFilter> {
  const filter: ChangesFilter = { limit: perPage, between: readDays(texts, query) }
  const [resource, action, by, id, before] = ['resource', 'action', 'by', 'id', 'before'].map(
    (name) => query.get(name) || null,
  )
  if (resource && !withConfiguration(resources).some(({ name }) => name === resource))
    throw new PageError(400, 'bad_request')
  if (resource) filter.resource = resource
  if (action) filter.action = actions.find((each) => each === action) ?? refuse()
  if (id) filter.id = requireNumber(id)
  if (before) filter.before = requireNumber(before)
  if (by) filter.by = by === allAdministrators ? { userIds: await listAdministratorIds(deps.catalog) } : readActor(by)
  return filter
}

/** Reads the first day (`from`) and the last day (`to`), in the tenant's time zone. */
function readDays(texts: Texts, query: URLSearchParams): NonNullable<ChangesFilter['between']> {
  const [from, to] = ['from', 'to'].map((name) => query.get(name) || null)
  if (![from, to].every((day) => day === null || isDay(day!))) refuse()
  return {
    after: from && from >= '0002' ? endOfDay(texts, daysAfter(from, -1)) : null,
    until: to ? endOfDay(texts, to) : null,
  }
}

/** The filter value that stands for all administrators. Only administrators can filter by a single administrator. */
const allAdministrators = 'administrators'

/** Parses `key:<id>` or `user:<id>`. */
function readActor(by: string): NonNullable<ChangesFilter['by']> {
  const [, kind, id = ''] = /^(key|user):(\w+)$/.exec(by) ?? refuse()
  return kind === 'key' ? { apiKeyId: id } : { userId: id }
}

function refuse(): never {
  throw new PageError(400, 'bad_request')
}

/** Few people know the ids of records, so this filter is only shown if a link has set it. */
function idFilter({ texts, query }: TenantRequest): string {
  const id = query.get('id')
  return id ? html`<label>${texts.activity.number}<input name="id" inputmode="numeric" value="${id}"></label>` : ''
}

/** The filter offers at most this many API keys and at most this many users. */
const maxActorOptions = 50

async function filterForm(request: TenantRequest): Promise<string> {
  const { texts, query, resources, baseParams } = request
  const { activity, records, lists } = texts
  const isSet = isFiltered(request)
  const clear = isSet ? html`<a href="${pageUrl('activity.php', baseParams)}">${records.clear}</a>` : ''
  const filter = (name: string, label: string, choices: Choice[]) =>
    filterSelect({ name, label, any: records.any, choices, value: query.get(name) })
  const resourceChoices = withConfiguration(resources).map(({ name }): Choice => [name, subjectLabel(texts, name)])
  const actionChoices = actions.map((each): Choice => [each, activity.actions[each]])
  return html`<details class="filters"!${isSet ? ' open' : ''}><summary>${records.filters}</summary>
<form class="grid" action="activity.php">
!${hiddenFields(baseParams)}
!${filter('resource', activity.kind, resourceChoices)}
!${idFilter(request)}
!${filter('action', activity.action, actionChoices)}
!${filter('by', activity.who, await actorChoices(request))}
!${filterDay('from', lists.from, query.get('from'))}
!${filterDay('to', lists.to, query.get('to'))}
!${buttonRow(submitButton(records.filter), clear)}
</form></details>`
}

/** Returns up to `maxActorOptions` users and, if the signed-in user can write, up to the same number of API keys. The
 *  selected user or key is always included. Only administrators can choose a single administrator; other users choose
 *  all administrators together. */
async function actorChoices(request: TenantRequest): Promise<Choice[]> {
  const { texts, query, deps, tenant } = request
  const includesAdministrators = isAdministrator(request)
  const [keys, users] = await Promise.all([
    request.canWrite ? listApiKeys(deps.catalog, tenant, deps.now()) : [],
    listUsersOfTenant(deps.catalog, { tenantId: tenant.id, includesAdministrators }),
  ])
  const offered = (choices: Choice[]) =>
    choices.filter(([value], index) => index < maxActorOptions || query.get('by') === value)
  return [
    ...offered(keys.map(({ id, name }) => [`key:${id}`, keyLabel(texts, name)])),
    ...offered(users.map((user) => [`user:${user.id}`, displayName(user)])),
    ...(includesAdministrators ? [] : [[allAdministrators, texts.roles.administrator] as const]),
  ]
}
