// Shows how much a tenant's API keys are used, and how many requests the rate limit has rejected.

import { html } from 'ghtml'
import { type HourOfUse, listHours } from '../../../access/usage-counter.ts'
import { shownHours, usageChart, usageSince } from '../../components/charts/usage-chart.ts'
import { section } from '../../components/sections.ts'
import { formatNumber } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'

export async function showTenantUsage(request: TenantRequest): Promise<string> {
  const { texts, deps, tenant } = request
  const hours = await listHours(deps.catalog, { tenantId: tenant.id, since: usageSince(deps.now()) })
  const chart = usageChart(texts, hours, shownHours, deps.now())
  return section(texts.usage.lastDay, chart + showLimit(request, hours))
}

/** Shows the default rate limit, and how many requests were rejected in the current hour. Returns an empty string if
 *  there is no default limit. */
function showLimit({ texts, deps }: TenantRequest, hours: HourOfUse[]): string {
  const limit = deps.config.RATE_LIMIT_PER_MINUTE
  if (limit === 0) return ''
  const currentHour = deps.now().toISOString().slice(0, 13)
  const limited = hours.find(({ hour }) => hour.startsWith(currentHour))?.limited ?? 0
  return html`<p class="hint">${texts.usage.limit(limit, formatNumber(texts, limited))}</p>`
}
