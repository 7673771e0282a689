// /search.php: searches one tenant, or all tenants that the user can open. The page shows either the first results for
// each resource or all results for one resource. Other views are the search palette, the list of keyboard shortcuts
// (which scripts/combobox.js opens and, except Enter and Esc, implements), and the options for fields in which users
// choose a record.

import { html } from 'ghtml'
import { emptyState, pageLinks, section } from '../../components/sections.ts'
import { formatNumber, resourceTexts } from '../../i18n/index.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { showChoices } from './choices.ts'
import { searchEverywhere } from './everywhere.ts'
import { allGroups, findRecords, onlyMatch, type ResultGroup, resultItems, searchedText, searchForm } from './find.ts'
import { showPalette } from './palette.ts'

export async function showSearch(request: SignedInRequest): Promise<PageResponse> {
  const { query } = request
  if (query.has('shortcuts')) return showShortcuts(request)
  if (query.has('for')) return showChoices(await toLocalizedRequest(request))
  const isPalette = query.has('palette')
  if (isEverywhere(request)) return isPalette ? showPalette(request) : searchEverywhere(request)
  const tenantRequest = await toLocalizedRequest(request)
  return isPalette ? showPalette(tenantRequest) : searchTenant(tenantRequest)
}

/** If the URL does not name a tenant, administrators and users with several tenants search all their tenants. */
function isEverywhere(request: SignedInRequest): boolean {
  const { query, session } = request
  if (query.has('tenant')) return false
  return isAdministrator(request) || session.user.roles.length > 1
}

const keys = {
  search: ['/', 'Ctrl K'],
  next: ['j'],
  previous: ['k'],
  open: ['Enter'],
  select: ['x'],
  act: ['a'],
  save: ['Ctrl Enter'],
  close: ['Esc'],
  list: ['?'],
} as const

function showShortcuts({ texts, query }: SignedInRequest): PageResponse {
  const { title, names, letters, close } = texts.search.shortcuts
  const rows = Object.entries(keys).map(([name, given]) => {
    const shown = given.map((each) =>
      each
        .split(' ')
        .map((key) => html`<kbd>${key}</kbd>`)
        .join(' '),
    )
    return html`<div><dt>!${shown.join(' · ')}</dt><dd>${names[name as keyof typeof keys]}</dd></div>`
  })
  const body = html`<dl class="shortcuts">!${rows}</dl>
<label class="check" hidden><input type="checkbox" data-letters> ${letters}</label>`
  if (!query.has('part')) return { kind: 'page', title, body }
  const dialog = html`<h2>${title}</h2>!${body}<form method="dialog"><button>${close}</button></form>`
  return { kind: 'fragment', body: dialog }
}

/** How many results to show for each resource: on the page for all resources (`perGroup`), and on each page for a
 *  single resource (`perPage`). */
const [perGroup, perPage] = [5, 50]

/** Redirects to a record if the text identifies or names exactly one record. */
async function searchTenant(request: TenantRequest): Promise<PageResponse> {
  const text = searchedText(request)
  if (text === '') return page(request, html`<p class="hint">${request.texts.search.help}</p>`)
  const groupName = request.query.get('in')
  if (groupName !== null) return searchGroup(request, text, groupName)
  const { deps } = request
  const groups = await findRecords(deps, request, text, allGroups(deps, perGroup))
  const only = onlyMatch(groups, ({ resource }, id) => recordUrl(request, resource, id))
  if (only !== undefined && !request.query.has('all')) return { kind: 'redirect', to: only }
  const groupsWithMatches = groups.filter(({ total }) => total > 0)
  if (groupsWithMatches.length === 0) return page(request, nothing(request))
  return page(request, groupsWithMatches.map((group) => groupSection(request, text, group)).join(''))
}

function groupSection(request: TenantRequest, text: string, group: ResultGroup): string {
  const { texts, baseParams } = request
  const to = pageUrl('search.php', { tenant: baseParams.tenant, q: text, in: group.resource })
  const moreLink =
    group.total > group.records.length
      ? html`<p><a href="${to}">${texts.search.all(countOf(request, group))}</a></p>`
      : ''
  return section(resourceTexts(texts, group.resource).many, html`!${resultList(request, text, group)}!${moreLink}`)
}

function countOf({ texts }: TenantRequest, { total, hasMore }: ResultGroup): string {
  return `${formatNumber(texts, total)}${hasMore ? '+' : ''}`
}

function resultList(request: TenantRequest, text: string, group: ResultGroup): string {
  const items = resultItems(request, text, group, (id) => recordUrl(request, group.resource, id))
  return html`<ul class="results">!${items}</ul>`
}

/** Shows all results for one resource, page by page. */
async function searchGroup(request: TenantRequest, text: string, name: string): Promise<PageResponse> {
  const { texts, query, resources, baseParams, deps } = request
  const from = query.get('from') ?? '0'
  if (!/^\d{1,4}$/.test(from) || !resources.some((each) => each.name === name)) throw new PageError(404, 'not_found')
  const offset = Number(from)
  const [group] = await findRecords(deps, request, text, [{ resource: name, limit: perPage, offset }])
  if (!group || group.records.length === 0) return page(request, nothing(request))
  const to = (start: number) => pageUrl('search.php', { tenant: baseParams.tenant, q: text, in: name, from: start })
  const { total, hasMore } = group
  const back = pageUrl('search.php', { tenant: baseParams.tenant, q: text, all: 1 })
  const end = offset + group.records.length
  const links = { first: offset > 0 ? to(0) : undefined, next: end < total ? to(end) : undefined }
  const limit =
    end >= total && hasMore ? html`<p class="hint">${texts.search.limit(formatNumber(texts, total))}</p>` : ''
  const body = html`<p><a href="${back}">${texts.search.back}</a></p>
!${resultList(request, text, group)}
!${limit}!${pageLinks(texts, links)}`
  return page(request, section(`${resourceTexts(texts, name).many} ${countOf(request, group)}`, body))
}

function nothing(request: TenantRequest): string {
  const { texts } = request
  return emptyState(texts.search.nothing, texts.search.nothingHelp, '', 'search')
}

function page(request: TenantRequest, body: string): PageResponse {
  const { texts, session } = request
  const text = searchedText(request)
  const hasOthers = session.user.role === 'administrator' || session.user.roles.length > 1
  const url = pageUrl('search.php', { q: text })
  const everywhere = hasOthers && text !== '' ? html`<p><a href="${url}">${texts.search.everywhere}</a></p>` : ''
  return { kind: 'page', title: texts.search.title, body: html`!${searchForm(request, text)}!${body}!${everywhere}` }
}
