// Reads the figures of several tenants. A slow or unreachable tenant has none, and hardly delays the others.

import { setTimeout as wait } from 'node:timers/promises'
import { TooSlow, Unavailable } from '../../../database/database.ts'
import type { Tenant } from '../../../tenants/tenants.ts'
import type { PanelDependencies } from '../../request.ts'
import { countToDos, summaryRequest } from './to-dos.ts'

export type TenantFigures = { assets: number; people: number; toDos: number; latestAt: string | null }

/** How many databases a page opens at the same time. */
const maxConcurrentReads = 8

/** How long the page waits for one tenant. The query continues, so that a later page may show its result. */
const tenantTimeoutMs = 500

/** After this time, the page starts to read no further tenants. */
const pageTimeoutMs = 1500

/** Returns the figures by tenant id. `skipped`: the ids of tenants that are not read. */
export async function readTenantFigures(
  deps: PanelDependencies,
  tenants: readonly Tenant[],
  skipped: ReadonlySet<string>,
): Promise<Map<string, TenantFigures>> {
  const found = new Map<string, TenantFigures>()
  const waiting = tenants.filter(({ id }) => !skipped.has(id))
  const deadline = performance.now() + pageTimeoutMs
  async function readNextTenants(): Promise<void> {
    for (let tenant = waiting.shift(); tenant && performance.now() < deadline; tenant = waiting.shift()) {
      const late = wait(tenantTimeoutMs, undefined, { ref: false })
      const figures = await Promise.race([readOrLog(deps, tenant), late])
      if (figures) found.set(tenant.id, figures)
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentReads }, readNextTenants))
  return found
}

/** Logs bugs, which must not hide the other tenants. Health checks report outages. */
async function readOrLog(deps: PanelDependencies, tenant: Tenant): Promise<TenantFigures | undefined> {
  try {
    return await readFigures(deps, tenant)
  } catch (err) {
    const isOutage = err instanceof Unavailable || err instanceof TooSlow
    if (!isOutage) deps.log.error({ err, tenant: tenant.slug }, 'the figures of a tenant cannot be read')
  }
}

async function readFigures(deps: PanelDependencies, tenant: Tenant): Promise<TenantFigures> {
  const { body } = await deps.storage.run(tenant, 'settings', { name: tenant.name })
  const summaryQuery = summaryRequest({ ...deps, now: deps.now() }, JSON.parse(body).warranty_notice_days)
  const { summary, latestAt } = await deps.summaries.read(tenant, summaryQuery)
  const { hardware: assets, employees: people } = summary.counts
  return { assets, people, toDos: countToDos(summary), latestAt }
}
