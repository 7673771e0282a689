// The overview of the installation.

import { html } from 'ghtml'
import { listHours } from '../../../access/usage-counter.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { emptyState, section } from '../../components/sections.ts'
import { shownHours, usageChart, usageSince } from '../../components/usage-chart.ts'
import { formatNumber, type Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'
import { tenantAlerts } from './tenant-alerts.ts'

export async function showInstallation(request: SignedInRequest): Promise<PageResponse> {
  const { texts, deps } = request
  const tenants = await listTenants(deps.catalog)
  if (tenants.length === 0) {
    const link = html`<a class="button main" href="tenants.php">${texts.tenants.createTitle}</a>`
    const body = emptyState(texts.home.noTenant, texts.home.noTenantHelp, link)
    return { kind: 'page', title: texts.frame.dashboard, body }
  }
  const hours = await listHours(deps.catalog, { since: usageSince(deps.now()) })
  const counts = (['active', 'trial', 'suspended'] as const).map((state) => {
    const count = tenants.filter((each) => each.state === state).length
    return figure(texts, count, texts.tenants.states[state])
  })
  const body = html`<ul class="figures">!${counts.join('')}</ul>
!${section(texts.usage.lastDay, usageChart(texts, hours, shownHours, deps.now()))}
!${section(texts.home.attention, await tenantAlerts(request, tenants))}`
  return { kind: 'page', title: texts.frame.dashboard, body }
}

function figure(texts: Texts, count: number, label: string): string {
  return html`<li><a href="tenants.php"><b>${formatNumber(texts, count)}</b> ${label}</a></li>`
}
