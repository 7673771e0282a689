// /: the dashboard, of the whole installation for administrators or of one tenant.

import { html } from 'ghtml'
import { listApiKeys } from '../../../access/api-keys.ts'
import { type HourOfUse, listHours } from '../../../access/usage-counter.ts'
import { hourMs } from '../../../access/usage-table.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { toLocalRequest } from '../../authorize.ts'
import { changeList, readChanges } from '../../components/change-list.ts'
import { card, emptyState, relatedList, section } from '../../components/sections.ts'
import { usageChart } from '../../components/usage-chart.ts'
import { formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showState } from '../tenants.ts'
import { tenantAlerts } from './tenant-alerts.ts'

/** The usage chart covers this period. */
const shownHours = 24

export async function showDashboard(request: SignedInRequest): Promise<PageResponse> {
  if (isAdministrator(request) && !request.query.has('tenant')) return showInstallation(request)
  return showTenant(await toLocalRequest(request))
}

async function showInstallation(request: SignedInRequest): Promise<PageResponse> {
  const { texts, deps } = request
  const tenants = await listTenants(deps.catalog)
  if (tenants.length === 0) {
    const link = html`<a class="button main" href="tenants.php">${texts.tenants.createTitle}</a>`
    const body = emptyState(texts.dashboard.noTenant, texts.dashboard.noTenantHelp, link)
    return { kind: 'page', title: texts.frame.dashboard, body }
  }
  const hours = await listHours(deps.catalog, { since: shownSince(request) })
  const counts = (['active', 'trial', 'suspended'] as const).map((state) => {
    const count = tenants.filter((each) => each.state === state).length
    return figure(texts, count, texts.tenants.states[state], 'tenants.php')
  })
  const body = html`<ul class="figures">!${counts.join('')}</ul>
!${section(texts.usage.lastDay, usageChart(texts, hours, shownHours, deps.now()))}
!${section(texts.dashboard.attention, await tenantAlerts(request, tenants))}`
  return { kind: 'page', title: texts.frame.dashboard, body }
}

function shownSince({ deps }: SignedInRequest): Date {
  return new Date(deps.now().getTime() - (shownHours - 1) * hourMs)
}

function figure(texts: Texts, count: number, label: string, to: string): string {
  return html`<li><a href="${to}"><b>${formatNumber(texts, count)}</b> ${label}</a></li>`
}

async function showTenant(request: TenantRequest): Promise<PageResponse> {
  const { texts, deps, tenant, baseParams, canWrite } = request
  const [counts, { entries }] = await Promise.all([
    deps.storage.run(tenant, 'count', { timeoutMs: deps.listTimeoutMs }),
    readChanges(request, { limit: 5 }),
  ])
  const figures = Object.entries(counts).map(([name, count]) =>
    figure(texts, count, resourceTexts(texts, name).many, pageUrl('records.php', { ...baseParams, resource: name })),
  )
  const isEmpty = Object.values(counts).every((count) => count === 0)
  const { list } = await changeList(request, entries, 'all')
  const body = html`<p>!${showState(texts, tenant)}</p><ul class="figures">!${figures}</ul>
!${canWrite ? await showUse(request, isEmpty) : ''}
<section><h2><a href="${pageUrl('activity.php', baseParams)}">${texts.frame.activity}</a></h2>
!${entries.length === 0 ? html`<p class="none">${texts.activity.empty}</p>` : list}
</section>`
  return { kind: 'page', title: tenant.name, body }
}

/** What to do next, and the use of the tenant's API keys. */
async function showUse(request: TenantRequest, isEmpty: boolean): Promise<string> {
  const { texts, deps, tenant } = request
  const [hours, keys] = await Promise.all([
    listHours(deps.catalog, { tenantId: tenant.id, since: shownSince(request) }),
    listApiKeys(deps.catalog, tenant, deps.now()),
  ])
  const needsKey = keys.length === 0
  const chart = usageChart(texts, hours, shownHours, deps.now()) + limitUse(request, hours)
  return (isEmpty || needsKey ? nextSteps(request, isEmpty, needsKey) : '') + section(texts.usage.lastDay, chart)
}

function nextSteps({ texts, resources, baseParams }: TenantRequest, needsRecord: boolean, needsKey: boolean): string {
  const [first] = resources
  const record = pageUrl('records.php', { ...baseParams, resource: first!.name, new: 1 })
  const key = pageUrl('api_keys.php', baseParams)
  const steps = [
    needsRecord && html`<li><a href="${record}">${resourceTexts(texts, first!.name).add}</a></li>`,
    needsKey && html`<li><a href="${key}">${texts.apiKeys.createTitle}</a></li>`,
  ]
  return card(texts.dashboard.next, relatedList(steps.filter((step) => step !== false)))
}

/** Shows the rate limit per key, and how many requests it rejected in the current hour. */
function limitUse({ texts, deps }: TenantRequest, hours: HourOfUse[]): string {
  const limit = deps.config.RATE_LIMIT_PER_MINUTE
  const currentHour = deps.now().toISOString().slice(0, 13)
  const limited = hours.find(({ hour }) => hour.startsWith(currentHour))?.limited ?? 0
  if (limit === 0) return ''
  return html`<p class="hint">${texts.usage.limit(limit, formatNumber(texts, limited))}</p>`
}
