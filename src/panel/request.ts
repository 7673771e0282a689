// What a page is given, and what it gives back.

import type { RateLimit } from '../access/rate-limit.ts'
import type { Session } from '../accounts/sessions.ts'
import { isSecondFactorRequired } from '../accounts/two-factor.ts'
import type { AuditActor } from '../catalog/audit-log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Pepper } from '../catalog/pepper.ts'
import type { RepeatedEvents } from '../catalog/repeated-events.ts'
import type { Config } from '../config.ts'
import type { PanelLogFields } from '../http/visitor.ts'
import type { Resources } from '../resources/resource.ts'
import type { DatabaseHealth } from '../storage/health-check.ts'
import type { ListDependencies } from '../storage/list-page.ts'
import type { TenantDatabases } from '../storage/storage.ts'
import { findTenant, isActive, type Tenant } from '../tenants/tenants.ts'
import type { RefusalName, Texts } from './i18n/index.ts'

/** What the panel stands on. */
export type PanelDependencies = ListDependencies & {
  config: Config
  resources: Resources
  catalog: Catalog
  databases: TenantDatabases
  databaseHealth: DatabaseHealth
  pepper: Pepper
  repeatedEvents: RepeatedEvents
  /** Of each session, in the memory of this node. */
  pageLimit: RateLimit
  now: () => Date
}

/** A request of a browser. `path` is the page's name without the slash, so that every address is relative to the root. */
export type PageRequest = {
  deps: PanelDependencies
  path: string
  query: URLSearchParams
  /** What was sent; empty where nothing was. */
  form: URLSearchParams
  requestId: string
  /** What the request log says of this request. */
  visitor: PanelLogFields
  origin: AuditActor
  texts: Texts
  /** Where the server and its API are, for whoever is at this address. */
  rootUrl: string
  apiUrl: string
  /** What a form has to carry so that it is known as one of this panel's. */
  csrfToken: string
  /** To be set with the answer, whatever it is. `session`: the token of a session that got a new one. */
  cookies: { session?: string }
}

/** A request of someone who has signed in. */
export type SignedInRequest = PageRequest & { session: Session }

/** A request to what belongs to one tenant. */
export type TenantRequest = SignedInRequest & { tenant: Tenant }

export type PageResponse =
  /** `title` is text; `heading` is HTML that stands in its baseParams above the page. */
  | { kind: 'page'; title: string; heading?: string; body: string; status?: number }
  /** What a script asked for: a piece of a page. */
  | { kind: 'fragment'; body: string }
  /** `session`: the token of a session that begins here; null where it ends. `device`: the device cookie after a sign-in. */
  | { kind: 'redirect'; to: string; session?: string | null; device?: string | undefined }

/** A request that is refused: a signedOutBody page with the reason. */
export class PageError extends Error {
  readonly status: number
  readonly reason: RefusalName
  /** What someone has notice about it. */
  readonly explanation: string

  constructor(status: number, reason: RefusalName, explanation = '') {
    super(reason)
    this.status = status
    this.reason = reason
    this.explanation = explanation
  }
}

/** Someone asked for a page or a tenant that is not for them. To them it does not exist; the security log has it. */
export class AccessDenied extends PageError {
  readonly slug: string | undefined

  constructor(slug?: string) {
    super(404, 'not_found')
    this.slug = slug
  }
}

/** An address of the panel. Parameters without a value are left away. */
export function pageUrl(path: string, parameters: Record<string, string | number | null | undefined> = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `${path || './'}${search && `?${search}`}`
}

/** Leads on after a form was carried out; `notice` names the errorMessage that the next page begins with. */
export function redirectTo(
  path: string,
  parameters: Record<string, string | number | null | undefined> = {},
): PageResponse {
  return { kind: 'redirect', to: pageUrl(path, parameters) }
}

/** Where a record of the visited tenant is shown. */
export function recordUrl(request: TenantRequest, resource: string, id: number): string {
  return pageUrl('records.php', { tenant: isAdministrator(request) ? request.tenant.slug : undefined, resource, id })
}

/** Whether the installation requires a second factor of this person. */
export function needsSecondFactor({ deps, session }: SignedInRequest): boolean {
  return isSecondFactorRequired(deps.config.REQUIRE_TWO_FACTOR, session.user.role)
}

/** Whether this person must set up a second factor before anything else. */
export function lacksSecondFactor(request: SignedInRequest): boolean {
  return needsSecondFactor(request) && !request.session.user.has_second_factor
}

export function isAdministrator({ session }: SignedInRequest): boolean {
  return session.user.role === 'administrator'
}

/** The tenant that a request is about: a manager's own, an administrator's by `?tenant=`. To anyone else it is not there. */
export async function requireTenantOfRequest(request: SignedInRequest): Promise<Tenant> {
  const { session, query, deps } = request
  const slug = query.get('tenant') ?? session.user.tenant_slug
  const tenant = slug === null ? undefined : await findTenant(deps.catalog, slug)
  if (!tenant || !canAccessTenant(request, tenant)) {
    throw isAdministrator(request) ? new PageError(404, 'not_found') : new AccessDenied(slug ?? undefined)
  }
  request.visitor.tenant = tenant.slug
  if (!isAdministrator(request) && !isActive(tenant, deps.now())) refuseInactive(tenant)
  return tenant
}

/** Its people see why; the API's callers do not. */
function refuseInactive({ state, suspended_because }: Tenant): never {
  if (state === 'trial') throw new PageError(403, 'trial_over')
  throw new PageError(403, 'tenant_suspended', suspended_because ?? '')
}

function canAccessTenant(request: SignedInRequest, tenant: Tenant): boolean {
  return isAdministrator(request) || request.session.user.tenant_id === tenant.id
}
