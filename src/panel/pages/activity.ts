// /activity.php: the change history of a tenant, with filters.

import { html } from 'ghtml'
import { listApiKeys } from '../../access/api-keys.ts'
import { listUsers } from '../../accounts/users.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { actions } from '../../resources/history/history.ts'
import { type ChangesFilter, changeList, readChanges } from '../components/change-list.ts'
import { resourceLabel } from '../i18n/index.ts'
import {
  isAdministrator,
  PageError,
  type PageResponse,
  pageUrl,
  requireTenantOfRequest,
  type SignedInRequest,
  type TenantRequest,
} from '../request.ts'

const perPage = 25

export async function showActivity(request: SignedInRequest): Promise<PageResponse> {
  const tenant = await requireTenantOfRequest(request)
  const tenantRequest = { ...request, tenant }
  const { entries, before } = await readChanges(tenantRequest, await readFilter(tenantRequest))
  const { texts } = request
  const { list, rest } = await changeList(tenantRequest, entries, true)
  const shown = entries.length === 0 ? html`<div class="empty"><p>${texts.activity.empty}</p></div>` : list
  const from = rest ?? before
  const next =
    from === null
      ? ''
      : html`<p class="paging"><a class="button" rel="next" href="${pageUrl('activity.php', { ...filterParams(request), before: from })}">${texts.records.next}</a></p>`
  return { kind: 'page', title: texts.frame.activity, body: html`!${await filterForm(tenantRequest)}!${shown}!${next}` }
}

function filterParams({ query }: SignedInRequest): Record<string, string> {
  return Object.fromEntries([...query].filter(([name, value]) => value !== '' && !['before', 'notice'].includes(name)))
}

/** Reads the filter from the query. Throws a PageError with 400 for invalid values. */
async function readFilter({ query, deps }: TenantRequest): Promise<ChangesFilter> {
  const filter: ChangesFilter = { limit: perPage }
  const [resource, action, by, id, before] = ['resource', 'action', 'by', 'id', 'before'].map(
    (name) => query.get(name) || null,
  )
  if (resource && !deps.resources.some(({ name }) => name === resource)) throw new PageError(400, 'bad_request')
  if (resource) filter.resource = resource
  if (action) filter.action = actions.find((each) => each === action) ?? refuse()
  if (id) filter.id = readNumber(id)
  if (before) filter.before = readNumber(before)
  if (by) filter.by = by === allAdministrators ? { userIds: await administratorIds(deps.catalog) } : readActor(by)
  return filter
}

/** Managers filter by all administrators at once, because they do not see individual ones. */
const allAdministrators = 'administrators'

async function administratorIds(catalog: Catalog): Promise<string[]> {
  const users = await listUsers(catalog)
  return users.flatMap(({ id, role }) => (role === 'administrator' ? [id] : []))
}

/** Parses `key:<id>` or `user:<id>`. */
function readActor(by: string): NonNullable<ChangesFilter['by']> {
  const [, kind, id = ''] = /^(key|user):(\w+)$/.exec(by) ?? refuse()
  return kind === 'key' ? { apiKeyId: id } : { userId: id }
}

function refuse(): never {
  throw new PageError(400, 'bad_request')
}

function readNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : refuse()
}

/** The filter offers at most this many API keys and this many users. */
const maxActorOptions = 50

async function filterForm(request: TenantRequest): Promise<string> {
  const { texts, query, deps, tenant } = request
  const [keys, users] = await Promise.all([listApiKeys(deps.catalog, tenant, deps.now()), listUsers(deps.catalog)])
  const showsAdministrators = isAdministrator(request)
  const offeredUsers = users.filter(
    ({ role, tenant_id }) => tenant_id === tenant.id || (showsAdministrators && role === 'administrator'),
  )
  const select = (name: string, label: string, options: [value: string, label: string][]) => {
    const items = options.map(
      ([value, text]) =>
        html`<option value="${value}"!${query.get(name) === value ? ' selected' : ''}>${text}</option>`,
    )
    return html`<label>${label}<select name="${name}"><option value="">${texts.records.any}</option>!${items.join('')}</select></label>`
  }
  /** The first ones, and the selected one. */
  const offered = <Item extends { id: string }>(items: Item[], kind: string) =>
    items.filter(({ id }, at) => at < maxActorOptions || query.get('by') === `${kind}:${id}`)
  const isFiltered = ['resource', 'action', 'by', 'id'].some((name) => query.get(name))
  const slug = isAdministrator(request) ? tenant.slug : undefined
  const clear = isFiltered
    ? html` <a href="${pageUrl('activity.php', { tenant: slug })}">${texts.records.clear}</a>`
    : ''
  return html`<details class="filters"!${isFiltered ? ' open' : ''}><summary>${texts.records.filters}</summary><form class="grid" action="activity.php">
!${slug ? html`<input type="hidden" name="tenant" value="${slug}">` : ''}
!${select(
    'resource',
    texts.activity.kind,
    deps.resources.map(({ name }) => [name, resourceLabel(texts, name).many]),
  )}
<label>${texts.activity.number}<input name="id" inputmode="numeric" value="${query.get('id') ?? ''}"></label>
!${select(
    'action',
    texts.activity.action,
    actions.map((each) => [each, texts.activity.actions[each]]),
  )}
!${select('by', texts.activity.who, [
    ...offered(keys, 'key').map(({ id, name }): [string, string] => [`key:${id}`, texts.activity.key(name)]),
    ...offered(offeredUsers, 'user').map(({ id, email }): [string, string] => [`user:${id}`, email]),
    ...(showsAdministrators ? [] : [[allAdministrators, texts.roles.administrator] as [string, string]]),
  ])}
<p class="actions"><button>${texts.records.filter}</button>!${clear}</p></form></details>`
}
