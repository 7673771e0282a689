// The attributes with which drafts.js keeps the input of a form until it is saved.

import { html } from 'ghtml'
import type { TenantRequest } from '../request.ts'

/** `name`: unique among the forms of the tenant. `isSubmitted`: whether the form shows submitted values, which a draft
 *  must not replace, instead of stored ones. */
export function draftAttributes({ session, tenant, texts }: TenantRequest, name: string, isSubmitted: boolean): string {
  const key = `${session.user.id} ${tenant.slug} ${name}`
  if (isSubmitted) return html` data-draft="${key}"`
  const { restored, discard } = texts.recordPages.draft
  return html` data-draft="${key}" data-restore data-restored="${restored}" data-discard="${discard}"`
}
