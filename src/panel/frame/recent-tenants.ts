// The tenants that a user last opened in this browser. The tenant switcher and the search list them first.

import type { SignedInRequest } from '../requests/request.ts'

/** The current tenant and five others. */
const maxRecent = 6

/** Returns slugs, the most recent first. Ignores tenants that another user of this browser opened. */
export function recentTenants({ session, recentTenantsCookie = '' }: SignedInRequest): string[] {
  const [owner, ...slugs] = recentTenantsCookie.split('|')
  return owner === session.user.id ? slugs.filter((slug) => /^[a-z0-9-]{2,40}$/.test(slug)).slice(0, maxRecent) : []
}

/** Returns the cookie to set with the response; undefined if the cookie does not change. */
export function rememberTenant(request: SignedInRequest): string | undefined {
  const { user } = request.session
  const slug = request.frame.tenant?.slug
  const known = recentTenants(request)
  if (slug === undefined || slug === known[0] || user.tenant_slug !== null) return undefined
  const others = known.filter((each) => each !== slug).slice(0, maxRecent - 1)
  return [user.id, slug, ...others].join('|')
}
