// The list of keys, with the form for a new one.

import { html } from 'ghtml'
import { type ApiKeyCreator, listApiKeyCreators } from '../../../access/api-key-creators.ts'
import { type ApiKey, listApiKeys } from '../../../access/api-keys.ts'
import { type LastUse, listLastUses } from '../../../access/usage-counter.ts'
import { errorSummary, type FormErrors, form } from '../../components/forms.ts'
import { paginate } from '../../components/pagination.ts'
import { card } from '../../components/sections.ts'
import { labelled, table } from '../../components/table.ts'
import type { TenantRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { createFields } from './create.ts'
import { showCreator, showKeyState, showLastUse, showRateLimit } from './show-key.ts'
import { showTenantUsage } from './tenant-usage.ts'

export async function keysPage(
  request: TenantRequest,
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
  const body =
    list + card(texts.apiKeys.createTitle, errorSummary(errorMessage) + createForm) + (await showTenantUsage(request))
  return { kind: 'page', title: texts.frame.apiKeys, body, status: errorMessage || passwordError ? 422 : 200 }
}

type KeyDetails = { lastUses: Map<string, LastUse>; creators: Map<string, ApiKeyCreator> }

function keyTable(request: TenantRequest, keys: ApiKey[], { lastUses, creators }: KeyDetails): string {
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
