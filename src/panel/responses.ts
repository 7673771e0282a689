// The responses and errors of page handlers.

import type { Readable } from 'node:stream'
import type { RefusalName } from './i18n/index.ts'
import type { NoticeName, Toast } from './toasts.ts'
import { pageUrl } from './urls.ts'

export type PageResponse =
  | {
      kind: 'page'
      /** Plain text. */
      title: string
      /** HTML shown instead of the title above the page. */
      heading?: string
      /** The body contains the heading, in a toolbar or the head of a record. */
      hasHead?: true
      body: string
      status?: number
      /** Without scripts, the browser reloads the page after this time. */
      refreshSeconds?: number
    }
  /** A file to download. */
  | { kind: 'file'; body: Readable; headers: Record<string, string> }
  /** Part of a page, requested by panel.js. */
  | { kind: 'fragment'; body: string }
  | {
      kind: 'redirect'
      to: string
      /** The token of a new session, or null to sign out. */
      session?: string | null
      /** The cookie of a known device. */
      device?: string | undefined
      /** The message that the next page shows. */
      toast?: Toast
      /** To keep in this browser: the row height, and before sign-in the language and theme. */
      preferences?: { language?: string; theme?: string; rows?: string }
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

/** The user may not open this page or tenant, or change it. The refusal is audited. The response is the same 404 as for
 *  a page that does not exist, or a 403 with the reason if the user is a viewer of the tenant. */
export class AccessDenied extends PageError {
  readonly slug: string | undefined

  constructor(slug?: string, reason: 'not_found' | 'read_only' = 'not_found') {
    super(reason === 'not_found' ? 404 : 403, reason)
    this.slug = slug
  }
}

/** The URL names no tenant, and the user can open several: the panel then lets them choose one. */
export class TenantNeeded extends PageError {
  constructor() {
    super(400, 'bad_request')
  }
}

/** Redirects to a page, usually after a form succeeded. The page shows the toast. `notice`: the name of a fixed
 *  text. */
export function redirectTo(
  path: string,
  { notice, ...parameters }: { notice?: NoticeName } & Record<string, string | number | null | undefined> = {},
  toast: Toast | undefined = notice && { notice },
): PageResponse & { kind: 'redirect' } {
  return { kind: 'redirect', to: pageUrl(path, parameters), ...(toast && { toast }) }
}
