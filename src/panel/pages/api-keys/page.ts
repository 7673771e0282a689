// /api_keys.php (§5.1): a tenant's API keys. The query string and the submitted form determine what a request shows or
// changes.

import { html } from 'ghtml'
import { createApiKey, deleteApiKey, revokeApiKey } from '../../../access/api-keys.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { paginate, searchItems } from '../../components/lists/list-page.ts'
import { relatedList } from '../../components/sections.ts'
import { toLocalizedRequestIfAvailable } from '../../requests/authorize.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../requests/request.ts'
import { requireAction, requirePassword, submitForm } from '../../requests/submit.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { keyPage, requireKeyOfTenant } from './detail.ts'
import { createdPage, keysPage } from './list.ts'

export async function showApiKeys(request: SignedInRequest): Promise<PageResponse> {
  if (isAdministrator(request) && !request.query.has('tenant')) return chooseTenant(request)
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  const id = request.query.get('key')
  return id === null ? keysPage(tenantRequest) : keyPage(tenantRequest, id)
}

const actions = { revoke, delete: remove }

export async function submitApiKeys(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  const id = request.query.get('key')
  if (id === null) return submitForm(tenantRequest, create, keysPage)
  return submitForm(tenantRequest, requireAction(request, actions), keyPage, id)
}

async function create(request: TenantRequest): Promise<PageResponse> {
  const { deps, tenant, form: formValues, actor } = request
  const [name, expires, once] = ['name', 'expires', 'once'].map((each) => formValues.get(each)?.trim() || undefined)
  await requirePassword(request)
  const input = {
    name,
    scopes: formValues.getAll('scope'),
    allScopes: deps.scopes,
    expiresAt: expires,
    ...(once && { idempotencyKey: `${request.session.id} ${once}` }),
  }
  const { token } = await createApiKey(deps, tenant, input, actor)
  return createdPage(request, token)
}

async function revoke(request: TenantRequest, id: string): Promise<PageResponse> {
  const { deps, tenant, baseParams, actor, texts } = request
  const key = await requireKeyOfTenant(request, id)
  await revokeApiKey(deps.catalog, key.id, actor, tenant)
  return redirectTo('api_keys.php', { ...baseParams, key: key.id }, { text: texts.apiKeys.done.revoked(key.name) })
}

async function remove(request: TenantRequest, id: string): Promise<PageResponse> {
  const { deps, tenant, baseParams, actor, texts } = request
  const key = await requireKeyOfTenant(request, id)
  await requirePassword(request)
  await deleteApiKey(deps.catalog, key.id, actor, tenant)
  return redirectTo('api_keys.php', baseParams, { text: texts.apiKeys.done.deleted(key.name) })
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
