// /api_keys.php (§5.1): the keys of a tenant. One that is made is shown once, on the answer to its form.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { type ApiKeyCreator, listApiKeyCreators } from '../../access/api-key-creators.ts'
import { type ApiKey, createApiKey, deleteApiKey, listApiKeys, revokeApiKey } from '../../access/api-keys.ts'
import { allScopes } from '../../access/scopes.ts'
import { type LastUse, listHours, listLastUses } from '../../access/usage-counter.ts'
import { hourMs } from '../../access/usage-table.ts'
import { recordEvent } from '../../catalog/audit-log.ts'
import { listTenants, type Tenant } from '../../tenants/tenants.ts'
import {
  checkPasswordAgain,
  copyable,
  errorSummary,
  form,
  messageFor,
  passwordAgain,
  textField,
} from '../components/forms.ts'
import { pageOf, searchOf } from '../components/pagination.ts'
import { useChart } from '../components/usage-chart.ts'
import { resourceLabel, type Texts, writeDay, writeMoment } from '../i18n/index.ts'
import {
  isAdministrator,
  PageError,
  type PageResponse,
  pageUrl,
  redirectTo,
  requireTenantOfRequest,
  type SignedInRequest,
} from '../request.ts'

type KeyVisit = SignedInRequest & { tenant: Tenant; place: { tenant: string | undefined } }

export async function showApiKeys(visit: SignedInRequest): Promise<PageResponse> {
  if (isAdministrator(visit) && !visit.query.has('tenant')) return chooseTenant(visit)
  const here = await open(visit)
  const id = visit.query.get('key')
  return id === null ? keysPage(here) : keyPage(here, await requireKey(here, id))
}

export async function submitApiKeys(visit: SignedInRequest): Promise<PageResponse> {
  const here = await open(visit)
  const id = visit.query.get('key')
  if (id === null) return create(here)
  const key = await requireKey(here, id)
  if (visit.form.has('revoke')) return revoke(here, key)
  if (visit.form.has('delete')) return remove(here, key)
  throw new PageError(400, 'bad_request')
}

async function open(visit: SignedInRequest): Promise<KeyVisit> {
  const tenant = await requireTenantOfRequest(visit)
  return { ...visit, tenant, place: { tenant: isAdministrator(visit) ? tenant.slug : undefined } }
}

/** A key of this tenant; another's is not there. */
async function requireKey({ parts, tenant }: KeyVisit, id: string): Promise<ApiKey> {
  const key = (await listApiKeys(parts.catalog, tenant.slug, parts.now())).find((each) => each.id === id)
  if (!key) throw new PageError(404, 'not_found')
  return key
}

async function create(visit: KeyVisit): Promise<PageResponse> {
  const { parts, tenant, form: sent, texts } = visit
  const wrong = await checkPasswordAgain(visit)
  if (wrong) return keysPage(visit, { passwordError: wrong })
  const [name, expires, once] = ['name', 'expires', 'once'].map((each) => sent.get(each)?.trim() || undefined)
  try {
    const wish = {
      ...{ slug: tenant.slug, scopes: sent.getAll('scope'), allScopes: allScopes(parts.resources), now: parts.now() },
      keysPerTenant: parts.config.KEYS_PER_TENANT,
      ...(name && { name }),
      ...(expires && { expiresAt: expires }),
      createdBy: visit.session.user.id,
      ...(once && { idempotencyKey: `${visit.session.id} ${once}` }),
    }
    const { id, token } = await createApiKey(parts.catalog, parts.pepper, wish)
    await note(visit, 'key_created', id, name)
    return madePage(visit, token)
  } catch (error) {
    return keysPage(visit, { sentence: messageFor(texts, error) })
  }
}

async function revoke(visit: KeyVisit, key: ApiKey): Promise<PageResponse> {
  const { parts, tenant, place } = visit
  await revokeApiKey(parts.catalog, key.id, parts.now(), tenant.id)
  await note(visit, 'key_revoked', key.id, key.name)
  return redirectTo('api_keys.php', { ...place, key: key.id, said: 'revoked' })
}

async function remove(visit: KeyVisit, key: ApiKey): Promise<PageResponse> {
  const { parts, tenant, place } = visit
  const wrong = await checkPasswordAgain(visit)
  if (wrong) return keyPage(visit, key, wrong)
  await deleteApiKey(parts.catalog, key.id, tenant.id)
  await note(visit, 'key_deleted', key.id, key.name)
  return redirectTo('api_keys.php', { ...place, said: 'deleted' })
}

function note({ parts, origin, tenant }: KeyVisit, event: string, key: string, name = ''): Promise<void> {
  return recordEvent(parts.catalog, event, origin, { tenantId: tenant.id, detail: { key, ...(name && { name }) } })
}

async function chooseTenant(visit: SignedInRequest): Promise<PageResponse> {
  const { texts, parts } = visit
  const { found, form } = searchOf(visit, await listTenants(parts.catalog), ({ slug, name }) => `${slug} ${name}`)
  const { shown, paging } = pageOf(visit, found)
  const items = shown.map(
    ({ slug, name }) =>
      html`<li><a href="${pageUrl('api_keys.php', { tenant: slug })}">${name}</a> <small>${slug}</small></li>`,
  )
  const body = html`<p>${texts.apiKeys.choose}</p>!${form}<ul class="related">!${items.join('')}</ul>!${paging}`
  return { kind: 'page', title: texts.frame.apiKeys, body }
}

/** The key, and a first request with it. It is in this answer and nowhere else. */
function madePage({ texts, place, apiUrl, parts }: KeyVisit, token: string): PageResponse {
  const [first] = parts.resources
  const request = `curl -i '${apiUrl}/${first!.name}.php' -H 'Authorization: Bearer ${token}'`
  const body = html`<p class="lead">${texts.apiKeys.shownOnce}</p>!${copyable(texts, 'token', token)}
<h2>${texts.apiKeys.firstRequest}</h2>!${copyable(texts, 'request', request)}
<p class="actions"><a class="button" href="${pageUrl('api_keys.php', place)}">${texts.apiKeys.kept}</a> <a href="docs">${texts.frame.reference}</a></p>`
  return { kind: 'page', title: texts.apiKeys.made, body }
}

type Refusals = { sentence?: string; passwordError?: string }

async function keysPage(visit: KeyVisit, { sentence, passwordError }: Refusals = {}): Promise<PageResponse> {
  const { texts, parts, tenant, place } = visit
  const [keys, uses, makers] = await Promise.all([
    listApiKeys(parts.catalog, tenant.slug, parts.now()),
    listLastUses(parts.catalog, tenant.id),
    listApiKeyCreators(parts.catalog, tenant.id),
  ])
  const used = new Map(uses.map((each) => [each.key_id, each]))
  const list =
    keys.length === 0 ? html`<p class="lead">${texts.apiKeys.empty}</p>` : keyTable(visit, keys, { used, makers })
  const body = html`!${list}<section class="card"><h2>${texts.apiKeys.createTitle}</h2>!${errorSummary(sentence)}!${form(visit, pageUrl('api_keys.php', place), createFields(visit, passwordError))}</section>`
  return { kind: 'page', title: texts.frame.apiKeys, body, status: sentence || passwordError ? 422 : 200 }
}

type AboutKeys = { used: Map<string, LastUse>; makers: Map<string, ApiKeyCreator> }

function keyTable(visit: KeyVisit, keys: ApiKey[], { used, makers }: AboutKeys): string {
  const { texts, place } = visit
  const labels = texts.apiKeys
  const { shown, paging } = pageOf(visit, keys)
  const heads = [labels.name, labels.key, labels.scopes, labels.state, labels.lastUsed, labels.madeBy]
  const rows = shown.map(
    (key) =>
      html`<tr><th scope="row"><a href="${pageUrl('api_keys.php', { ...place, key: key.id })}">${key.name}</a></th><td data-label="${labels.key}"><code>${key.display}</code></td><td data-label="${labels.scopes}">${key.scopes.join(', ')}</td><td data-label="${labels.state}">!${showKeyState(texts, key)}</td><td data-label="${labels.lastUsed}">!${showLastUse(texts, used.get(key.id))}</td><td data-label="${labels.madeBy}">!${showMaker(visit, makers.get(key.id))}</td></tr>`,
  )
  return html`<table class="records"><thead><tr>!${heads.map((each) => html`<th scope="col">${each}</th>`).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table>!${paging}`
}

function showKeyState(texts: Texts, { state, expires_at }: ApiKey): string {
  const lastDay = expires_at === null ? null : new Date(Date.parse(expires_at) - 1).toISOString().slice(0, 10)
  const until = state === 'valid' && lastDay ? texts.tenants.until(writeDay(texts, lastDay)) : ''
  return html`<span class="state" data-state="${state}">${texts.apiKeys.states[state]}</span> <small>${until}</small>`
}

function showLastUse(texts: Texts, use: LastUse | undefined): string {
  if (!use) return html`<span class="none">${texts.never}</span>`
  return html`<time datetime="${use.last_used_at}">${writeMoment(texts, use.last_used_at)}</time> <small>${use.last_used_from}</small>`
}

/** Managers are not shown the addresses of administrators. */
function showMaker(visit: KeyVisit, maker: ApiKeyCreator | undefined): string {
  const { texts } = visit
  if (!maker) return html`${texts.events.commandLine}`
  const isHidden = maker.role === 'administrator' && !isAdministrator(visit)
  const name = isHidden ? texts.roles.administrator : maker.email
  const mark =
    maker.state === 'active'
      ? ''
      : html` <span class="state" data-state="revoked">${texts.apiKeys.makers[maker.state]}</span>`
  return html`${name}!${mark}`
}

function createFields(visit: KeyVisit, passwordError: string | undefined): string {
  const { texts, form: sent } = visit
  return html`<input type="hidden" name="once" value="${randomUUID()}">
<div class="grid">!${textField({ name: 'name', label: texts.apiKeys.name, value: sent.get('name') ?? '', hint: texts.apiKeys.nameHint })}
!${textField({ name: 'expires', label: texts.apiKeys.expires, type: 'date', value: sent.get('expires') ?? '', hint: texts.apiKeys.expiresHint })}
!${passwordAgain(visit, passwordError)}</div>
!${scopeMatrix(visit)}
<p class="actions"><button class="main">${texts.apiKeys.create}</button></p>`
}

/** Every scope there is, resources down, actions across. */
function scopeMatrix({ texts, parts, form: sent }: KeyVisit): string {
  const scopes = allScopes(parts.resources).map((scope) => scope.split(':') as [string, string])
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

/** How long ago use is shown from. Hours. */
const shownHours = 7 * 24

async function keyPage(visit: KeyVisit, key: ApiKey, passwordError?: string): Promise<PageResponse> {
  const { texts, parts, place, tenant } = visit
  const since = new Date(parts.now().getTime() - (shownHours - 1) * hourMs)
  const [hours, uses, makers] = await Promise.all([
    listHours(parts.catalog, { tenantId: tenant.id, keyId: key.id, since }),
    listLastUses(parts.catalog, tenant.id),
    listApiKeyCreators(parts.catalog, tenant.id),
  ])
  const to = pageUrl('api_keys.php', { ...place, key: key.id })
  const revokeForm = form(
    visit,
    to,
    html`<p>${texts.apiKeys.revokeHelp}</p><p class="actions"><button name="revoke" value="1">${texts.apiKeys.revoke}</button></p>`,
  )
  const deleteForm = form(
    visit,
    to,
    html`<p>${texts.apiKeys.deleteHelp}</p>!${passwordAgain(visit, passwordError)}<p class="actions"><button class="danger" name="delete" value="1">${texts.apiKeys.delete}</button></p>`,
  )
  const facts: [string, string][] = [
    [texts.apiKeys.state, showKeyState(texts, key)],
    [texts.apiKeys.key, html`<code>${key.display}</code>`],
    [texts.apiKeys.scopes, html`${key.scopes.join(', ')}`],
    [texts.records.createdAt, html`${writeMoment(texts, key.created_at)}`],
    [texts.apiKeys.madeBy, showMaker(visit, makers.get(key.id))],
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
<section><h2>${texts.use.lastDays}</h2>!${useChart(texts, hours, shownHours, parts.now())}</section>
<div class="columns">!${key.state === 'valid' ? html`<section class="card"><h2>${texts.apiKeys.revoke}</h2>!${revokeForm}</section>` : ''}
<section class="card"><h2>${texts.apiKeys.delete}</h2>!${deleteForm}</section></div>
<p><a href="${pageUrl('api_keys.php', place)}">${texts.frame.apiKeys}</a> · <a href="${pageUrl('activity.php', { ...place, by: `key:${key.id}` })}">${texts.frame.activity}</a></p>`
  return { kind: 'page', title: key.name, body, status: passwordError ? 422 : 200 }
}
