// Renders the navigation links in the side bar, in the bottom bar on phones, and in the settings tabs.

import { html } from 'ghtml'
import { type IconName, icon } from '../components/icons.ts'
import { menu, menuLinks } from '../components/menu.ts'
import { tabs } from '../components/sections.ts'
import { resourceTexts, type Texts } from '../i18n/index.ts'
import { isAdministrator, type SignedInRequest } from '../requests/request.ts'
import { pageUrl } from '../urls.ts'
import type { Place } from './place.ts'

type NavigationLink = { to: string; label: string; icon: IconName; isCurrent: boolean }

/** The bottom bar has room for this many links and a menu with the remaining links. */
const maxBottomLinks = 4

export function sideBar(request: SignedInRequest, place: Place | null): string {
  const label = request.texts.frame.navigation
  return html`<nav class="side" aria-label="${label}"><ul>!${entriesOf(request, place).map(entry)}</ul></nav>`
}

/** Renders the bottom bar. Its label differs from the side bar's, although only one of the two bars is visible at a
 *  time. */
export function bottomBar(request: SignedInRequest, place: Place | null): string {
  const { frame, layout } = request.texts
  const entries = entriesOf(request, place).toSpliced(2, 0, searchEntry(request, place))
  const rest = entries.slice(maxBottomLinks)
  const more = menu({ summary: html`!${icon('more')}<span>${layout.more}</span>`, body: menuLinks(rest), name: 'end' })
  return html`<nav class="bottom" aria-label="${frame.menu}"><ul>
!${entries.slice(0, maxBottomLinks).map(entry)}
!${rest.length > 0 ? html`<li>!${more}</li>` : ''}
</ul></nav>`
}

/** Returns the link to the search page. Phones need this link, because their top bar has no room for the search
 *  field. */
function searchEntry({ texts, path }: SignedInRequest, place: Place | null): NavigationLink {
  const to = pageUrl('search.php', place?.params)
  return { to, label: texts.records.search, icon: 'search', isCurrent: path === 'search.php' }
}

function entry({ to, label, icon: name, isCurrent }: NavigationLink): string {
  const current = isCurrent ? ' aria-current="page"' : ''
  return html`<li><a href="${to}" title="${label}"!${current}>!${icon(name)}<span>${label}</span></a></li>`
}

/** Returns links to the tenant's pages. If there is no tenant, returns links to the installation's pages, which only
 *  administrators see. */
export function entriesOf(request: SignedInRequest, place: Place | null): NavigationLink[] {
  if (place) return tenantEntries(request, place)
  return isAdministrator(request) ? installationEntries(request) : []
}

function installationEntries({ texts, path }: SignedInRequest): NavigationLink[] {
  const { frame, layout } = texts
  const pages: [string, string, IconName][] = [
    ['', layout.overview, 'overview'],
    ['tenants.php', frame.tenants, 'tenant'],
    ['users.php', frame.users, 'people'],
    ['events.php', frame.events, 'security'],
  ]
  return pages.map(([to, label, icon]) => ({ to: pageUrl(to), label, icon, isCurrent: path === to }))
}

function tenantEntries(request: SignedInRequest, { params, canWrite }: Place): NavigationLink[] {
  const { path, deps } = request
  // The tenant's wording, such as "clients" instead of "branches", if the page has read the tenant's settings.
  const texts = request.frame.texts ?? request.texts
  const current = resourceOf(request)
  const records = deps.inMenuOrder(deps.resources).map((resource) => ({
    to: pageUrl('records.php', { ...params, resource: resource.name }),
    label: resourceTexts(texts, resource.name).many,
    icon: deps.presentationOf(resource).listIcon,
    isCurrent: current === resource.name,
  }))
  const page = (to: string, label: string, icon: IconName, isCurrent: boolean): NavigationLink => {
    return { to: pageUrl(to, params), label, icon, isCurrent }
  }
  const { layout, frame } = texts
  return [
    page('', layout.home, 'home', path === ''),
    ...records,
    page('activity.php', frame.activity, 'activity', path === 'activity.php'),
    ...(canWrite ? [page('tenant_settings.php', layout.settings, 'settings', isSetting(request))] : []),
  ]
}

/** The resource that a page lists or changes. */
function resourceOf({ path, query, deps }: SignedInRequest): string | undefined {
  if (path === 'records.php' || path === 'bulk_edit.php') return query.get('resource') ?? deps.resources[0]!.name
  if (path === 'assign.php') return query.has('person') ? 'employees' : 'hardware'
  return { 'offboard.php': 'employees', 'hand_over.php': 'employees', 'close_branch.php': 'customers' }[path]
}

/** Renders the tabs for a tenant's settings. Returns an empty string on other pages. */
export function settingsTabs(request: SignedInRequest, place: Place | null): string {
  if (!place?.canWrite || !isSetting(request)) return ''
  const { path, texts } = request
  const links = settingsOf(request, texts).map(([to, label]) => {
    return { to: pageUrl(to, place.params), label, isCurrent: path === to }
  })
  return tabs(texts.layout.settings, links)
}

export function settingsOf(request: SignedInRequest, { layout, frame }: Texts): [path: string, label: string][] {
  return [
    ['tenant_settings.php', layout.general],
    ['users.php', frame.users],
    ['api_keys.php', frame.apiKeys],
    ['import.php', layout.import],
    ...(isAdministrator(request) ? [['tenants.php', layout.lifecycle] as [string, string]] : []),
  ]
}

function isSetting(request: SignedInRequest): boolean {
  return settingsOf(request, request.texts).some(([path]) => path === request.path)
}
