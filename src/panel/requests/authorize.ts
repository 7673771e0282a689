// Finds a request's tenant, and checks what the signed-in user is allowed to see and do there.

import { isSecondFactorRequired } from '../../accounts/sign-in/two-factor.ts'
import { isActive } from '../../catalog/catalog.ts'
import type { Role } from '../../catalog/roles.ts'
import { settingsOperations } from '../../domain/settings/operations.ts'
import { Busy, Unavailable } from '../../engine/database/database.ts'
import { findTenant, type Tenant } from '../../tenants/tenants.ts'
import { withConventions } from '../i18n/conventions.ts'
import type { Conventions } from '../i18n/index.ts'
import { AccessDenied, PageError, TenantNeeded } from '../responses.ts'
import { isAdministrator, type RecordRequest, type SignedInRequest, type TenantRequest } from './request.ts'

/** Whether the configuration requires two-factor authentication for this user. */
export function needsSecondFactor({ deps, session }: SignedInRequest): boolean {
  return isSecondFactorRequired(deps.config.REQUIRE_TWO_FACTOR, session.user.role)
}

/** Whether this user must turn on two-factor authentication before doing anything else. */
export function lacksSecondFactor(request: SignedInRequest): boolean {
  return needsSecondFactor(request) && !request.session.user.has_second_factor
}

/** The access that a page requires. `write` is for forms, and for pages that viewers may not see, such as API keys. */
type Access = 'read' | 'write'

const permissions: Record<Role, readonly Access[]> = {
  administrator: ['read', 'write'],
  manager: ['read', 'write'],
  viewer: ['read'],
}

/** Finds the tenant named by `?tenant=`, or the user's only tenant, and checks the user's role in that tenant. Throws a
 *  PageError with 404 if the user has no role, or with 403 if the role does not permit the request or the tenant is
 *  inactive. Throws TenantNeeded if the user must choose a tenant. */
export async function toTenantRequest(request: SignedInRequest, access: Access = 'read'): Promise<TenantRequest> {
  const { session, query, deps } = request
  const slug = query.get('tenant') ?? session.user.tenant_slug
  if (slug === null && (isAdministrator(request) || session.user.roles.length > 1)) throw new TenantNeeded()
  const tenant = slug === null ? undefined : await findTenant(deps.catalog, slug)
  const role = tenant && roleIn(request, tenant)
  if (!tenant || !role) {
    throw isAdministrator(request) ? new PageError(404, 'not_found') : new AccessDenied(slug ?? undefined)
  }
  request.logFields.tenant = tenant.slug
  request.frame.tenant = tenant
  if (!isAdministrator(request) && !isActive(tenant, deps.now())) refuseInactive(tenant)
  if (!permissions[role].includes(request.isForm ? 'write' : access)) throw new AccessDenied(tenant.slug, 'read_only')
  const canWrite = permissions[role].includes('write')
  const baseParams = { tenant: session.user.tenant_slug === null ? tenant.slug : undefined }
  return { ...request, tenant, resources: deps.resources, canWrite, baseParams }
}

/** Panel users see why the tenant is inactive; API clients do not. */
function refuseInactive({ state, suspended_because }: Tenant): never {
  if (state === 'trial') throw new PageError(403, 'trial_over')
  throw new PageError(403, 'tenant_suspended', suspended_because ?? '')
}

function roleIn({ session }: SignedInRequest, { id }: Tenant): Role | undefined {
  if (session.user.role === 'administrator') return 'administrator'
  return session.user.roles.find(({ tenant_id }) => tenant_id === id)?.role
}

/** Like toTenantRequest, but for pages that read the tenant's database. Adapts the texts on the page and in the layout
 *  to the tenant's conventions. Throws Unavailable or Busy if the database cannot be read, and the same errors as
 *  toTenantRequest. */
export async function toLocalizedRequest(request: SignedInRequest, access: Access = 'read'): Promise<TenantRequest> {
  const tenantRequest = await toTenantRequest(request, access)
  return withTenantTexts(request, tenantRequest, await readConventions(tenantRequest))
}

/** Like toLocalizedRequest, but for pages about accounts and API keys, which require `write` access. If the tenant's
 *  database is unavailable, these pages still work, but use the default conventions. */
export async function toLocalizedRequestIfAvailable(request: SignedInRequest): Promise<TenantRequest> {
  const tenantRequest = await toTenantRequest(request, 'write')
  const conventions = await readConventions(tenantRequest).catch((error: Error) => {
    if (error instanceof Unavailable || error instanceof Busy) return undefined
    throw error
  })
  return conventions ? withTenantTexts(request, tenantRequest, conventions) : tenantRequest
}

async function readConventions({ deps, tenant }: TenantRequest): Promise<Conventions> {
  const { body } = await deps.engine.run(tenant, settingsOperations.settings, { name: tenant.name })
  const { currency, time_zone, customers_called, warranty_notice_days: noticeDays } = JSON.parse(body)
  return { currency, timeZone: time_zone, customersCalled: customers_called, noticeDays }
}

function withTenantTexts({ frame }: SignedInRequest, request: TenantRequest, conventions: Conventions): TenantRequest {
  const texts = withConventions(request.texts, conventions)
  frame.texts = texts
  return { ...request, texts }
}

/** Throws a PageError with 404 if there is no such resource. */
export function toRecordRequest(request: TenantRequest, name: string): RecordRequest {
  const resource = request.resources.find((each) => each.name === name)
  if (!resource) throw new PageError(404, 'not_found')
  const presentation = request.deps.presentationOf(resource)
  return { ...request, resource, presentation, baseParams: { ...request.baseParams, resource: name } }
}
