// The form that creates an API key, and the page that shows the new key once.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { confirmPasswordField, copyable, hiddenField, submitButton, textField } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { subjectLabel, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'

/** Shows the key, which appears only in this response, and an example request. */
export function createdPage({ texts, baseParams, apiUrl, resources }: TenantRequest, token: string): PageResponse {
  const [first] = resources
  const example = `curl -i '${apiUrl}/${first!.name}.php' -H 'Authorization: Bearer ${token}'`
  const body = html`<p class="lead">${texts.apiKeys.shownOnce}</p>!${copyable(texts, 'token', token)}
<h2>${texts.apiKeys.firstRequest}</h2>!${copyable(texts, 'request', example)}
<p class="actions">
<a class="button" href="${pageUrl('api_keys.php', baseParams)}">${texts.apiKeys.copied}</a>
<a href="docs">${texts.frame.reference}</a></p>`
  return { kind: 'page', title: texts.apiKeys.createdTitle, body }
}

export function createFields(request: TenantRequest, passwordError: string | undefined): string {
  const { texts, form: formValues } = request
  const labels = texts.apiKeys
  const [name, expires] = [formValues.get('name') ?? '', formValues.get('expires') ?? '']
  return html`!${hiddenField('once', randomUUID())}
<div class="grid">
!${textField({ name: 'name', label: labels.name, value: name, hint: labels.nameHint })}
!${textField({ name: 'expires', label: labels.expires, type: 'date', value: expires, hint: labels.expiresHint })}
!${confirmPasswordField(request, passwordError)}
</div>
!${scopeMatrix(request)}
!${buttonRow(submitButton(labels.create, { kind: 'main' }))}`
}

/** Renders a checkbox for every scope, in one row per resource and one column per action. */
function scopeMatrix(request: TenantRequest): string {
  const { texts, deps } = request
  const { scopes } = deps
  const [names, actions] = [0, 1].map((index) => [...new Set(scopes.map((scope) => scope.split(':')[index]!))])
  const rows = names!.map((name) => {
    const label = name === '*' ? texts.apiKeys.everything : subjectLabel(texts, name)
    const cells = actions!.map((action) => {
      const scope = `${name}:${action}`
      return scopes.includes(scope) ? scopeCell(request, scope, label, actionLabel(texts, action)) : '<td></td>'
    })
    return html`<tr><th scope="row">${label}</th>!${cells}</tr>`
  })
  const heads = actions!.map((action) => html`<th scope="col">${actionLabel(texts, action)}</th>`)
  return html`<fieldset><legend>${texts.apiKeys.permissions}</legend>
<p class="hint">${texts.apiKeys.writeHint} ${texts.apiKeys.grantsHint}</p>
<div class="scroll"><table class="matrix">
<thead><tr><td></td>!${heads}</tr></thead>
<tbody>!${rows}</tbody>
</table></div></fieldset>`
}

function scopeCell({ form: formValues }: TenantRequest, scope: string, resource: string, action: string): string {
  const checked = formValues.getAll('scope').includes(scope) ? ' checked' : ''
  const label = `${resource}: ${action}`
  return html`<td><label>
<input type="checkbox" name="scope" value="${scope}" aria-label="${label}"!${checked}><span>${action}</span>
</label></td>`
}

function actionLabel(texts: Texts, action: string): string {
  return (texts.apiKeys.words as Record<string, string>)[action] ?? action
}
