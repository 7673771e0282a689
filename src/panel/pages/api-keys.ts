// /api_keys.php (§5.1): the API keys of a tenant. A new key is shown once, in the response to its form.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { type ApiKeyCreator, listApiKeyCreators } from '../../access/api-key-creators.ts'
import {
  type ApiKey,
  createApiKey,
  deleteApiKey,
  findApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../access/api-keys.ts'
import { type LastUse, listHours, listLastUses } from '../../access/usage-counter.ts'
import { hourMs } from '../../access/usage-table.ts'
import { listTenants } from '../../tenants/tenants.ts'
import {
  checkConfirmedPassword,
  confirmPasswordField,
  copyable,
  errorSummary,
  type FormErrors,
  form,
  hiddenField,
  messageFor,
  submitButton,
  textField,
} from '../components/forms.ts'
import { paginate, searchItems } from '../components/pagination.ts'
import { buttonRow, card, factList, relatedList, section } from '../components/sections.ts'
import { labelled, table } from '../components/table.ts'
import { usageChart } from '../components/usage-chart.ts'
import { formatDate, formatDateTime, formatNumber, resourceLabel, type Texts } from '../i18n/index.ts'
import {
  isAdministrator,
  PageError,
  type PageResponse,
  pageUrl,
  redirectTo,
  type SignedInRequest,
  type TenantRequest,
  toTenantRequest,
} from '../request.ts'

type ApiKeyRequest = TenantRequest & { baseParams: { tenant: string | undefined } }

export async function showApiKeys(request: SignedInRequest): Promise<PageResponse> {
  if (isAdministrator(request) && !request.query.has('tenant')) return chooseTenant(request)
  const keyRequest = await toApiKeyRequest(request)
  const id = request.query.get('key')
  return id === null ? keysPage(keyRequest) : keyPage(keyRequest, await requireKey(keyRequest, id))
}

export async function submitApiKeys(request: SignedInRequest): Promise<PageResponse> {
  const keyRequest = await toApiKeyRequest(request)
  const id = request.query.get('key')
  if (id === null) return create(keyRequest)
  const key = await requireKey(keyRequest, id)
  if (request.form.has('revoke')) return revoke(keyRequest, key)
  if (request.form.has('delete')) return remove(keyRequest, key)
  throw new PageError(400, 'bad_request')
}

async function toApiKeyRequest(request: SignedInRequest): Promise<ApiKeyRequest> {
  const tenantRequest = await toTenantRequest(request)
  const { slug } = tenantRequest.tenant
  return { ...tenantRequest, baseParams: { tenant: isAdministrator(request) ? slug : undefined } }
}

/** Throws a PageError with 404 if the tenant has no such key. */
async function requireKey({ deps, tenant }: ApiKeyRequest, id: string): Promise<ApiKey> {
  const key = await findApiKey(deps.catalog, tenant, id, deps.now())
  if (!key) throw new PageError(404, 'not_found')
  return key
}

async function create(request: ApiKeyRequest): Promise<PageResponse> {
  const { deps, tenant, form: sent, texts, origin } = request
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return keysPage(request, { passwordError: passwordError })
  const [name, expires, once] = ['name', 'expires', 'once'].map((each) => sent.get(each)?.trim() || undefined)
  try {
    const input = {
      name,
      scopes: sent.getAll('scope'),
      allScopes: deps.scopes,
      expiresAt: expires,
      keysPerTenant: deps.config.KEYS_PER_TENANT,
      ...(once && { idempotencyKey: `${request.session.id} ${once}` }),
    }
    const { token } = await createApiKey(deps.catalog, deps.pepper, tenant, input, origin)
    return createdPage(request, token)
  } catch (error) {
    return keysPage(request, { errorMessage: messageFor(texts, error) })
  }
}

async function revoke(request: ApiKeyRequest, key: ApiKey): Promise<PageResponse> {
  const { deps, tenant, baseParams, origin } = request
  await revokeApiKey(deps.catalog, key.id, origin, tenant)
  return redirectTo('api_keys.php', { ...baseParams, key: key.id, notice: 'revoked' })
}

async function remove(request: ApiKeyRequest, key: ApiKey): Promise<PageResponse> {
  const { deps, tenant, baseParams, origin } = request
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return keyPage(request, key, passwordError)
  await deleteApiKey(deps.catalog, key.id, origin, tenant)
  return redirectTo('api_keys.php', { ...baseParams, notice: 'deleted' })
}

async function chooseTenant(request: SignedInRequest): Promise<PageResponse> {
  const { texts, deps } = request
  const { found, form } = searchItems(request, await listTenants(deps.catalog), ({ slug, name }) => `${slug} ${name}`)
  const { shown, paging } = paginate(request, found)
  const items = shown.map(
    ({ slug, name }) =>
      html`<li><a href="${pageUrl('api_keys.php', { tenant: slug })}">${name}</a> <small>${slug}</small></li>`,
  )
  const body = html`<p>${texts.apiKeys.choose}</p>!${form}!${relatedList(items)}!${paging}`
  return { kind: 'page', title: texts.frame.apiKeys, body }
}

/** Shows the key, which appears only in this response, and an example request. */
function createdPage({ texts, baseParams, apiUrl, resources }: ApiKeyRequest, token: string): PageResponse {
  const [first] = resources
  const example = `curl -i '${apiUrl}/${first!.name}.php' -H 'Authorization: Bearer ${token}'`
  const body = html`<p class="lead">${texts.apiKeys.shownOnce}</p>!${copyable(texts, 'token', token)}
<h2>${texts.apiKeys.firstRequest}</h2>!${copyable(texts, 'request', example)}
<p class="actions">
<a class="button" href="${pageUrl('api_keys.php', baseParams)}">${texts.apiKeys.kept}</a>
<a href="docs">${texts.frame.reference}</a></p>`
  return { kind: 'page', title: texts.apiKeys.made, body }
}

async function keysPage(
  request: ApiKeyRequest,
  { errorMessage, passwordError }: FormErrors = {},
): Promise<PageResponse> {
  const { texts, deps, tenant, baseParams } = request
  const [keys, uses, creators] = await Promise.all([
    listApiKeys(deps.catalog, tenant, deps.now()),
    listLastUses(deps.catalog, tenant.id),
    listApiKeyCreators(deps.catalog, tenant.id),
  ])
  const lastUses = new Map(uses.map((each) => [each.key_id, each]))
  const list =
    keys.length === 0
      ? html`<p class="lead">${texts.apiKeys.empty}</p>`
      : keyTable(request, keys, { lastUses, creators })
  const createForm = form(request, pageUrl('api_keys.php', baseParams), createFields(request, passwordError))
  const body = list + card(texts.apiKeys.createTitle, errorSummary(errorMessage) + createForm)
  return { kind: 'page', title: texts.frame.apiKeys, body, status: errorMessage || passwordError ? 422 : 200 }
}

type KeyDetails = { lastUses: Map<string, LastUse>; creators: Map<string, ApiKeyCreator> }

function keyTable(request: ApiKeyRequest, keys: ApiKey[], { lastUses, creators }: KeyDetails): string {
  const { texts, baseParams } = request
  const labels = texts.apiKeys
  const { shown, paging } = paginate(request, keys)
  const rows = shown.map((key) => [
    html`<a href="${pageUrl('api_keys.php', { ...baseParams, key: key.id })}">${key.name}</a>`,
    html`<code>${key.display}</code>`,
    html`${key.scopes.join(', ')}`,
    showRateLimit(request, key),
    showKeyState(texts, key),
    showLastUse(texts, lastUses.get(key.id)),
    showCreator(request, creators.get(key.id)),
  ])
  const { name, key, scopes, rateLimit, state, lastUsed, madeBy } = labels
  const head = labelled(name, key, scopes, rateLimit, state, lastUsed, madeBy)
  return table({ head, rows, name: 'records' }) + paging
}

function showKeyState(texts: Texts, { state, expires_at }: ApiKey): string {
  const lastDay = expires_at === null ? null : new Date(Date.parse(expires_at) - 1).toISOString().slice(0, 10)
  const until = state === 'valid' && lastDay ? texts.tenants.until(formatDate(texts, lastDay)) : ''
  return html`<span class="state" data-state="${state}">${texts.apiKeys.states[state]}</span> <small>${until}</small>`
}

function showRateLimit({ texts, deps }: ApiKeyRequest, { rate_limit }: ApiKey): string {
  const { perMinute, unlimited, standard } = texts.apiKeys
  const limit = rate_limit ?? deps.config.RATE_LIMIT_PER_MINUTE
  const words = limit === 0 ? unlimited : perMinute(formatNumber(texts, limit))
  return html`${words} <small>${rate_limit === null ? standard : ''}</small>`
}

function showLastUse(texts: Texts, use: LastUse | undefined): string {
  if (!use) return html`<span class="none">${texts.never}</span>`
  const time = html`<time datetime="${use.last_used_at}">${formatDateTime(texts, use.last_used_at)}</time>`
  return html`!${time} <small>${use.last_used_from}</small>`
}

/** Managers do not see the email addresses of administrators. */
function showCreator(request: ApiKeyRequest, creator: ApiKeyCreator | undefined): string {
  const { texts } = request
  if (!creator) return html`${texts.events.commandLine}`
  const isHidden = creator.role === 'administrator' && !isAdministrator(request)
  const name = isHidden ? texts.roles.administrator : creator.email
  if (creator.state === 'active') return html`${name}`
  return html`${name} <span class="state" data-state="revoked">${texts.apiKeys.makers[creator.state]}</span>`
}

function createFields(request: ApiKeyRequest, passwordError: string | undefined): string {
  const { texts, form: sent } = request
  const labels = texts.apiKeys
  const [name, expires] = [sent.get('name') ?? '', sent.get('expires') ?? '']
  return html`!${hiddenField('once', randomUUID())}
<div class="grid">
!${textField({ name: 'name', label: labels.name, value: name, hint: labels.nameHint })}
!${textField({ name: 'expires', label: labels.expires, type: 'date', value: expires, hint: labels.expiresHint })}
!${confirmPasswordField(request, passwordError)}
</div>
!${scopeMatrix(request)}
!${buttonRow(submitButton(labels.create, { kind: 'main' }))}`
}

/** A checkbox for every scope: one row per resource, one column per action. */
function scopeMatrix(request: ApiKeyRequest): string {
  const { texts, deps } = request
  const { scopes } = deps
  const [names, actions] = [0, 1].map((at) => [...new Set(scopes.map((scope) => scope.split(':')[at]!))])
  const rows = names!.map((name) => {
    const label = name === '*' ? texts.apiKeys.everything : resourceLabel(texts, name).many
    const cells = actions!.map((action) => {
      const scope = `${name}:${action}`
      return scopes.includes(scope) ? scopeCell(request, scope, label, actionLabel(texts, action)) : '<td></td>'
    })
    return html`<tr><th scope="row">${label}</th>!${cells}</tr>`
  })
  const heads = actions!.map((action) => html`<th scope="col">${actionLabel(texts, action)}</th>`)
  return html`<fieldset><legend>${texts.apiKeys.mayDo}</legend><p class="hint">${texts.apiKeys.writeHint}</p>
<div class="scroll"><table class="matrix">
<thead><tr><td></td>!${heads}</tr></thead>
<tbody>!${rows}</tbody>
</table></div></fieldset>`
}

function scopeCell({ form: sent }: ApiKeyRequest, scope: string, resource: string, action: string): string {
  const checked = sent.getAll('scope').includes(scope) ? ' checked' : ''
  const label = `${resource}: ${action}`
  return html`<td><label>
<input type="checkbox" name="scope" value="${scope}" aria-label="${label}"!${checked}><span>${action}</span>
</label></td>`
}

function actionLabel(texts: Texts, action: string): string {
  return (texts.apiKeys.words as Record<string, string>)[action] ?? action
}

/** The usage chart covers this period. */
const shownHours = 7 * 24

async function keyPage(request: ApiKeyRequest, key: ApiKey, passwordError?: string): Promise<PageResponse> {
  const { texts, deps, baseParams, tenant } = request
  const since = new Date(deps.now().getTime() - (shownHours - 1) * hourMs)
  const hours = await listHours(deps.catalog, { tenantId: tenant.id, keyId: key.id, since })
  const activity = pageUrl('activity.php', { ...baseParams, by: `key:${key.id}` })
  const body = html`!${await keyFacts(request, key)}
!${section(texts.usage.lastDays, usageChart(texts, hours, shownHours, deps.now()))}
<div class="columns">
!${key.state === 'valid' ? card(texts.apiKeys.revoke, revokeForm(request, key)) : ''}
!${card(texts.apiKeys.delete, deleteForm(request, key, passwordError))}
</div>
<p><a href="${pageUrl('api_keys.php', baseParams)}">${texts.frame.apiKeys}</a> ·
<a href="${activity}">${texts.frame.activity}</a></p>`
  return { kind: 'page', title: key.name, body, status: passwordError ? 422 : 200 }
}

async function keyFacts(request: ApiKeyRequest, key: ApiKey): Promise<string> {
  const { texts, deps, tenant } = request
  const [uses, creators] = await Promise.all([
    listLastUses(deps.catalog, tenant.id),
    listApiKeyCreators(deps.catalog, tenant.id),
  ])
  const lastUse = uses.find(({ key_id }) => key_id === key.id)
  return factList([
    [texts.apiKeys.state, showKeyState(texts, key)],
    [texts.apiKeys.key, html`<code>${key.display}</code>`],
    [texts.apiKeys.scopes, html`${key.scopes.join(', ')}`],
    [texts.apiKeys.rateLimit, showRateLimit(request, key)],
    [texts.records.createdAt, html`${formatDateTime(texts, key.created_at)}`],
    [texts.apiKeys.madeBy, showCreator(request, creators.get(key.id))],
    [texts.apiKeys.lastUsed, showLastUse(texts, lastUse)],
  ])
}

function revokeForm(request: ApiKeyRequest, key: ApiKey): string {
  const { revokeHelp, revoke } = request.texts.apiKeys
  const button = submitButton(revoke, { name: 'revoke' })
  return form(request, keyUrl(request, key), html`<p>${revokeHelp}</p>!${buttonRow(button)}`)
}

function deleteForm(request: ApiKeyRequest, key: ApiKey, passwordError: string | undefined): string {
  const { deleteHelp, delete: label } = request.texts.apiKeys
  const confirm = confirmPasswordField(request, passwordError)
  const button = submitButton(label, { name: 'delete', kind: 'danger' })
  return form(request, keyUrl(request, key), html`<p>${deleteHelp}</p>!${confirm}!${buttonRow(button)}`)
}

function keyUrl({ baseParams }: ApiKeyRequest, { id }: ApiKey): string {
  return pageUrl('api_keys.php', { ...baseParams, key: id })
}
