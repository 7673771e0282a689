// Reads several tenants' figures. If a tenant's database is slow or unreachable, its figures are missing, and the page
// is delayed only slightly.

import { setTimeout as wait } from 'node:timers/promises'
import { settingsOperations } from '../../../domain/settings/operations.ts'
import { TooSlow, Unavailable } from '../../../engine/database/database.ts'
import type { Tenant } from '../../../tenants/tenants.ts'
import type { PanelDependencies } from '../../requests/request.ts'
import { countCurrentPeople, countToDos, summaryRequest } from './to-dos.ts'

export type TenantFigures = { assets: number; people: number; toDos: number; latestAt: string | null }

/** A page reads at most this many databases at the same time. */
const maxConcurrentReads = 8

/** How long the page waits for one tenant. The query continues in the background, so a later page can show its
 *  result. */
const tenantTimeoutMs = 500

/** After this time, the page does not start reading another tenant's figures. */
const pageTimeoutMs = 1500

/** Returns the figures by tenant id. `skipped`: the ids of tenants whose databases must not be read. */
export async function readTenantFigures(
  deps: PanelDependencies,
  tenants: readonly Tenant[],
  skipped: ReadonlySet<string>,
): Promise<Map<string, TenantFigures>> {
  const figuresById = new Map<string, TenantFigures>()
  const waiting = tenants.filter(({ id }) => !skipped.has(id))
  const deadline = performance.now() + pageTimeoutMs
  async function readNextTenants(): Promise<void> {
    for (let tenant = waiting.shift(); tenant && performance.now() < deadline; tenant = waiting.shift()) {
      const timeout = wait(tenantTimeoutMs, undefined, { ref: false })
      const figures = await Promise.race([readOrLog(deps, tenant), timeout])
      if (figures) figuresById.set(tenant.id, figures)
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentReads }, readNextTenants))
  return figuresById
}

/** Logs a bug instead of throwing it, so that the page still shows the other tenants. Outages are not logged here,
 *  because health checks report them. */
async function readOrLog(deps: PanelDependencies, tenant: Tenant): Promise<TenantFigures | undefined> {
  try {
    return await readFigures(deps, tenant)
  } catch (err) {
    const isOutage = err instanceof Unavailable || err instanceof TooSlow
    if (!isOutage) deps.log.error({ err, tenant: tenant.slug }, "a tenant's figures could not be read")
    return undefined
  }
}

async function readFigures(deps: PanelDependencies, tenant: Tenant): Promise<TenantFigures> {
  const { body } = await deps.engine.run(tenant, settingsOperations.settings, { name: tenant.name })
  const { time_zone: timeZone, warranty_notice_days: noticeDays } = JSON.parse(body)
  const { resources, listTimeoutMs } = deps
  const summaryQuery = summaryRequest({ resources, listTimeoutMs, now: deps.now(), timeZone, noticeDays })
  const { summary, latestAt } = await deps.summaries.read(tenant, summaryQuery)
  const { counts } = summary
  const people = countCurrentPeople(summary)
  return { assets: counts.hardware ?? 0, people, toDos: countToDos(summary), latestAt }
}
