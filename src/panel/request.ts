// What a page handler receives and returns.

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
import type { TenantContext, TenantDatabases } from '../storage/storage.ts'
import { findTenant, isActive, type Tenant } from '../tenants/tenants.ts'
import type { RefusalName, Texts } from './i18n/index.ts'

/** What page handlers depend on. */
export type PanelDependencies = ListDependencies & {
  config: Config
  resources: Resources
  /** Every scope that an API key can have. */
  scopes: readonly string[]
  catalog: Catalog
  databases: TenantDatabases
  databaseHealth: DatabaseHealth
  pepper: Pepper
  repeatedEvents: RepeatedEvents
  /** Counts pages per session, in memory of this process. */
  pageLimit: RateLimit
  now: () => Date
}

/** A request from a browser. `path` has no leading slash, so that links are relative to the root. */
export type PageRequest = {
  deps: PanelDependencies
  path: string
  query: URLSearchParams
  /** The submitted fields; empty for a GET. */
  form: URLSearchParams
  requestId: string
  /** The request log's fields about the user. */
  visitor: PanelLogFields
  origin: AuditActor
  texts: Texts
  /** The public URLs of this server and of its API. */
  rootUrl: string
  apiUrl: string
  /** The token that every form must include. */
  csrfToken: string
  /** Cookies to set with any response. `session` is the new token of a session whose token was replaced. */
  cookies: { session?: string }
}

/** A request with a valid session. */
export type SignedInRequest = PageRequest & { session: Session }

/** A request about one tenant. */
export type TenantRequest = SignedInRequest & TenantContext & { tenant: Tenant }

export type PageResponse =
  /** `title` is plain text. `heading` is HTML shown instead of the title above the page. */
  | { kind: 'page'; title: string; heading?: string; body: string; status?: number }
  /** Part of a page, requested by panel.js. */
  | { kind: 'fragment'; body: string }
  /** `session` is the token of a new session, or null to sign out. `device` is the cookie of a known device. */
  | { kind: 'redirect'; to: string; session?: string | null; device?: string | undefined }

/** Shows an error page with this status and reason. */
export class PageError extends Error {
  readonly status: number
  readonly reason: RefusalName
  /** An explanation written by an administrator, such as why the tenant is suspended. */
  readonly explanation: string

  constructor(status: number, reason: RefusalName, explanation = '') {
    super(reason)
    this.status = status
    this.reason = reason
    this.explanation = explanation
  }
}

/** The user may not see this page or tenant. The response is the same 404 as if it did not exist, and is audited. */
export class AccessDenied extends PageError {
  readonly slug: string | undefined

  constructor(slug?: string) {
    super(404, 'not_found')
    this.slug = slug
  }
}

/** Builds a relative URL of the panel. Empty parameters are omitted. */
export function pageUrl(path: string, parameters: Record<string, string | number | null | undefined> = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `${path || './'}${search && `?${search}`}`
}

/** Redirects after a form succeeded. `notice` names the message that the next page shows. */
export function redirectTo(
  path: string,
  parameters: Record<string, string | number | null | undefined> = {},
): PageResponse {
  return { kind: 'redirect', to: pageUrl(path, parameters) }
}

/** Returns the URL of a record of the request's tenant. */
export function recordUrl(request: TenantRequest, resource: string, id: number): string {
  return pageUrl('records.php', { tenant: isAdministrator(request) ? request.tenant.slug : undefined, resource, id })
}

/** Whether the configuration requires two-factor authentication for this user. */
export function needsSecondFactor({ deps, session }: SignedInRequest): boolean {
  return isSecondFactorRequired(deps.config.REQUIRE_TWO_FACTOR, session.user.role)
}

/** Whether this user must turn on two-factor authentication before doing anything else. */
export function lacksSecondFactor(request: SignedInRequest): boolean {
  return needsSecondFactor(request) && !request.session.user.has_second_factor
}

export function isAdministrator({ session }: SignedInRequest): boolean {
  return session.user.role === 'administrator'
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
  return { ...request, tenant, resources: deps.resources }
}

/** Users of the panel see the reason; API clients do not. */
function refuseInactive({ state, suspended_because }: Tenant): never {
  if (state === 'trial') throw new PageError(403, 'trial_over')
  throw new PageError(403, 'tenant_suspended', suspended_because ?? '')
}

function canAccessTenant(request: SignedInRequest, tenant: Tenant): boolean {
  return isAdministrator(request) || request.session.user.tenant_id === tenant.id
}
