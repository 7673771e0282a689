// HTML attributes for drafts.js, which keeps a form's input until the form is saved.

import { html } from 'ghtml'
import type { TenantRequest } from '../../requests/request.ts'

/** `name`: unique among the tenant's forms. `isSubmitted`: whether the form shows submitted values instead of stored
 *  ones. A draft must not replace submitted values. */
export function draftAttributes({ session, tenant, texts }: TenantRequest, name: string, isSubmitted: boolean): string {
  const key = `${session.user.id} ${tenant.slug} ${name}`
  if (isSubmitted) return html` data-draft="${key}"`
  const { restored, discard } = texts.recordPages.draft
  return html` data-draft="${key}" data-restore data-restored="${restored}" data-discard="${discard}"`
}
