// What a page handler returns or throws.

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
      /** The body has the heading itself, in a toolbar or the head of a record. */
      hasHead?: true
      body: string
      status?: number
      /** Without scripts, the page is loaded again after this time. */
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
      /** What the next page confirms. */
      toast?: Toast
      /** What this browser remembers: the height of rows, and language and theme where nobody has signed in. */
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

/** The user may not see this page or tenant, which is audited. The response is the same 404 as if it did not exist, or
 *  a 403 with the reason for a viewer of the tenant. */
export class AccessDenied extends PageError {
  readonly slug: string | undefined

  constructor(slug?: string, reason: 'not_found' | 'read_only' = 'not_found') {
    super(reason === 'not_found' ? 404 : 403, reason)
    this.slug = slug
  }
}

/** The URL names no tenant and the user has several: a page lets them choose. */
export class TenantNeeded extends PageError {
  constructor() {
    super(400, 'bad_request')
  }
}

/** Redirects after a form succeeded. The next page shows the toast; `notice` is one with a fixed text. */
export function redirectTo(
  path: string,
  { notice, ...parameters }: { notice?: NoticeName } & Record<string, string | number | null | undefined> = {},
  toast: Toast | undefined = notice && { notice },
): PageResponse & { kind: 'redirect' } {
  return { kind: 'redirect', to: pageUrl(path, parameters), ...(toast && { toast }) }
}
