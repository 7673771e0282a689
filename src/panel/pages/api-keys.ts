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
import { allScopes } from '../../access/scopes.ts'
import { type LastUse, listHours, listLastUses } from '../../access/usage-counter.ts'
import { hourMs } from '../../access/usage-table.ts'
import { listTenants, type Tenant } from '../../tenants/tenants.ts'
import {
  checkConfirmedPassword,
  confirmPasswordField,
  copyable,
  errorSummary,
  form,
  messageFor,
  textField,
} from '../components/forms.ts'
import { paginate, searchItems } from '../components/pagination.ts'
import { usageChart } from '../components/usage-chart.ts'
import { formatDate, formatDateTime, resourceLabel, type Texts } from '../i18n/index.ts'
import {
  isAdministrator,
  PageError,
  type PageResponse,
  pageUrl,
  redirectTo,
  requireTenantOfRequest,
  type SignedInRequest,
} from '../request.ts'

type ApiKeyRequest = SignedInRequest & { tenant: Tenant; baseParams: { tenant: string | undefined } }

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
  const tenant = await requireTenantOfRequest(request)
  return { ...request, tenant, baseParams: { tenant: isAdministrator(request) ? tenant.slug : undefined } }
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
      allScopes: allScopes(deps.resources),
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
  const body = html`<p>${texts.apiKeys.choose}</p>!${form}<ul class="related">!${items.join('')}</ul>!${paging}`
  return { kind: 'page', title: texts.frame.apiKeys, body }
}

/** Shows the key, which appears only in this response, and an example request. */
function createdPage({ texts, baseParams, apiUrl, deps }: ApiKeyRequest, token: string): PageResponse {
  const [first] = deps.resources
  const example = `curl -i '${apiUrl}/${first!.name}.php' -H 'Authorization: Bearer ${token}'`
  const body = html`<p class="lead">${texts.apiKeys.shownOnce}</p>!${copyable(texts, 'token', token)}
<h2>${texts.apiKeys.firstRequest}</h2>!${copyable(texts, 'request', example)}
<p class="actions"><a class="button" href="${pageUrl('api_keys.php', baseParams)}">${texts.apiKeys.kept}</a> <a href="docs">${texts.frame.reference}</a></p>`
  return { kind: 'page', title: texts.apiKeys.made, body }
}

type FormErrors = { errorMessage?: string; passwordError?: string }

async function keysPage(
  request: ApiKeyRequest,
  { errorMessage, passwordError }: FormErrors = {},
): Promise<PageResponse> {
  const { texts, deps, tenant, baseParams } = request
  const [keys, uses, makers] = await Promise.all([
    listApiKeys(deps.catalog, tenant, deps.now()),
    listLastUses(deps.catalog, tenant.id),
    listApiKeyCreators(deps.catalog, tenant.id),
  ])
  const used = new Map(uses.map((each) => [each.key_id, each]))
  const list =
    keys.length === 0 ? html`<p class="lead">${texts.apiKeys.empty}</p>` : keyTable(request, keys, { used, makers })
  const body = html`!${list}<section class="card"><h2>${texts.apiKeys.createTitle}</h2>!${errorSummary(errorMessage)}!${form(request, pageUrl('api_keys.php', baseParams), createFields(request, passwordError))}</section>`
  return { kind: 'page', title: texts.frame.apiKeys, body, status: errorMessage || passwordError ? 422 : 200 }
}

type AboutKeys = { used: Map<string, LastUse>; makers: Map<string, ApiKeyCreator> }

function keyTable(request: ApiKeyRequest, keys: ApiKey[], { used, makers }: AboutKeys): string {
  const { texts, baseParams } = request
  const labels = texts.apiKeys
  const { shown, paging } = paginate(request, keys)
  const heads = [labels.name, labels.key, labels.scopes, labels.state, labels.lastUsed, labels.madeBy]
  const rows = shown.map(
    (key) =>
      html`<tr><th scope="row"><a href="${pageUrl('api_keys.php', { ...baseParams, key: key.id })}">${key.name}</a></th><td data-label="${labels.key}"><code>${key.display}</code></td><td data-label="${labels.scopes}">${key.scopes.join(', ')}</td><td data-label="${labels.state}">!${showKeyState(texts, key)}</td><td data-label="${labels.lastUsed}">!${showLastUse(texts, used.get(key.id))}</td><td data-label="${labels.madeBy}">!${showMaker(request, makers.get(key.id))}</td></tr>`,
  )
  return html`<table class="records"><thead><tr>!${heads.map((each) => html`<th scope="col">${each}</th>`).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table>!${paging}`
}

function showKeyState(texts: Texts, { state, expires_at }: ApiKey): string {
  const lastDay = expires_at === null ? null : new Date(Date.parse(expires_at) - 1).toISOString().slice(0, 10)
  const until = state === 'valid' && lastDay ? texts.tenants.until(formatDate(texts, lastDay)) : ''
  return html`<span class="state" data-state="${state}">${texts.apiKeys.states[state]}</span> <small>${until}</small>`
}

function showLastUse(texts: Texts, use: LastUse | undefined): string {
  if (!use) return html`<span class="none">${texts.never}</span>`
  return html`<time datetime="${use.last_used_at}">${formatDateTime(texts, use.last_used_at)}</time> <small>${use.last_used_from}</small>`
}

/** Managers do not see the email addresses of administrators. */
function showMaker(request: ApiKeyRequest, maker: ApiKeyCreator | undefined): string {
  const { texts } = request
  if (!maker) return html`${texts.events.commandLine}`
  const isHidden = maker.role === 'administrator' && !isAdministrator(request)
  const name = isHidden ? texts.roles.administrator : maker.email
  const mark =
    maker.state === 'active'
      ? ''
      : html` <span class="state" data-state="revoked">${texts.apiKeys.makers[maker.state]}</span>`
  return html`${name}!${mark}`
}

function createFields(request: ApiKeyRequest, passwordError: string | undefined): string {
  const { texts, form: sent } = request
  return html`<input type="hidden" name="once" value="${randomUUID()}">
<div class="grid">!${textField({ name: 'name', label: texts.apiKeys.name, value: sent.get('name') ?? '', hint: texts.apiKeys.nameHint })}
!${textField({ name: 'expires', label: texts.apiKeys.expires, type: 'date', value: sent.get('expires') ?? '', hint: texts.apiKeys.expiresHint })}
!${confirmPasswordField(request, passwordError)}</div>
!${scopeMatrix(request)}
<p class="actions"><button class="main">${texts.apiKeys.create}</button></p>`
}

/** A checkbox for every scope: one row per resource, one column per action. */
function scopeMatrix({ texts, deps, form: sent }: ApiKeyRequest): string {
  const scopes = allScopes(deps.resources).map((scope) => scope.split(':') as [string, string])
  const [names, words] = [0, 1].map((at) => [...new Set(scopes.map((pair) => pair[at]!))]) as [string[], string[]]
  const chosen = new Set(sent.getAll('scope'))
  const rows = names.map((name) => {
    const label = name === '*' ? texts.apiKeys.everything : resourceLabel(texts, name).many
    const cells = words.map((word) => {
      const scope = `${name}:${word}`
      if (!scopes.some(([a, b]) => a === name && b === word)) return '<td></td>'
      const wordLabel = (texts.apiKeys.words as Record<string, string>)[word] ?? word
      return html`<td><label><input type="checkbox" name="scope" value="${scope}" aria-label="${label}: ${wordLabel}"!${chosen.has(scope) ? ' checked' : ''}><span>${wordLabel}</span></label></td>`
    })
    return html`<tr><th scope="row">${label}</th>!${cells.join('')}</tr>`
  })
  const heads = words.map(
    (word) => html`<th scope="col">${(texts.apiKeys.words as Record<string, string>)[word] ?? word}</th>`,
  )
  return html`<fieldset><legend>${texts.apiKeys.mayDo}</legend><p class="hint">${texts.apiKeys.writeHint}</p><div class="scroll"><table class="matrix"><thead><tr><td></td>!${heads.join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table></div></fieldset>`
}

/** The usage chart covers this period. */
const shownHours = 7 * 24

async function keyPage(request: ApiKeyRequest, key: ApiKey, passwordError?: string): Promise<PageResponse> {
  const { texts, deps, baseParams, tenant } = request
  const since = new Date(deps.now().getTime() - (shownHours - 1) * hourMs)
  const [hours, uses, makers] = await Promise.all([
    listHours(deps.catalog, { tenantId: tenant.id, keyId: key.id, since }),
    listLastUses(deps.catalog, tenant.id),
    listApiKeyCreators(deps.catalog, tenant.id),
  ])
  const to = pageUrl('api_keys.php', { ...baseParams, key: key.id })
  const revokeForm = form(
    request,
    to,
    html`<p>${texts.apiKeys.revokeHelp}</p><p class="actions"><button name="revoke" value="1">${texts.apiKeys.revoke}</button></p>`,
  )
  const deleteForm = form(
    request,
    to,
    html`<p>${texts.apiKeys.deleteHelp}</p>!${confirmPasswordField(request, passwordError)}<p class="actions"><button class="danger" name="delete" value="1">${texts.apiKeys.delete}</button></p>`,
  )
  const facts: [string, string][] = [
    [texts.apiKeys.state, showKeyState(texts, key)],
    [texts.apiKeys.key, html`<code>${key.display}</code>`],
    [texts.apiKeys.scopes, html`${key.scopes.join(', ')}`],
    [texts.records.createdAt, html`${formatDateTime(texts, key.created_at)}`],
    [texts.apiKeys.madeBy, showMaker(request, makers.get(key.id))],
    [
      texts.apiKeys.lastUsed,
      showLastUse(
        texts,
        uses.find(({ key_id }) => key_id === key.id),
      ),
    ],
  ]
  const list = facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>!${value}</dd></div>`)
  const body = html`<dl class="fields">!${list.join('')}</dl>
<section><h2>${texts.usage.lastDays}</h2>!${usageChart(texts, hours, shownHours, deps.now())}</section>
<div class="columns">!${key.state === 'valid' ? html`<section class="card"><h2>${texts.apiKeys.revoke}</h2>!${revokeForm}</section>` : ''}
<section class="card"><h2>${texts.apiKeys.delete}</h2>!${deleteForm}</section></div>
<p><a href="${pageUrl('api_keys.php', baseParams)}">${texts.frame.apiKeys}</a> · <a href="${pageUrl('activity.php', { ...baseParams, by: `key:${key.id}` })}">${texts.frame.activity}</a></p>`
  return { kind: 'page', title: key.name, body, status: passwordError ? 422 : 200 }
}
