// /: what there is and how it is used. Of the installation for administrators, of a tenant with ?tenant= and for managers.

import { html } from 'ghtml'
import { listApiKeys } from '../../../access/api-keys.ts'
import { type HourOfUse, listHours } from '../../../access/usage-counter.ts'
import { hourMs } from '../../../access/usage-table.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { changeList, readChanges } from '../../components/change-list.ts'
import { useChart } from '../../components/usage-chart.ts'
import { resourceLabel, type Texts, writeNumber } from '../../i18n/index.ts'
import {
  isAdministrator,
  type PageResponse,
  pageUrl,
  requireTenantOfRequest,
  type SignedInRequest,
  type TenantRequest,
} from '../../request.ts'
import { showState } from '../tenants.ts'
import { tenantAlerts } from './tenant-alerts.ts'

/** How long use is shown. */
const shownHours = 24

export async function showDashboard(visit: SignedInRequest): Promise<PageResponse> {
  if (isAdministrator(visit) && !visit.query.has('tenant')) return showInstallation(visit)
  return showTenant({ ...visit, tenant: await requireTenantOfRequest(visit) })
}

async function showInstallation(visit: SignedInRequest): Promise<PageResponse> {
  const { texts, parts } = visit
  const tenants = await listTenants(parts.catalog)
  if (tenants.length === 0) {
    const body = html`<div class="empty"><p><b>${texts.dashboard.noTenant}</b></p><p>${texts.dashboard.noTenantHelp}</p><p><a class="button main" href="tenants.php">${texts.tenants.createTitle}</a></p></div>`
    return { kind: 'page', title: texts.frame.dashboard, body }
  }
  const hours = await listHours(parts.catalog, { since: shownSince(visit) })
  const counts = (['active', 'trial', 'suspended'] as const).map((state) => {
    const count = tenants.filter((each) => each.state === state).length
    return figure(texts, count, texts.tenants.states[state], 'tenants.php')
  })
  const body = html`<ul class="figures">!${counts.join('')}</ul>
<section><h2>${texts.use.lastDay}</h2>!${useChart(texts, hours, shownHours, parts.now())}</section>
<section><h2>${texts.dashboard.attention}</h2>!${await tenantAlerts(visit, tenants)}</section>`
  return { kind: 'page', title: texts.frame.dashboard, body }
}

function shownSince({ parts }: SignedInRequest): Date {
  return new Date(parts.now().getTime() - (shownHours - 1) * hourMs)
}

function figure(texts: Texts, count: number, label: string, to: string): string {
  return html`<li><a href="${to}"><b>${writeNumber(texts, count)}</b> ${label}</a></li>`
}

async function showTenant(visit: TenantRequest): Promise<PageResponse> {
  const { texts, parts, tenant } = visit
  const place = { tenant: isAdministrator(visit) ? tenant.slug : undefined }
  const [counts, hours, { entries }, keys] = await Promise.all([
    countRecords(visit),
    listHours(parts.catalog, { tenantId: tenant.id, since: shownSince(visit) }),
    readChanges(visit, { limit: 5 }),
    listApiKeys(parts.catalog, tenant.slug, parts.now()),
  ])
  const figures = counts.map(({ name, count }) =>
    figure(texts, count, resourceLabel(texts, name).many, pageUrl('records.php', { ...place, resource: name })),
  )
  const isEmpty = counts.every(({ count }) => count === 0)
  const body = html`<p>!${showState(texts, tenant)}</p><ul class="figures">!${figures.join('')}</ul>
!${isEmpty || keys.length === 0 ? nextSteps(visit, place, isEmpty, keys.length === 0) : ''}
<section><h2>${texts.use.lastDay}</h2>!${useChart(texts, hours, shownHours, parts.now())}!${limitUse(visit, hours)}</section>
<section><h2><a href="${pageUrl('activity.php', place)}">${texts.frame.activity}</a></h2>!${entries.length === 0 ? html`<p class="none">${texts.activity.empty}</p>` : (await changeList(visit, entries, true)).list}</section>`
  return { kind: 'page', title: tenant.name, body }
}

async function countRecords({ parts, tenant }: TenantRequest): Promise<{ name: string; count: number }[]> {
  const query = {
    limit: 1,
    sort: { field: 'id', isDescending: false },
    conditions: [],
    words: [],
    includes: {},
    after: null,
  }
  return Promise.all(
    parts.resources.map(async ({ name }) => {
      const wish = { resource: name, query: { ...query, withTotal: true, timeoutMs: parts.listTimeoutMs } }
      return { name, count: (await parts.storage.run(tenant, 'list', wish)).total ?? 0 }
    }),
  )
}

function nextSteps(
  { texts, parts }: TenantRequest,
  place: { tenant: string | undefined },
  needsRecord: boolean,
  needsKey: boolean,
): string {
  const [first] = parts.resources
  const record = pageUrl('records.php', { ...place, resource: first!.name, new: 1 })
  const steps = [
    ...(needsRecord
      ? [html`<li><a href="${record}">${texts.records.add(resourceLabel(texts, first!.name).one)}</a></li>`]
      : []),
    ...(needsKey ? [html`<li><a href="${pageUrl('api_keys.php', place)}">${texts.apiKeys.createTitle}</a></li>`] : []),
  ]
  return html`<section class="card"><h2>${texts.dashboard.next}</h2><ul class="related">!${steps.join('')}</ul></section>`
}

/** What the rate limit allows each key, and how often it said no in the present hour. */
function limitUse({ texts, parts }: TenantRequest, hours: HourOfUse[]): string {
  const limit = parts.config.RATE_LIMIT_PER_MINUTE
  const present = parts.now().toISOString().slice(0, 13)
  const limited = hours.find(({ hour }) => hour.startsWith(present))?.limited ?? 0
  return limit === 0
    ? ''
    : html`<p class="hint">${texts.use.limit(writeNumber(texts, limit), writeNumber(texts, limited))}</p>`
}
