// Shows an overview of the installation: the tenants (those with problems first), and how much the API is used.

import { resolve } from 'node:path'
import { html } from 'ghtml'
import { listHours, listRequestsByTenant } from '../../../access/request-counts.ts'
import { findRun } from '../../../catalog/tables/backup-records.ts'
import { listTenants, type Tenant } from '../../../tenants/tenants.ts'
import { shownHours, usageChart, usageSince } from '../../components/charts/usage-chart.ts'
import { showTime } from '../../components/days.ts'
import { icon } from '../../components/icons.ts'
import { paginate, searchItems } from '../../components/lists/list-page.ts'
import { type Column, table } from '../../components/lists/table.ts'
import { noValue } from '../../components/record-fields.ts'
import { emptyState, section, tabs } from '../../components/sections.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showState } from '../tenants/detail.ts'
import { newTenantUrl } from '../tenants/new-tenant.ts'
import { readTenantFigures, type TenantFigures } from './tenant-figures.ts'
import { readTroubles, type Trouble } from './troubles.ts'

const states = ['active', 'trial', 'suspended'] as const

export async function showInstallation(request: SignedInRequest): Promise<PageResponse> {
  const { texts, deps, query } = request
  const tenants = await listTenants(deps.catalog)
  if (tenants.length === 0) {
    const link = html`<a class="button main" href="${newTenantUrl}">${texts.tenants.createTitle}</a>`
    const body = emptyState(texts.tenants.empty, texts.home.noTenantHelp, link)
    return { kind: 'page', title: texts.layout.overview, body }
  }
  const state = states.find((each) => each === query.get('state'))
  const listed = state ? tenants.filter((each) => each.state === state) : tenants
  const [rows, usage, alert] = await Promise.all([
    tenantRows(request, tenants, listed),
    showUsage(request),
    showFailedBackup(request),
  ])
  const body = html`!${alert}!${stateTabs(texts, tenants, state)}!${rows}!${usage}`
  return { kind: 'page', title: texts.layout.overview, body }
}

function stateTabs(texts: Texts, tenants: Tenant[], current: Tenant['state'] | undefined): string {
  const link = (state: Tenant['state'] | undefined, label: string) => {
    const count = state ? tenants.filter((each) => each.state === state).length : tenants.length
    return {
      to: pageUrl('', { state }),
      label: `${label} ${formatNumber(texts, count)}`,
      isCurrent: state === current,
    }
  }
  return tabs(texts.tenants.state, [
    link(undefined, texts.lists.all),
    ...states.map((state) => link(state, texts.tenants.states[state])),
  ])
}

/** `listed`: the tenants in the chosen state, or all tenants if no state is chosen. */
async function tenantRows(request: SignedInRequest, tenants: Tenant[], listed: Tenant[]): Promise<string> {
  const { texts, deps } = request
  const troubles = await readTroubles(request, tenants)
  const { found, form } = searchItems(request, listed, ({ slug, name }) => `${slug} ${name}`)
  const ranked = found.map((tenant) => ({ tenant, troubles: troubles.of(tenant) }))
  const { compare } = new Intl.Collator(texts.locale)
  const sorted = ranked.toSorted(
    (one, other) => rankOf(one.troubles) - rankOf(other.troubles) || compare(one.tenant.name, other.tenant.name),
  )
  const { shown, paging } = paginate(request, sorted)
  const onPage = shown.map(({ tenant }) => tenant)
  const [figures, requests] = await Promise.all([
    readTenantFigures(deps, onPage, troubles.unreachable),
    listRequestsByTenant(deps.catalog, usageSince(deps.now())),
  ])
  const rows = shown.map((each) => [
    nameCell(each.tenant, each.troubles),
    showState(texts, each.tenant),
    ...figureCells(texts, each.tenant, figures.get(each.tenant.id)),
    requestsCell(texts, requests.get(each.tenant.id) ?? 0),
    latestCell(texts, figures.get(each.tenant.id)?.latestAt ?? null),
  ])
  return html`!${form}<div class="scroll">!${table({ head: headOf(texts), rows, name: 'records' })}</div>!${paging}`
}

function rankOf(troubles: Trouble[]): number {
  return Math.min(Number.MAX_SAFE_INTEGER, ...troubles.map(({ rank }) => rank))
}

function headOf(texts: Texts): Column[] {
  const { requests, lastActivity, toDo } = texts.home
  const number = (label: string): Column => ({ label, isNumber: true })
  return [
    { label: texts.tenants.name },
    { label: texts.tenants.state },
    number(resourceTexts(texts, 'hardware').many),
    number(resourceTexts(texts, 'employees').many),
    number(toDo),
    number(requests),
    { label: lastActivity },
  ]
}

/** The tenant's name links to its home page. Each problem links to the page that manages the tenant. */
function nameCell({ slug, name }: Tenant, troubles: Trouble[]): string {
  const manage = pageUrl('tenants.php', { tenant: slug })
  const lines = troubles.map(
    ({ words }) => html`<small class="trouble">!${icon('problem')} <a href="${manage}">!${words}</a></small>`,
  )
  return html`<a href="${pageUrl('', { tenant: slug })}"><bdi>${name}</bdi></a>!${lines}`
}

/** Returns dashes if there are no figures, for example because the database is too slow. */
function figureCells(texts: Texts, { slug: tenant }: Tenant, figures: TenantFigures | undefined): string[] {
  if (!figures) return Array.from({ length: 3 }, () => noValue(texts))
  const { assets, people, toDos } = figures
  const [assetTexts, personTexts] = ['hardware', 'employees'].map((name) => resourceTexts(texts, name))
  const link = (count: number, words: string, to: string) => {
    const number = html`<span class="in-table">${formatNumber(texts, count)}</span>`
    const classAttribute = count === 0 ? html` class="none"` : ''
    return html`<a href="${to}"!${classAttribute}>!${number}<span class="in-card">${words}</span></a>`
  }
  return [
    link(assets, assetTexts!.count(assets), pageUrl('records.php', { tenant, resource: 'hardware' })),
    link(people, personTexts!.count(people), pageUrl('records.php', { tenant, resource: 'employees', kind: 'person' })),
    link(toDos, `${texts.home.toDo}: ${formatNumber(texts, toDos)}`, pageUrl('', { tenant })),
  ]
}

function requestsCell(texts: Texts, count: number): string {
  const number = formatNumber(texts, count)
  return count === 0 ? html`<span class="none">${number}</span>` : html`${number}`
}

function latestCell(texts: Texts, latest: string | null): string {
  return latest === null ? noValue(texts) : showTime(texts, latest)
}

async function showUsage({ texts, deps }: SignedInRequest): Promise<string> {
  const hours = await listHours(deps.catalog, { since: usageSince(deps.now()) })
  return section(texts.usage.lastDay, usageChart(texts, hours, shownHours, deps.now()))
}

/** Shows an alert if the last scheduled backup failed. */
async function showFailedBackup({ texts, deps }: SignedInRequest): Promise<string> {
  const { BACKUP_EVERY, BACKUP_DIR } = deps.config
  if (BACKUP_EVERY === null) return ''
  const run = await findRun(deps.catalog, resolve(BACKUP_DIR))
  if (!run?.failed_at) return ''
  const time = formatDateTime(texts, run.failed_at)
  return html`<p class="banner">!${icon('warning')} ${texts.home.backupFailed(time)} ${run.failure ?? ''}</p>`
}
