// Page handlers' responses and errors.

import type { Readable } from 'node:stream'
import type { RefusalName } from './i18n/index.ts'
import type { NoticeName, Toast } from './toasts.ts'
import { pageUrl } from './urls.ts'

export type PageResponse =
  | {
      kind: 'page'
      /** Plain text. */
      title: string
      /** The body already contains the heading, in a toolbar or in a record's head. */
      bodyHasHeading?: true
      body: string
      status?: number
      /** The page answers a form that was submitted only to be continued, for example to add a row. */
      isContinued?: true
      /** If scripts are disabled, the browser reloads the page after this time. */
      refreshSeconds?: number
    }
  /** A file to download. */
  | { kind: 'file'; body: Readable; headers: Record<string, string> }
  /** Part of a page, requested by panel.js. */
  | { kind: 'fragment'; body: string }
  | {
      kind: 'redirect'
      to: string
      /** The new session's token, or null to sign out. */
      session?: string | null
      /** The cookie of a known device. */
      device?: string | undefined
      /** The message that the next page shows. */
      toast?: Toast
      /** Preferences to store in this browser: the row height, the time zone of pages outside tenants and of new
       *  tenants, or the language and theme chosen before sign-in. */
      preferences?: { language?: string; theme?: string; rows?: string; 'time-zone'?: string }
    }

export function continued(response: PageResponse): PageResponse {
  return response.kind === 'page' ? { ...response, isContinued: true } : response
}

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

/** The user is not allowed to open or change this page or tenant. The refusal is recorded in the audit log. If the user
 *  is a viewer of the tenant, the response is a 403 with the reason; otherwise it is a 404, as for a missing page. */
export class AccessDenied extends PageError {
  readonly slug: string | undefined

  constructor(slug?: string, reason: 'not_found' | 'read_only' = 'not_found') {
    super(reason === 'not_found' ? 404 : 403, reason)
    this.slug = slug
  }
}

/** The URL does not name a tenant, and the user can open several. The panel then asks the user to choose one. */
export class TenantNeeded extends PageError {
  constructor() {
    super(400, 'bad_request')
  }
}

/** Redirects to a page, usually after a form succeeded. The page shows the toast, or the fixed text that `notice`
 *  names. */
export function redirectTo(
  path: string,
  { notice, ...parameters }: { notice?: NoticeName } & Record<string, string | number | null | undefined> = {},
  toast: Toast | undefined = notice && { notice },
): PageResponse & { kind: 'redirect' } {
  return { kind: 'redirect', to: pageUrl(path, parameters), ...(toast && { toast }) }
}
