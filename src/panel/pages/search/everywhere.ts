// Searches all tenants that the user can open. For the technician of many companies, to whom somebody reads out a
// serial number: nobody knows whose device it is, and each company would take a search of its own.

import { html } from 'ghtml'
import { isActive } from '../../../catalog/catalog.ts'
import { fold, wordsOf } from '../../../domain/search/fold.ts'
import { Busy, TooSlow, Unavailable } from '../../../engine/database/database.ts'
import { createSemaphore } from '../../../lib/concurrency.ts'
import { listTenants, type Tenant } from '../../../tenants/tenants.ts'
import { statusMessage } from '../../components/forms/forms.ts'
import { highlight } from '../../components/highlight.ts'
import { icon } from '../../components/icons.ts'
import { emptyState, section } from '../../components/sections.ts'
import { formatNumber } from '../../i18n/index.ts'
import { isAdministrator, type SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { allGroups, findRecords, type ResultGroup, resultItems, searchedText, searchForm } from './find.ts'

/** One page searches at most this many tenants. A link continues the search in the next tenants. */
const tenantsPerPage = 100

const maxConcurrentSearches = 8

/** The page shows at most this many results per tenant and resource, and at most this many tenants with a matching
 *  name. */
const perGroup = 3

/** A tenant's results; null if the tenant's database is unavailable or too slow. */
type TenantResult = { tenant: Tenant; groups: ResultGroup[] | null }

export async function searchEverywhere(request: SignedInRequest): Promise<PageResponse> {
  const text = searchedText(request)
  if (text === '') return page(request, html`<p class="hint">${request.texts.search.help}</p>`)
  const tenants = await searchableTenants(request)
  const start = readStart(request)
  const searched = tenants.slice(start, start + tenantsPerPage)
  const results = await searchTenants(request, searched, text)
  const searchesAllTenants = searched.length === tenants.length
  const exact = searchesAllTenants ? exactUrls(results) : []
  if (exact.length === 1 && !request.query.has('all')) return { kind: 'redirect', to: exact[0]! }
  const named = start === 0 ? namedTenants(request, tenants, text) : ''
  const resultsWithMatches = results.filter(({ groups }) => groups?.some(({ total }) => total > 0))
  const sections = resultsWithMatches.map((result) => tenantSection(request, result, text)).join('')
  const failed = results.filter(({ groups }) => groups === null)
  const none =
    named + sections === ''
      ? emptyState(request.texts.search.nothing, request.texts.search.nothingHelp, '', 'search')
      : ''
  const more = furtherTenants(request, tenants.length, start + searched.length)
  return page(request, named + sections + none + unavailable(request, failed) + more)
}

/** Returns all tenants for an administrator, and only their own active tenants for other users. */
async function searchableTenants(request: SignedInRequest): Promise<Tenant[]> {
  const { deps, session } = request
  const tenants = await listTenants(deps.catalog)
  if (isAdministrator(request)) return tenants
  const slugs = new Set(session.user.roles.map(({ tenant_slug }) => tenant_slug))
  return tenants.filter((tenant) => slugs.has(tenant.slug) && isActive(tenant, deps.now()))
}

function readStart({ query }: SignedInRequest): number {
  const from = query.get('from') ?? '0'
  if (!/^\d{1,6}$/.test(from)) throw new PageError(400, 'bad_request')
  return Number(from)
}

function searchTenants(request: SignedInRequest, tenants: Tenant[], text: string): Promise<TenantResult[]> {
  const semaphore = createSemaphore(maxConcurrentSearches)
  const search = (tenant: Tenant) => semaphore.run(() => searchOne(request, tenant, text))
  return Promise.all(tenants.map(async (tenant) => ({ tenant, groups: await search(tenant) })))
}

async function searchOne({ deps }: SignedInRequest, tenant: Tenant, text: string): Promise<ResultGroup[] | null> {
  try {
    return await findRecords(deps, { tenant }, text, allGroups(deps, perGroup))
  } catch (error) {
    if (error instanceof Unavailable || error instanceof Busy || error instanceof TooSlow) return null
    throw error
  }
}

function exactUrls(results: TenantResult[]): string[] {
  return results.flatMap(({ tenant, groups }) =>
    (groups ?? []).flatMap((group) => group.exactMatches.map(({ id }) => urlOf(tenant, group.resource, id))),
  )
}

function urlOf({ slug }: Tenant, resource: string, id: number): string {
  return pageUrl('records.php', { tenant: slug, resource, id })
}

/** Lists the first tenants whose name and slug together contain all search words. */
function namedTenants({ texts }: SignedInRequest, tenants: Tenant[], text: string): string {
  const words = wordsOf(text)
  const named = tenants.filter(({ name, slug }) => words.every((word) => fold(`${name} ${slug}`).includes(word)))
  if (named.length === 0) return ''
  const items = named.slice(0, perGroup).map(
    ({ name, slug }) => html`<li><a href="${pageUrl('', { tenant: slug })}">!${icon('tenant')}<span class="result">
<b dir="auto">!${highlight(name, words)}</b><small>!${highlight(slug, words)}</small></span></a></li>`,
  )
  return section(texts.frame.tenants, html`<ul class="results">!${items}</ul>`)
}

function tenantSection(request: SignedInRequest, { tenant, groups }: TenantResult, text: string): string {
  const { texts } = request
  const items = (groups ?? []).flatMap((group) =>
    resultItems(request, text, group, (id) => urlOf(tenant, group.resource, id)),
  )
  const isMore = (groups ?? []).some(({ total, records }) => total > records.length)
  const to = pageUrl('search.php', { tenant: tenant.slug, q: text, all: 1 })
  const moreLink = isMore ? html`<p><a href="${to}">${texts.search.moreIn(tenant.name)}</a></p>` : ''
  return section(tenant.name, html`<ul class="results">!${items}</ul>!${moreLink}`)
}

function unavailable({ texts }: SignedInRequest, failed: TenantResult[]): string {
  if (failed.length === 0) return ''
  const names = new Intl.ListFormat(texts.locale).format(failed.map(({ tenant }) => tenant.name))
  return statusMessage(texts.search.notSearched(names))
}

function furtherTenants(request: SignedInRequest, count: number, end: number): string {
  if (end >= count) return ''
  const { texts } = request
  const to = pageUrl('search.php', { q: searchedText(request), from: end })
  return html`<p>${texts.search.searched(formatNumber(texts, end), formatNumber(texts, count))}
<a href="${to}">${texts.search.next}</a></p>`
}

function page(request: SignedInRequest, body: string): PageResponse {
  const text = searchedText(request)
  return { kind: 'page', title: request.texts.search.titleEverywhere, body: searchForm(request, text) + body }
}
