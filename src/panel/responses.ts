// What a page handler returns or throws.

import type { Readable } from 'node:stream'
import type { RefusalName } from './i18n/index.ts'
import { pageUrl } from './urls.ts'

export type PageResponse =
  /** `title` is plain text. `heading` is HTML shown instead of the title above the page. Without scripts,
   *  the page is loaded again after `refreshSeconds`. */
  | { kind: 'page'; title: string; heading?: string; body: string; status?: number; refreshSeconds?: number }
  /** A file to download. */
  | { kind: 'file'; body: Readable; headers: Record<string, string> }
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

/** The user may not see this page or tenant, which is audited. The response is the same 404 as if it did not exist, or
 *  a 403 with the reason for a viewer of the tenant. */
export class AccessDenied extends PageError {
  readonly slug: string | undefined

  constructor(slug?: string, reason: 'not_found' | 'read_only' = 'not_found') {
    super(reason === 'not_found' ? 404 : 403, reason)
    this.slug = slug
  }
}

/** The address names no tenant, and the user has several: a page offers them. */
export class TenantNeeded extends PageError {
  constructor() {
    super(400, 'bad_request')
  }
}

/** Redirects after a form succeeded. `notice` names the message that the next page shows. */
export function redirectTo(
  path: string,
  parameters: Record<string, string | number | null | undefined> = {},
): PageResponse {
  return { kind: 'redirect', to: pageUrl(path, parameters) }
}
