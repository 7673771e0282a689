// /tenants.php: the tenants of the installation. For administrators.

import { html } from 'ghtml'
import { recordEvent } from '../../catalog/audit-log.ts'
import { finishMoves } from '../../tenants/move.ts'
import {
  activateTenant,
  createTenant,
  deleteTenant,
  findTenant,
  listTenants,
  suspendTenant,
  type Tenant,
} from '../../tenants/tenants.ts'
import { checkPasswordAgain, errorSummary, form, messageFor, passwordAgain, textField } from '../components/forms.ts'
import { pageOf, searchOf } from '../components/pagination.ts'
import { type Texts, writeDay, writeMoment } from '../i18n/index.ts'
import { PageError, type PageResponse, pageUrl, redirectTo, type SignedInRequest } from '../request.ts'

export async function showTenants(visit: SignedInRequest): Promise<PageResponse> {
  const slug = visit.query.get('tenant')
  return slug === null ? tenantsPage(visit) : tenantPage(visit, await requireFound(visit, slug))
}

export async function submitTenants(visit: SignedInRequest): Promise<PageResponse> {
  const { query, form: sent } = visit
  const slug = query.get('tenant')
  if (slug === null) return create(visit)
  const tenant = await requireFound(visit, slug)
  if (sent.has('suspend')) return suspend(visit, tenant)
  if (sent.has('activate')) return activate(visit, tenant)
  if (sent.has('delete')) return remove(visit, tenant)
  throw new PageError(400, 'bad_request')
}

async function requireFound({ parts }: SignedInRequest, slug: string): Promise<Tenant> {
  const tenant = await findTenant(parts.catalog, slug)
  if (!tenant) throw new PageError(404, 'not_found')
  return tenant
}

async function create(visit: SignedInRequest): Promise<PageResponse> {
  const { parts, form: sent, texts } = visit
  const [slug = '', name, trialEnds] = ['slug', 'name', 'trial_ends'].map((each) => sent.get(each)?.trim() || undefined)
  try {
    const wish = { slug, ...(name && { name }), ...(trialEnds && { trialEnds }), now: parts.now() }
    const tenant = await createTenant(parts.catalog, parts.databases, wish)
    await note(visit, 'tenant_created', tenant)
    return redirectTo('', { tenant: slug, said: 'created' })
  } catch (error) {
    return tenantsPage(visit, messageFor(texts, error))
  }
}

async function suspend(visit: SignedInRequest, tenant: Tenant): Promise<PageResponse> {
  try {
    const reason = visit.form.get('reason') ?? ''
    await suspendTenant(visit.parts.catalog, tenant.slug, reason)
    await note(visit, 'tenant_suspended', tenant, reason.trim())
    return redirectTo('tenants.php', { tenant: tenant.slug, said: 'saved' })
  } catch (error) {
    return tenantPage(visit, tenant, { sentence: messageFor(visit.texts, error) })
  }
}

async function activate(visit: SignedInRequest, tenant: Tenant): Promise<PageResponse> {
  await activateTenant(visit.parts.catalog, tenant.slug)
  await note(visit, 'tenant_activated', tenant)
  return redirectTo('tenants.php', { tenant: tenant.slug, said: 'saved' })
}

/** Gone for good, so the name is typed in, and the password asked for. */
async function remove(visit: SignedInRequest, tenant: Tenant): Promise<PageResponse> {
  const { parts, form: sent, texts, origin } = visit
  if (sent.get('slug') !== tenant.slug) return tenantPage(visit, tenant, { slugError: texts.tenants.slugDiffers })
  const wrong = await checkPasswordAgain(visit)
  if (wrong) return tenantPage(visit, tenant, { passwordError: wrong })
  try {
    await finishMoves(parts.catalog, parts.databases)
    const isGone = await deleteTenant(parts.catalog, parts.databases, tenant.slug, origin)
    return redirectTo('tenants.php', { said: isGone ? 'deleted' : 'deletedInPart' })
  } catch (error) {
    return tenantPage(visit, tenant, { sentence: messageFor(texts, error) })
  }
}

function note({ parts, origin }: SignedInRequest, event: string, { id, slug }: Tenant, reason = ''): Promise<void> {
  return recordEvent(parts.catalog, event, origin, { tenantId: id, detail: { slug, ...(reason && { reason }) } })
}

async function tenantsPage(visit: SignedInRequest, sentence?: string): Promise<PageResponse> {
  const { texts, parts, form: sent } = visit
  const tenants = await listTenants(parts.catalog)
  const heads = [
    texts.tenants.name,
    texts.tenants.slug,
    texts.tenants.state,
    texts.tenants.server,
    texts.records.createdAt,
    '',
  ]
  const { found, form: search } = searchOf(visit, tenants, ({ slug, name }) => `${slug} ${name}`)
  const { shown, paging } = pageOf(visit, found)
  const rows = shown.map(
    (tenant) =>
      html`<tr><th scope="row"><a href="${pageUrl('', { tenant: tenant.slug })}">${tenant.name}</a></th><td data-label="${texts.tenants.slug}">${tenant.slug}</td><td data-label="${texts.tenants.state}">!${showState(texts, tenant)}</td><td data-label="${texts.tenants.server}">${tenant.server}</td><td data-label="${texts.records.createdAt}">${writeMoment(texts, tenant.created_at)}</td><td><a href="${pageUrl('tenants.php', { tenant: tenant.slug })}">${texts.tenants.manage}<span class="hidden"> ${tenant.name}</span></a></td></tr>`,
  )
  const table = html`!${search}<table class="records"><thead><tr>!${heads.map((each) => (each ? html`<th scope="col">${each}</th>` : '<td></td>')).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table>!${paging}`
  const value = (name: string) => sent.get(name) ?? ''
  const fields = html`<div class="grid">
!${textField({ name: 'slug', label: texts.tenants.slug, value: value('slug'), hint: texts.tenants.slugHint, required: true })}
!${textField({ name: 'name', label: texts.tenants.name, value: value('name') })}
!${textField({ name: 'trial_ends', label: texts.tenants.trialEnds, value: value('trial_ends'), type: 'date', hint: texts.tenants.trialHint })}
</div><p class="actions"><button class="main">${texts.tenants.create}</button></p>`
  const body = html`!${tenants.length === 0 ? html`<p class="lead">${texts.tenants.empty}</p>` : table}
<section class="card"><h2>${texts.tenants.createTitle}</h2>!${errorSummary(sentence)}!${form(visit, 'tenants.php', fields)}</section>`
  return { kind: 'page', title: texts.frame.tenants, body, status: sentence ? 422 : 200 }
}

/** The state, and what belongs to it: the end of a trial, the reason of a suspension. */
export function showState(texts: Texts, { state, trial_ends, suspended_because }: Tenant): string {
  const more = state === 'trial' ? texts.tenants.until(writeDay(texts, trial_ends!)) : (suspended_because ?? '')
  return html`<span class="state" data-state="${state}">${texts.tenants.states[state]}</span> <small>${more}</small>`
}

type Refusals = { sentence?: string; slugError?: string; passwordError?: string }

function tenantPage(visit: SignedInRequest, tenant: Tenant, refusals: Refusals = {}): PageResponse {
  const { texts } = visit
  const { sentence, slugError, passwordError } = refusals
  const to = pageUrl('tenants.php', { tenant: tenant.slug })
  const isSuspended = tenant.state === 'suspended'
  const activateForm = form(
    visit,
    to,
    html`<p class="actions"><button class="main" name="activate" value="1">${texts.tenants.activate}</button></p>`,
  )
  const suspendForm = form(
    visit,
    to,
    html`!${textField({ name: 'reason', label: texts.tenants.reason, hint: texts.tenants.reasonHint })}<p class="actions"><button name="suspend" value="1">${texts.tenants.suspend}</button></p>`,
  )
  const deleteForm = form(
    visit,
    to,
    html`<p>${texts.tenants.deleteHelp}</p>!${textField({ name: 'slug', label: texts.tenants.typeSlug(tenant.slug), error: slugError })}!${passwordAgain(visit, passwordError)}<p class="actions"><button class="danger" name="delete" value="1">${texts.tenants.delete}</button></p>`,
  )
  const body = html`!${errorSummary(sentence)}<p>!${showState(texts, tenant)}</p>
<p class="actions"><a class="button" href="${pageUrl('', { tenant: tenant.slug })}">${texts.frame.dashboard}</a> <a href="${pageUrl('api_keys.php', { tenant: tenant.slug })}">${texts.frame.apiKeys}</a></p>
<div class="columns">!${isSuspended || tenant.state === 'trial' ? html`<section class="card"><h2>${texts.tenants.activate}</h2><p>${texts.tenants.activateHelp}</p>!${activateForm}</section>` : ''}
!${isSuspended ? '' : html`<section class="card"><h2>${texts.tenants.suspend}</h2><p>${texts.tenants.suspendHelp}</p>!${suspendForm}</section>`}
<section class="card"><h2>${texts.tenants.delete}</h2>!${deleteForm}</section></div>`
  return { kind: 'page', title: tenant.name, body, status: sentence || slugError || passwordError ? 422 : 200 }
}
