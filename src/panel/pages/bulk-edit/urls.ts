// Links from the bulk edit pages back to the list in which the user selected the records.

import { html } from 'ghtml'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'

/** Returns the list's own parameters, except `cursor`. Parameters that every page has are left out. */
export function listParamsOf({ query }: RecordRequest): Record<string, string> {
  const reserved = ['tenant', 'resource', 'notice', 'cursor']
  const params = [...new URLSearchParams(query.get('back') ?? '')]
  return Object.fromEntries(params.filter(([name]) => !reserved.includes(name)))
}

export function listUrl(request: RecordRequest): string {
  return pageUrl('records.php', { ...request.baseParams, ...listParamsOf(request) })
}

export function listLink(request: RecordRequest, label = request.texts.cancel): string {
  return html`<a href="${listUrl(request)}">${label}</a>`
}
