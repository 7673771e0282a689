// The menu that switches to the same page of another tenant, for example from one tenant's assets to another's.

import { html } from 'ghtml'
import { listFirstTenants } from '../../tenants/tenants.ts'
import { stateBadge } from '../components/badge.ts'
import { icon } from '../components/icons.ts'
import { type MenuLink, menu, menuLinks } from '../components/menu.ts'
import { isAdministrator, type SignedInRequest } from '../requests/request.ts'
import { pageUrl } from '../urls.ts'
import type { Place } from './place.ts'

/** An administrator's menu lists at most this many tenants. If it is full, it also has a search field. */
const maxListed = 25

/** `canWrite`: whether the user may open the tenant's settings. `isRecent`: opened recently. */
type TenantChoice = { slug: string; name: string; canWrite: boolean; isRecent: boolean }

/** Reads the tenants for the menu. Recently opened tenants come first. */
export async function readTenantChoices(request: SignedInRequest): Promise<TenantChoice[]> {
  const recent = recentTenants(request)
  const tenants = await listTenantsOf(request, recent)
  const latest = recent.flatMap((slug) => tenants.find((each) => each.slug === slug) ?? [])
  const others = tenants.filter((each) => !latest.includes(each))
  return [
    ...latest.map((each) => ({ ...each, isRecent: true })),
    ...others.map((each) => ({ ...each, isRecent: false })),
  ]
}

/** Administrators get at most `maxListed` tenants: first the recently opened tenants, then other tenants by name. */
async function listTenantsOf(request: SignedInRequest, recent: string[]): Promise<Omit<TenantChoice, 'isRecent'>[]> {
  const { deps, session } = request
  if (!isAdministrator(request))
    return session.user.roles.map(({ tenant_slug: slug, tenant_name: name, role }) => {
      return { slug, name, canWrite: role === 'manager' }
    })
  const tenants = await listFirstTenants(deps.catalog, maxListed, recent)
  return tenants.map(({ slug, name }) => ({ slug, name, canWrite: true }))
}

/** Shows only the tenant's name if the user has no other tenant and is not an administrator. */
export function tenantSwitcher(request: SignedInRequest, place: Place | null, choices: TenantChoice[]): string {
  const { texts, frame } = request
  const isAdmin = isAdministrator(request)
  if (!isAdmin && choices.length < 2) return place ? html`<b>${place.name}</b>` : ''
  const known = choices.find(({ slug }) => slug === place?.slug)
  const name = known?.name ?? place?.name ?? (isAdmin ? texts.layout.allTenants : texts.frame.chooseTenant)
  const state = frame.tenant && frame.tenant.state !== 'active' ? frame.tenant.state : null
  const badge = state === null ? '' : stateBadge(state, texts.tenants.states[state])
  const toLink = (each: TenantChoice): MenuLink => {
    const isCurrent = each.slug === place?.slug
    return { to: samePageOf(request, each), label: each.name, icon: isCurrent ? 'check' : 'tenant', isCurrent }
  }
  const groups = [true, false].map((wanted) => choices.filter(({ isRecent }) => isRecent === wanted).map(toLink))
  const links = groups.filter((group) => group.length > 0).map(menuLinks)
  return menu({
    summary: html`<span>${name}</span>!${badge}!${icon('expand')}`,
    body: (isAdmin ? administratorPart(request, choices.length) : '') + links.join(''),
    name: 'switcher',
  })
}

/** Renders the top of an administrator's menu: a search field if the list is long, and the link to all tenants. */
function administratorPart({ texts }: SignedInRequest, count: number): string {
  const { allTenants, findTenant } = texts.layout
  const search = html`<form action="tenants.php" role="search">
<input type="search" name="q" aria-label="${findTenant}" placeholder="${findTenant}" autocomplete="off"></form>`
  return (count < maxListed ? '' : search) + menuLinks([{ to: './', label: allTenants, icon: 'overview' }])
}

const pagesForAll = ['records.php', 'activity.php']
const pagesForManagers = ['api_keys.php', 'users.php', 'import.php', 'tenant_settings.php']

/** Returns the URL of the current page in another tenant. From a record's page, the URL leads to the resource's list.
 *  If the user cannot open the page in the other tenant, the URL leads to that tenant's home page. */
function samePageOf({ path, query }: SignedInRequest, { slug: tenant, canWrite }: TenantChoice): string {
  const isKept = pagesForAll.includes(path) || (canWrite && pagesForManagers.includes(path))
  const resource = path === 'records.php' ? query.get('resource') : null
  return pageUrl(isKept ? path : '', { tenant, resource })
}

/** The current tenant and five others. */
const maxRecent = 6

/** Returns slugs, the most recent first. Ignores tenants that another user of this browser opened. */
function recentTenants({ session, cookie }: SignedInRequest): string[] {
  const [owner, ...slugs] = (cookie('recent') ?? '').split('|')
  return owner === session.user.id ? slugs.filter((slug) => /^[a-z0-9-]{2,40}$/.test(slug)).slice(0, maxRecent) : []
}

/** Returns the cookie to set with the response; undefined if the cookie does not change. */
export function rememberTenant(request: SignedInRequest): string | undefined {
  const { user } = request.session
  const slug = request.frame.tenant?.slug
  const recent = recentTenants(request)
  if (slug === undefined || slug === recent[0] || user.tenant_slug !== null) return undefined
  const others = recent.filter((each) => each !== slug).slice(0, maxRecent - 1)
  return [user.id, slug, ...others].join('|')
}
