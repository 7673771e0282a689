// /tenants.php: all tenants, for administrators.

import { html } from 'ghtml'
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
import {
  checkConfirmedPassword,
  confirmPasswordField,
  errorSummary,
  form,
  messageFor,
  textField,
} from '../components/forms.ts'
import { paginate, searchItems } from '../components/pagination.ts'
import { formatDate, formatDateTime, type Texts } from '../i18n/index.ts'
import { PageError, type PageResponse, pageUrl, redirectTo, type SignedInRequest } from '../request.ts'

export async function showTenants(request: SignedInRequest): Promise<PageResponse> {
  const slug = request.query.get('tenant')
  return slug === null ? tenantsPage(request) : tenantPage(request, await requireTenant(request, slug))
}

export async function submitTenants(request: SignedInRequest): Promise<PageResponse> {
  const { query, form: sent } = request
  const slug = query.get('tenant')
  if (slug === null) return create(request)
  const tenant = await requireTenant(request, slug)
  if (sent.has('suspend')) return suspend(request, tenant)
  if (sent.has('activate')) return activate(request, tenant)
  if (sent.has('delete')) return remove(request, tenant)
  throw new PageError(400, 'bad_request')
}

async function requireTenant({ deps }: SignedInRequest, slug: string): Promise<Tenant> {
  const tenant = await findTenant(deps.catalog, slug)
  if (!tenant) throw new PageError(404, 'not_found')
  return tenant
}

async function create(request: SignedInRequest): Promise<PageResponse> {
  const { deps, form: sent, texts, origin } = request
  const [slug = '', name, trialEnds] = ['slug', 'name', 'trial_ends'].map((each) => sent.get(each)?.trim() || undefined)
  try {
    await createTenant(deps.catalog, deps.databases, { slug, name, trialEnds }, origin)
    return redirectTo('', { tenant: slug, notice: 'created' })
  } catch (error) {
    return tenantsPage(request, messageFor(texts, error))
  }
}

async function suspend(request: SignedInRequest, tenant: Tenant): Promise<PageResponse> {
  try {
    await suspendTenant(request.deps.catalog, tenant, request.form.get('reason') ?? undefined, request.origin)
    return redirectTo('tenants.php', { tenant: tenant.slug, notice: 'saved' })
  } catch (error) {
    return tenantPage(request, tenant, { errorMessage: messageFor(request.texts, error) })
  }
}

async function activate(request: SignedInRequest, tenant: Tenant): Promise<PageResponse> {
  await activateTenant(request.deps.catalog, tenant, request.origin)
  return redirectTo('tenants.php', { tenant: tenant.slug, notice: 'saved' })
}

/** Deletion is permanent, so the user must type the short name and confirm the password. */
async function remove(request: SignedInRequest, tenant: Tenant): Promise<PageResponse> {
  const { deps, form: sent, texts, origin } = request
  if (sent.get('slug') !== tenant.slug) return tenantPage(request, tenant, { slugError: texts.tenants.slugDiffers })
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return tenantPage(request, tenant, { passwordError: passwordError })
  try {
    await finishMoves(deps.catalog, deps.databases)
    const isGone = await deleteTenant(deps.catalog, deps.databases, tenant, origin)
    return redirectTo('tenants.php', { notice: isGone ? 'deleted' : 'deletedInPart' })
  } catch (error) {
    return tenantPage(request, tenant, { errorMessage: messageFor(texts, error) })
  }
}

async function tenantsPage(request: SignedInRequest, errorMessage?: string): Promise<PageResponse> {
  const { texts, deps, form: sent } = request
  const tenants = await listTenants(deps.catalog)
  const heads = [
    texts.tenants.name,
    texts.tenants.slug,
    texts.tenants.state,
    texts.tenants.server,
    texts.records.createdAt,
    '',
  ]
  const { found, form: search } = searchItems(request, tenants, ({ slug, name }) => `${slug} ${name}`)
  const { shown, paging } = paginate(request, found)
  const rows = shown.map(
    (tenant) =>
      html`<tr><th scope="row"><a href="${pageUrl('', { tenant: tenant.slug })}">${tenant.name}</a></th><td data-label="${texts.tenants.slug}">${tenant.slug}</td><td data-label="${texts.tenants.state}">!${showState(texts, tenant)}</td><td data-label="${texts.tenants.server}">${tenant.server}</td><td data-label="${texts.records.createdAt}">${formatDateTime(texts, tenant.created_at)}</td><td><a href="${pageUrl('tenants.php', { tenant: tenant.slug })}">${texts.tenants.manage}<span class="hidden"> ${tenant.name}</span></a></td></tr>`,
  )
  const table = html`!${search}<table class="records"><thead><tr>!${heads.map((each) => (each ? html`<th scope="col">${each}</th>` : '<td></td>')).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table>!${paging}`
  const value = (name: string) => sent.get(name) ?? ''
  const fields = html`<div class="grid">
!${textField({ name: 'slug', label: texts.tenants.slug, value: value('slug'), hint: texts.tenants.slugHint, required: true })}
!${textField({ name: 'name', label: texts.tenants.name, value: value('name') })}
!${textField({ name: 'trial_ends', label: texts.tenants.trialEnds, value: value('trial_ends'), type: 'date', hint: texts.tenants.trialHint })}
</div><p class="actions"><button class="main">${texts.tenants.create}</button></p>`
  const body = html`!${tenants.length === 0 ? html`<p class="lead">${texts.tenants.empty}</p>` : table}
<section class="card"><h2>${texts.tenants.createTitle}</h2>!${errorSummary(errorMessage)}!${form(request, 'tenants.php', fields)}</section>`
  return { kind: 'page', title: texts.frame.tenants, body, status: errorMessage ? 422 : 200 }
}

/** Shows the state, with the end of the trial or the reason for the suspension. */
export function showState(texts: Texts, { state, trial_ends, suspended_because }: Tenant): string {
  const more = state === 'trial' ? texts.tenants.until(formatDate(texts, trial_ends!)) : (suspended_because ?? '')
  return html`<span class="state" data-state="${state}">${texts.tenants.states[state]}</span> <small>${more}</small>`
}

type FormErrors = { errorMessage?: string; slugError?: string; passwordError?: string }

function tenantPage(request: SignedInRequest, tenant: Tenant, errors: FormErrors = {}): PageResponse {
  const { texts } = request
  const { errorMessage, slugError, passwordError } = errors
  const to = pageUrl('tenants.php', { tenant: tenant.slug })
  const isSuspended = tenant.state === 'suspended'
  const activateForm = form(
    request,
    to,
    html`<p class="actions"><button class="main" name="activate" value="1">${texts.tenants.activate}</button></p>`,
  )
  const suspendForm = form(
    request,
    to,
    html`!${textField({ name: 'reason', label: texts.tenants.reason, hint: texts.tenants.reasonHint })}<p class="actions"><button name="suspend" value="1">${texts.tenants.suspend}</button></p>`,
  )
  const deleteForm = form(
    request,
    to,
    html`<p>${texts.tenants.deleteHelp}</p>!${textField({ name: 'slug', label: texts.tenants.typeSlug(tenant.slug), error: slugError })}!${confirmPasswordField(request, passwordError)}<p class="actions"><button class="danger" name="delete" value="1">${texts.tenants.delete}</button></p>`,
  )
  const body = html`!${errorSummary(errorMessage)}<p>!${showState(texts, tenant)}</p>
<p class="actions"><a class="button" href="${pageUrl('', { tenant: tenant.slug })}">${texts.frame.dashboard}</a> <a href="${pageUrl('api_keys.php', { tenant: tenant.slug })}">${texts.frame.apiKeys}</a></p>
<div class="columns">!${isSuspended || tenant.state === 'trial' ? html`<section class="card"><h2>${texts.tenants.activate}</h2><p>${texts.tenants.activateHelp}</p>!${activateForm}</section>` : ''}
!${isSuspended ? '' : html`<section class="card"><h2>${texts.tenants.suspend}</h2><p>${texts.tenants.suspendHelp}</p>!${suspendForm}</section>`}
<section class="card"><h2>${texts.tenants.delete}</h2>!${deleteForm}</section></div>`
  return { kind: 'page', title: tenant.name, body, status: errorMessage || slugError || passwordError ? 422 : 200 }
}
