// The page for one API key: its facts, its usage, and the forms that revoke or delete the key.

import { html } from 'ghtml'
import { listApiKeyCreators } from '../../../access/api-key-creators.ts'
import { type ApiKey, findApiKey } from '../../../access/api-keys.ts'
import { listHours, listLastUses } from '../../../access/request-counts.ts'
import { usageChart, usageSince } from '../../components/charts/usage-chart.ts'
import { confirmPasswordField, errorSummary, form, submitButton } from '../../components/forms/forms.ts'
import { icon } from '../../components/icons.ts'
import { buttonRow, card, dangerCard, factList, pageHead } from '../../components/sections.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { type FormErrors, statusFor } from '../../requests/submit.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showCreator, showKeyState, showLastUse, showRateLimit } from './show-key.ts'

/** The usage chart covers the last week. */
const keyHours = 7 * 24

/** Throws a PageError with 404 if the tenant has no such key. */
export async function requireKeyOfTenant({ deps, tenant }: TenantRequest, id: string): Promise<ApiKey> {
  const key = await findApiKey(deps.catalog, tenant, id, deps.now())
  if (!key) throw new PageError(404, 'not_found')
  return key
}

export async function keyPage(request: TenantRequest, id: string, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps, baseParams, tenant } = request
  const key = await requireKeyOfTenant(request, id)
  const since = usageSince(deps.now(), keyHours)
  const hours = await listHours(deps.catalog, { tenantId: tenant.id, keyId: key.id, since })
  const activity = pageUrl('activity.php', { ...baseParams, by: `key:${key.id}` })
  const head = pageHead({
    crumbs: [[pageUrl('api_keys.php', baseParams), texts.frame.apiKeys]],
    icon: 'key',
    title: key.name,
    badges: showKeyState(texts, key),
    about: html`<code>${key.display}</code>`,
    actions: [html`<a class="button" href="${activity}">!${icon('activity')}${texts.frame.activity}</a>`],
  })
  const body = html`!${head}!${errorSummary(errors.errorMessage)}<div class="columns main-aside">
<div>!${card(texts.usage.lastDays, usageChart(texts, hours, keyHours, deps.now()))}
!${key.state === 'valid' ? card(texts.apiKeys.revoke, revokeForm(request, key)) : ''}
!${deleteCard(request, key, errors.passwordError)}</div>
!${card(texts.records.details, await keyFacts(request, key))}
</div>`
  return { kind: 'page', title: key.name, bodyHasHeading: true, body, status: statusFor(errors) }
}

async function keyFacts(request: TenantRequest, key: ApiKey): Promise<string> {
  const { texts, deps, tenant } = request
  const [uses, creators] = await Promise.all([
    listLastUses(deps.catalog, tenant.id),
    listApiKeyCreators(deps.catalog, tenant.id),
  ])
  const lastUse = uses.find(({ key_id }) => key_id === key.id)
  return factList([
    [texts.apiKeys.scopes, html`${key.scopes.join(', ')}`],
    [texts.apiKeys.rateLimit, showRateLimit(request, key)],
    [texts.records.createdAt, html`${formatDateTime(texts, key.created_at)}`],
    [texts.apiKeys.createdBy, showCreator(request, creators.get(key.id))],
    [texts.apiKeys.lastUsed, showLastUse(texts, lastUse)],
  ])
}

function revokeForm(request: TenantRequest, key: ApiKey): string {
  const { revokeHelp, revoke } = request.texts.apiKeys
  const button = submitButton(revoke, { name: 'revoke' })
  return form(request, keyUrl(request, key), html`<p>${revokeHelp}</p>!${buttonRow(button)}`)
}

function deleteCard(request: TenantRequest, key: ApiKey, passwordError: string | undefined): string {
  const { deleteQuestion, delete: action, deleteNow: button } = request.texts.apiKeys
  const password = confirmPasswordField(request, passwordError)
  const [question, url] = [deleteQuestion(key.name), keyUrl(request, key)]
  return dangerCard(request, { action, question, url, button, name: 'delete', password })
}

function keyUrl({ baseParams }: TenantRequest, { id }: ApiKey): string {
  return pageUrl('api_keys.php', { ...baseParams, key: id })
}
