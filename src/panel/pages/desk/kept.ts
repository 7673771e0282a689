// Restores a form that was submitted after its session had ended.

import { html } from 'ghtml'
import { takeKeptForm } from '../../kept-form.ts'
import type { TenantRequest } from '../../request.ts'

/** Returns the request with the kept form and a notice about it. If there is no kept form, returns the request
 *  unchanged. */
export function withKeptForm(request: TenantRequest): { request: TenantRequest; notice?: string } {
  const form = takeKeptForm(request)
  return form ? { request: { ...request, form }, notice: request.texts.recordPages.kept.filledIn } : { request }
}

export function noticeOf(text: string | undefined): string {
  return text === undefined ? '' : html`<p class="notice" role="status">${text}</p>`
}
