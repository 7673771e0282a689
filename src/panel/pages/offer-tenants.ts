// The page that a user with several tenants sees at an address that names none of them.

import { html } from 'ghtml'
import { relatedList } from '../components/sections.ts'
import type { SignedInRequest } from '../request.ts'
import type { PageResponse } from '../responses.ts'
import { pageUrl } from '../urls.ts'

/** Each link leads to the same page of the tenant. */
export function offerTenants({ texts, session, path, query }: SignedInRequest): PageResponse {
  const items = session.user.roles.map(({ tenant_slug: tenant, tenant_name, role }) => {
    const url = pageUrl(path, { ...Object.fromEntries(query), tenant })
    return html`<li><a href="${url}">${tenant_name}</a> <small>${tenant} · ${texts.roles[role]}</small></li>`
  })
  return { kind: 'page', title: texts.frame.chooseTenant, body: relatedList(items) }
}
