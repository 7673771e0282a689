// /api_keys.php (§5.1): a tenant's API keys. The query and the form decide what a request shows or changes.

import { html } from 'ghtml'
import { type ApiKey, createApiKey, deleteApiKey, findApiKey, revokeApiKey } from '../../../access/api-keys.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { toLocalizedRequestIfAvailable } from '../../authorize.ts'
import { checkConfirmedPassword, messageFor } from '../../components/forms.ts'
import { paginate, searchItems } from '../../components/pagination.ts'
import { relatedList } from '../../components/sections.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { createdPage } from './create.ts'
import { keyPage } from './detail.ts'
import { keysPage } from './list.ts'

export async function showApiKeys(request: SignedInRequest): Promise<PageResponse> {
  if (isAdministrator(request) && !request.query.has('tenant')) return chooseTenant(request)
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  const id = request.query.get('key')
  return id === null ? keysPage(tenantRequest) : keyPage(tenantRequest, await requireKey(tenantRequest, id))
}

export async function submitApiKeys(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  const id = request.query.get('key')
  if (id === null) return create(tenantRequest)
  const key = await requireKey(tenantRequest, id)
  if (request.form.has('revoke')) return revoke(tenantRequest, key)
  if (request.form.has('delete')) return remove(tenantRequest, key)
  throw new PageError(400, 'bad_request')
}

/** Throws a PageError with 404 if the tenant has no such key. */
async function requireKey({ deps, tenant }: TenantRequest, id: string): Promise<ApiKey> {
  const key = await findApiKey(deps.catalog, tenant, id, deps.now())
  if (!key) throw new PageError(404, 'not_found')
  return key
}

async function create(request: TenantRequest): Promise<PageResponse> {
  const { deps, tenant, form: formValues, texts, origin } = request
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return keysPage(request, { passwordError: passwordError })
  const [name, expires, once] = ['name', 'expires', 'once'].map((each) => formValues.get(each)?.trim() || undefined)
  try {
    const input = {
      name,
      scopes: formValues.getAll('scope'),
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

async function revoke(request: TenantRequest, key: ApiKey): Promise<PageResponse> {
  const { deps, tenant, baseParams, origin, texts } = request
  await revokeApiKey(deps.catalog, key.id, origin, tenant)
  return redirectTo('api_keys.php', { ...baseParams, key: key.id }, { text: texts.apiKeys.done.revoked(key.name) })
}

async function remove(request: TenantRequest, key: ApiKey): Promise<PageResponse> {
  const { deps, tenant, baseParams, origin, texts } = request
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return keyPage(request, key, passwordError)
  await deleteApiKey(deps.catalog, key.id, origin, tenant)
  return redirectTo('api_keys.php', { ...baseParams }, { text: texts.apiKeys.done.deleted(key.name) })
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
