// Relative URLs of the panel's pages, and links to records.

import { html } from 'ghtml'
import type { TenantRequest } from './requests/request.ts'

/** Builds a relative panel URL. Empty parameters are omitted. */
export function pageUrl(path: string, parameters: Record<string, string | number | null | undefined> = {}): string {
  const search = new URLSearchParams(withoutEmpty(parameters)).toString()
  return `${path || './'}${search && `?${search}`}`
}

/** Returns the path if it is a panel page other than sign-in or sign-out; otherwise returns the home page. This
 *  prevents redirects to other sites, and characters that a Location header cannot contain. */
export function safePagePath(path: string): string {
  return /^([a-z_]+\.php|\.\/)(\?[!"$-~]*)?$/.test(path) && !/^log(in|out)\.php/.test(path) ? path : './'
}

export function recordUrl({ baseParams }: TenantRequest, resource: string, id: number): string {
  return pageUrl('records.php', { tenant: baseParams.tenant, resource, id, as_of: baseParams.as_of })
}

/** Renders a record's title as a link to its page. */
export function linkRecord(request: TenantRequest, resource: string, id: number, title: string): string {
  return html`<a href="${recordUrl(request, resource, id)}"><bdi>${title}</bdi></a>`
}

/** The list of a resource's records. `parameters`: its filters and order, or `new` for the form that adds a record. */
export function listUrl(
  { baseParams }: TenantRequest,
  resource: string,
  parameters: Record<string, string | number | null | undefined> = {},
): string {
  return pageUrl('records.php', { ...baseParams, resource, ...parameters })
}

/** The page with the changes of one change set, which can be undone there. */
export function changeSetUrl({ baseParams }: TenantRequest, changeSet: string): string {
  return pageUrl('activity.php', { tenant: baseParams.tenant, change_set: changeSet })
}

/** Leaves out empty parameters. */
export function withoutEmpty(parameters: Record<string, string | number | null | undefined>): Record<string, string> {
  const entries = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}
