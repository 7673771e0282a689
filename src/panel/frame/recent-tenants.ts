// The tenants that a user opened last in this browser. The switcher and the search offer them first.

import type { SignedInRequest } from '../request.ts'

/** The present one and five others. */
const maxRecent = 6

/** Short names, the last one first. Those of another user of the browser do not count. */
export function recentTenants({ session, keptRecent = '' }: SignedInRequest): string[] {
  const [owner, ...slugs] = keptRecent.split('|')
  return owner === session.user.id ? slugs.filter((slug) => /^[a-z0-9-]{2,40}$/.test(slug)).slice(0, maxRecent) : []
}

/** The cookie to set after a page; undefined if it stays as it is. */
export function rememberTenant(request: SignedInRequest): string | undefined {
  const { user } = request.session
  const slug = request.frame.tenant?.slug
  const known = recentTenants(request)
  if (slug === undefined || slug === known[0] || user.tenant_slug !== null) return undefined
  const others = known.filter((each) => each !== slug).slice(0, maxRecent - 1)
  return [user.id, slug, ...others].join('|')
}
