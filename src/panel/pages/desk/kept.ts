// A form that was sent after its session had ended is filled in again.

import { html } from 'ghtml'
import { takeKeptForm } from '../../kept-form.ts'
import type { TenantRequest } from '../../request.ts'

/** The request with the form, and what to say about it; the request as it is if there is none. */
export function withKeptForm(request: TenantRequest): { request: TenantRequest; notice?: string } {
  const form = takeKeptForm(request)
  return form ? { request: { ...request, form }, notice: request.texts.recordPages.kept.filledIn } : { request }
}

export function noticeOf(text: string | undefined): string {
  return text === undefined ? '' : html`<p class="notice" role="status">${text}</p>`
}
