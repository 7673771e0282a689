// What the user of a session may see.

import { isSecondFactorRequired } from '../accounts/two-factor.ts'
import { findTenant, isActive, type Tenant } from '../tenants/tenants.ts'
import { withConventions } from './i18n/conventions.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from './request.ts'
import { AccessDenied, PageError } from './responses.ts'

/** Whether the configuration requires two-factor authentication for this user. */
export function needsSecondFactor({ deps, session }: SignedInRequest): boolean {
  return isSecondFactorRequired(deps.config.REQUIRE_TWO_FACTOR, session.user.role)
}

/** Whether this user must turn on two-factor authentication before doing anything else. */
export function lacksSecondFactor(request: SignedInRequest): boolean {
  return needsSecondFactor(request) && !request.session.user.has_second_factor
}

/** Resolves the tenant: the manager's own, or the one that an administrator names with `?tenant=`. Others are a 404. */
export async function toTenantRequest(request: SignedInRequest): Promise<TenantRequest> {
  const { session, query, deps } = request
  const slug = query.get('tenant') ?? session.user.tenant_slug
  const tenant = slug === null ? undefined : await findTenant(deps.catalog, slug)
  if (!tenant || !canAccessTenant(request, tenant)) {
    throw isAdministrator(request) ? new PageError(404, 'not_found') : new AccessDenied(slug ?? undefined)
  }
  request.visitor.tenant = tenant.slug
  if (!isAdministrator(request) && !isActive(tenant, deps.now())) refuseInactive(tenant)
  const baseParams = { tenant: isAdministrator(request) ? tenant.slug : undefined }
  return { ...request, tenant, resources: deps.resources, baseParams }
}

/** Users of the panel see the reason; API clients do not. */
function refuseInactive({ state, suspended_because }: Tenant): never {
  if (state === 'trial') throw new PageError(403, 'trial_over')
  throw new PageError(403, 'tenant_suspended', suspended_because ?? '')
}

function canAccessTenant(request: SignedInRequest, tenant: Tenant): boolean {
  return isAdministrator(request) || request.session.user.tenant_id === tenant.id
}

/** For pages that show or read money and times: their texts have the currency and time zone of the tenant. Throws
 *  Unavailable. */
export async function toLocalRequest(request: SignedInRequest): Promise<TenantRequest> {
  const tenantRequest = await toTenantRequest(request)
  const { deps, tenant, texts } = tenantRequest
  const { body } = await deps.storage.run(tenant, 'settings', { name: tenant.name })
  const { currency, time_zone: timeZone } = JSON.parse(body)
  return { ...tenantRequest, texts: withConventions(texts, { currency, timeZone }) }
}
