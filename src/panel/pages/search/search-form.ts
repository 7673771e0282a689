import { html } from 'ghtml'
import { hiddenField } from '../../components/forms/forms.ts'
import type { SignedInRequest, TenantRequest } from '../../requests/request.ts'

/** Renders the search page's form. If the request is not about a tenant, the form searches all tenants that the user
 *  can open. */
export function searchForm(request: SignedInRequest | TenantRequest, text: string): string {
  const { texts } = request
  const tenant = 'baseParams' in request ? request.baseParams.tenant : undefined
  const scope = tenant === undefined ? '' : hiddenField('tenant', tenant)
  const { fieldLabel } = texts.search
  return html`<form action="search.php" role="search" class="search-page">!${scope}
<input type="search" name="q" value="${text}" dir="auto" aria-label="${fieldLabel}" placeholder="${fieldLabel}"
 autocomplete="off" spellcheck="false" maxlength="200"!${text === '' ? ' autofocus' : ''}>
<button class="main">${texts.search.button}</button></form>`
}
