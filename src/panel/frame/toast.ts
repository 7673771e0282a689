// Renders the message that confirms the last form submitted. The message appears above the page, with an optional link
// and Undo button.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { hiddenField } from '../components/forms/forms.ts'
import { icon } from '../components/icons.ts'
import type { PageRequest } from '../requests/request.ts'
import { pageUrl } from '../urls.ts'
import type { Place } from './place.ts'

export function toastOf(request: PageRequest, place: Place | null): string {
  const { toast, texts } = request
  if (!toast) return ''
  const text = toast.notice === undefined ? (toast.text ?? '') : texts.notices[toast.notice]
  const link = toast.link ? html`<a href="${toast.link.to}">${toast.link.label}</a>` : ''
  return html`<div class="toast" role="status">!${icon('ok')}<p>${text}</p>!${link}!${undoForm(request, place)}
<button type="button" data-dismiss hidden aria-label="${texts.layout.dismiss}">!${icon('close')}</button></div>`
}

function undoForm({ toast, texts, csrfToken }: PageRequest, place: Place | null): string {
  if (!toast?.changeSet || !place?.canWrite) return ''
  const action = pageUrl('activity.php', { ...place.params, change_set: toast.changeSet })
  return html`<form method="post" action="${action}">!${hiddenField('form_token', csrfToken)}
!${hiddenField('once', randomUUID())}<button class="link">${texts.layout.undo}</button></form>`
}
