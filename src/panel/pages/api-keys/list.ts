// The list of a tenant's API keys with their usage, the form that creates a key, and the page that shows a new key.

import { html } from 'ghtml'
import { listApiKeyCreators } from '../../../access/api-key-creators.ts'
import { listApiKeys } from '../../../access/api-keys.ts'
import { type HourOfUse, listHours, listLastUses } from '../../../access/request-counts.ts'
import { shownHours, usageChart, usageSince } from '../../components/charts/usage-chart.ts'
import {
  confirmPasswordField,
  copyable,
  form,
  onceField,
  submitButton,
  textField,
} from '../../components/forms/forms.ts'
import { listPage } from '../../components/lists/list-page.ts'
import { labelColumns } from '../../components/lists/table.ts'
import { buttonRow, section } from '../../components/sections.ts'
import { formatNumber, ownText, subjectLabel, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { FormErrors } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showCreator, showKeyState, showLastUse, showRateLimit } from './show-key.ts'

export async function keysPage(request: TenantRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps, tenant, baseParams } = request
  const [keys, uses, creators] = await Promise.all([
    listApiKeys(deps.catalog, tenant, deps.now()),
    listLastUses(deps.catalog, tenant.id),
    listApiKeyCreators(deps.catalog, tenant.id),
  ])
  const lastUses = new Map(uses.map((each) => [each.key_id, each]))
  const { name, key, scopes, rateLimit, state, lastUsed, createdBy, empty, createTitle } = texts.apiKeys
  const createForm = form(request, pageUrl('api_keys.php', baseParams), createFields(request, errors.passwordError))
  return listPage(request, {
    title: texts.frame.apiKeys,
    icon: 'key',
    items: keys,
    searchText: (each) => `${each.name} ${each.display}`,
    head: labelColumns(name, key, scopes, rateLimit, state, lastUsed, createdBy),
    row: (each) => [
      html`<a dir="auto" href="${pageUrl('api_keys.php', { ...baseParams, key: each.id })}">${each.name}</a>`,
      html`<span class="code">${each.display}</span>`,
      html`<span title="${each.scopes.join(', ')}">${each.scopes.join(', ')}</span>`,
      showRateLimit(request, each),
      showKeyState(texts, each),
      showLastUse(texts, lastUses.get(each.id)),
      showCreator(request, creators.get(each.id)),
    ],
    empty,
    add: { label: createTitle, form: createForm, errors },
    more: await showTenantUsage(request),
  })
}

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

function createFields(request: TenantRequest, passwordError: string | undefined): string {
  const { texts, form: formValues } = request
  const labels = texts.apiKeys
  const [name, expires] = [formValues.get('name') ?? '', formValues.get('expires') ?? '']
  return html`!${onceField()}
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
  return html`<fieldset><legend>${texts.apiKeys.scopes}</legend>
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
  return ownText(texts.apiKeys.words, action) ?? action
}

async function showTenantUsage(request: TenantRequest): Promise<string> {
  const { texts, deps, tenant } = request
  const hours = await listHours(deps.catalog, { tenantId: tenant.id, since: usageSince(deps.now()) })
  const chart = usageChart(texts, hours, shownHours, deps.now())
  return section(texts.usage.lastDay, chart + showLimit(request, hours))
}

/** Shows the default rate limit, and how many requests were rejected in the current hour. Returns an empty string if
 *  there is no default limit. */
function showLimit({ texts, deps }: TenantRequest, hours: HourOfUse[]): string {
  const limit = deps.config.RATE_LIMIT_PER_MINUTE
  if (limit === 0) return ''
  const currentHour = deps.now().toISOString().slice(0, 13)
  const limited = hours.find(({ hour }) => hour.startsWith(currentHour))?.limited ?? 0
  return html`<p class="hint">${texts.usage.limit(limit, formatNumber(texts, limited))}</p>`
}
