// What drafts.js needs to keep what is typed into a form until it is saved.

import { html } from 'ghtml'
import type { TenantRequest } from '../request.ts'

/** `name`: unique among the forms of the tenant. `isSent`: the form shows what was submitted, and no stored values that
 *  a draft may replace. */
export function draftAttributes({ session, tenant, texts }: TenantRequest, name: string, isSent: boolean): string {
  const key = `${session.user.id} ${tenant.slug} ${name}`
  if (isSent) return html` data-draft="${key}"`
  const { restored, discard } = texts.recordPages.draft
  return html` data-draft="${key}" data-restore data-restored="${restored}" data-discard="${discard}"`
}
