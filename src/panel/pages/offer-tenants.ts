// The page shown when the URL of a tenant's page does not name the tenant. On this page, administrators and users with
// several tenants choose one.

import { html } from 'ghtml'
import { listTenants } from '../../tenants/tenants.ts'
import { relatedList } from '../components/sections.ts'
import { isAdministrator, type SignedInRequest } from '../requests/request.ts'
import type { PageResponse } from '../responses.ts'
import { pageUrl } from '../urls.ts'

/** The page lists at most this many tenants to administrators. They find other tenants with the tenant switcher. */
const maxShown = 100

/** Each link leads to the requested page for that tenant. */
export async function offerTenants(request: SignedInRequest): Promise<PageResponse> {
  const { texts, path, query } = request
  const items = (await choicesOf(request)).map(({ slug: tenant, name, note }) => {
    const url = pageUrl(path, { ...Object.fromEntries(query), tenant })
    return html`<li><a href="${url}"><bdi>${name}</bdi></a> <small>${note}</small></li>`
  })
  const body = items.length === 0 ? html`<p class="none">${texts.tenants.empty}</p>` : relatedList(items)
  return { kind: 'page', title: texts.frame.chooseTenant, body }
}

async function choicesOf(request: SignedInRequest): Promise<{ slug: string; name: string; note: string }[]> {
  const { texts, session, deps } = request
  if (isAdministrator(request)) {
    const tenants = await listTenants(deps.catalog)
    return tenants.slice(0, maxShown).map(({ slug, name }) => ({ slug, name, note: slug }))
  }
  return session.user.roles.map(({ tenant_slug: slug, tenant_name: name, role }) => {
    return { slug, name, note: `${slug} · ${texts.roles[role]}` }
  })
}
