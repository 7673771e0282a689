// The request that a page handler receives.

import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { RateLimit } from '../../access/request-counts.ts'
import type { Session } from '../../accounts/sign-in/sessions.ts'
import type { AuditActor } from '../../catalog/audit/audit-log.ts'
import type { RepeatedEvents } from '../../catalog/audit/repeated-events.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Pepper } from '../../catalog/pepper/pepper.ts'
import type { Config } from '../../config.ts'
import type { Resource, Resources } from '../../domain/declarations/resource.ts'
import type { JobScheduler } from '../../domain/jobs/scheduler.ts'
import type { ListDependencies } from '../../domain/lists/list-page.ts'
import type { SummaryCache } from '../../domain/summary/summary-cache.ts'
import type { TenantDatabases } from '../../engine/tenant-databases.ts'
import type { DatabaseHealth } from '../../engine/tenant-health.ts'
import type { PanelLogFields } from '../../http/request-log.ts'
import type { Uploads } from '../../http/upload.ts'
import type { Tenant } from '../../tenants/tenants.ts'
import type { Texts } from '../i18n/index.ts'
import type { Presentation, Presentations } from '../resources/presentation.ts'
import type { Toast } from '../toasts.ts'

/** The dependencies of page handlers. */
export type PanelDependencies = ListDependencies &
  Presentations & {
    config: Config
    resources: Resources
    /** Every scope that an API key can have. */
    scopes: readonly string[]
    catalog: Catalog
    databases: TenantDatabases
    databaseHealth: DatabaseHealth
    summaries: SummaryCache
    pepper: Pepper
    repeatedEvents: RepeatedEvents
    /** Limits how many pages a user, and all users of a tenant together, may request per minute. The counts are kept in
     *  this process's memory. */
    pageLimit: RateLimit
    jobs: JobScheduler
    uploads: Uploads
    log: Logger
    now: () => Date
  }

/** A request from a browser. `path` is relative to the root, without a leading slash. */
export type PageRequest = {
  deps: PanelDependencies
  path: string
  query: URLSearchParams
  /** Whether this is a POST. */
  isForm: boolean
  /** The submitted fields; empty for a GET. */
  form: URLSearchParams
  /** The uploaded file, not yet read; only on pages with `acceptsFile`. */
  file: Readable | null
  /** The uploaded file's name; empty without a file. */
  fileName: string
  requestId: string
  logFields: PanelLogFields
  actor: AuditActor
  texts: Texts
  theme: string
  /** The message to show if submitting a form redirected to this page. */
  toast: Toast | undefined
  frame: Frame
  /** The public URLs of this server and of its API. */
  rootUrl: string
  apiUrl: string
  /** The token that every form must include. */
  csrfToken: string
  /** Returns what a cookie in this browser says. */
  cookie: (name: CookieName) => string | undefined
  /** The row height of lists in this browser. */
  rowSize: RowSize
  /** Cookies to set with the response, whatever its kind. `session`: the session's new token, if its token was
   *  replaced. */
  cookies: { session?: string } & { [name in CookieName]?: string }
}

/** `columns`: those that the user has chosen for lists (pages/lists/chosen-columns.ts). `last-asset`: who last added an
 *  asset, of which type, and where (pages/records/form/last-asset.ts). `recent`: the tenants that the user last opened
 *  (frame/tenant-switcher.ts). `time-zone`: the one last chosen, during the set-up or for a new tenant. */
export type CookieName = 'columns' | 'last-asset' | 'recent' | 'time-zone'

export const rowSizes = ['comfortable', 'compact'] as const
export type RowSize = (typeof rowSizes)[number]

/** The tenant that the layout shows, and the texts adapted to this tenant's conventions. Set by handlers of pages about
 *  a tenant. */
export type Frame = { tenant?: Tenant; texts?: Texts }

export type SignedInRequest = PageRequest & { session: Session }

/** A request about one tenant. Links to the tenant's pages include `baseParams`: the tenant's slug, or nothing if the
 *  user has only this tenant, and the past day or time that the pages show, if any. If `canWrite` is false, pages do
 *  not offer any changes. */
export type TenantRequest = SignedInRequest & {
  tenant: Tenant
  resources: Resources
  canWrite: boolean
  baseParams: { tenant: string | undefined; as_of?: string }
}

/** A request about the records of one resource. Links to its pages start with `baseParams`. */
export type RecordRequest = TenantRequest & {
  resource: Resource
  presentation: Presentation
  baseParams: { resource: string }
}

export function isAdministrator({ session }: SignedInRequest): boolean {
  return session.user.role === 'administrator'
}
