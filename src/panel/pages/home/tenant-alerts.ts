// Lists tenants that need attention, with the reason and what to do.

import { html } from 'ghtml'
import { listMigrationErrors } from '../../../tenants/migration-status.ts'
import { isActive, type Tenant } from '../../../tenants/tenants.ts'
import { relatedList } from '../../components/sections.ts'
import type { SignedInRequest } from '../../request.ts'
import { pageUrl } from '../../urls.ts'
import { showState } from '../tenants.ts'

/** Trials that end within this many days are listed. */
const soonDays = 14
const dayMs = 24 * 60 * 60 * 1000
/** Lists at most this many tenants, the most urgent first. */
const maxAlerts = 30

/** Returns HTML: failing databases first, then suspended tenants and expired trials, then trials that end soon. */
export async function tenantAlerts(request: SignedInRequest, tenants: Tenant[]): Promise<string> {
  const { texts, deps } = request
  const { catalog, databases, databaseHealth } = deps
  const [errors, unreachable] = await Promise.all([
    listMigrationErrors(catalog, databases.version),
    databaseHealth.unreachableAmong(tenants),
  ])
  const soon = new Date(deps.now().getTime() + soonDays * dayMs).toISOString().slice(0, 10)

  /** A lower rank is more urgent. */
  function alertFor(tenant: Tenant): { rank: number; words: string } | undefined {
    const { id, state, trial_ends, server } = tenant
    const { notMigrated, unreachable: unreachableMessage, suspended, trialOver, trialEnds } = texts.home
    const error = errors.get(id)
    if (error !== undefined) return { rank: 0, words: html`${notMigrated} <code>${error.slice(0, 300)}</code>` }
    if (unreachable.has(id)) return { rank: 0, words: html`${unreachableMessage(server)}` }
    if (state === 'suspended') return { rank: 1, words: html`${suspended}` }
    if (!isActive(tenant, deps.now())) return { rank: 1, words: html`${trialOver}` }
    return state === 'trial' && trial_ends! <= soon ? { rank: 2, words: html`${trialEnds}` } : undefined
  }

  const alerts = tenants.flatMap((tenant) => {
    const alert = alertFor(tenant)
    return alert ? [{ tenant, ...alert }] : []
  })
  if (alerts.length === 0) return html`<p class="none">${texts.home.nothing}</p>`
  const items = alerts
    .sort((one, other) => one.rank - other.rank)
    .slice(0, maxAlerts)
    .map(({ tenant, words }) => {
      const link = html`<a href="${pageUrl('tenants.php', { tenant: tenant.slug })}">${tenant.name}</a>`
      return html`<li>!${link} !${showState(texts, tenant)}<p class="hint">!${words}</p></li>`
    })
  const rest = alerts.length - items.length
  const more = rest > 0 ? html`<p>${texts.home.more(rest)}</p>` : ''
  return relatedList(items) + more
}
