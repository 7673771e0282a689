// The list of a tenant's API keys, and the form that creates a key.

import { html } from 'ghtml'
import { listApiKeyCreators } from '../../../access/api-key-creators.ts'
import { listApiKeys } from '../../../access/api-keys.ts'
import { listLastUses } from '../../../access/usage-counter.ts'
import { form } from '../../components/forms/forms.ts'
import { listPage } from '../../components/lists/list-page.ts'
import { labelColumns } from '../../components/lists/table.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { FormErrors } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { createFields } from './create.ts'
import { showCreator, showKeyState, showLastUse, showRateLimit } from './show-key.ts'
import { showTenantUsage } from './tenant-usage.ts'

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
