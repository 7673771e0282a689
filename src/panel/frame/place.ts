// The current place: the tenant that the navigation links belong to.

import type { Membership } from '../../accounts/memberships.ts'
import { isAdministrator, type SignedInRequest } from '../requests/request.ts'

/** `params` names the tenant in URLs, unless the user has only this tenant. */
export type Place = {
  slug: string
  name: string
  canWrite: boolean
  params: { tenant: string | undefined }
}

/** Returns null on pages that do not belong to a tenant, such as the list of tenants, or if there is no such tenant. */
export function currentPlace(request: SignedInRequest): Place | null {
  const { query, session, frame } = request
  const { roles, tenant_slug: onlySlug } = session.user
  const requested = query.get('tenant')
  const known = frame.tenant?.slug === requested ? requested : null
  const slug = isAdministrator(request) ? known : (membershipIn(roles, requested)?.tenant_slug ?? onlySlug)
  if (slug === null) return null
  const membership = membershipIn(roles, slug)
  const name = frame.tenant?.slug === slug ? frame.tenant.name : (membership?.tenant_name ?? slug)
  return {
    slug,
    name,
    canWrite: membership?.role !== 'viewer',
    params: { tenant: onlySlug === null ? slug : undefined },
  }
}

function membershipIn(roles: Membership[], slug: string | null): Membership | undefined {
  return roles.find(({ tenant_slug }) => tenant_slug === slug)
}
