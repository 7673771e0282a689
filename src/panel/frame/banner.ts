// Tells an administrator that the page's tenant is suspended, or that the tenant's trial is over. Other users cannot
// open the tenant's pages.

import { html } from 'ghtml'
import { isActive } from '../../tenants/tenants.ts'
import { icon } from '../components/icons.ts'
import { isAdministrator, type SignedInRequest } from '../requests/request.ts'
import { pageUrl } from '../urls.ts'

export function inactiveBanner(request: SignedInRequest): string {
  const { frame, texts, deps, path } = request
  const { tenant } = frame
  if (!tenant || isActive(tenant, deps.now()) || !isAdministrator(request) || path === 'tenants.php') return ''
  const { suspended, trialOver, manage } = texts.recordPages.inactive
  const reason = tenant.state === 'suspended' ? tenant.suspended_because : null
  const reasonText = reason ? html` <bdi>${reason}</bdi>` : ''
  const sentence = tenant.state === 'suspended' ? suspended : trialOver
  return html`<p class="banner">!${icon('warning')}<span>${sentence}!${reasonText}</span>
<a href="${pageUrl('tenants.php', { tenant: tenant.slug })}">${manage}</a></p>`
}
