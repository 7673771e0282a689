// The home page of a tenant.

import { html } from 'ghtml'
import { toLocalRequest } from '../../authorize.ts'
import { changeList, readChanges } from '../../components/change-list.ts'
import { formatNumber, resourceTexts } from '../../i18n/index.ts'
import type { SignedInRequest, TenantRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showState } from '../tenants.ts'
import { firstSteps } from './first-steps.ts'

export async function showTenant(signedIn: SignedInRequest): Promise<PageResponse> {
  const request = await toLocalRequest(signedIn)
  const { texts, deps, tenant, baseParams, canWrite } = request
  const [counts, { entries }] = await Promise.all([
    deps.storage.run(tenant, 'count', { timeoutMs: deps.listTimeoutMs }),
    readChanges(request, { limit: 5 }),
  ])
  const { list } = await changeList(request, entries, 'all')
  const body = html`<p>!${showState(texts, tenant)}</p>
!${canWrite ? firstSteps(request, counts) : ''}
<ul class="figures">!${figures(request, counts)}</ul>
<section><h2><a href="${pageUrl('activity.php', baseParams)}">${texts.frame.activity}</a></h2>
!${entries.length === 0 ? html`<p class="none">${texts.activity.empty}</p>` : list}
</section>`
  return { kind: 'page', title: tenant.name, body }
}

function figures({ texts, baseParams }: TenantRequest, counts: Record<string, number>): string[] {
  return Object.entries(counts).map(([name, count]) => {
    const url = pageUrl('records.php', { ...baseParams, resource: name })
    return html`<li><a href="${url}"><b>${formatNumber(texts, count)}</b> ${resourceTexts(texts, name).many}</a></li>`
  })
}
