// Removes history after its retention period, in the background. Each step is a short operation in the tenant's queue,
// so that other requests are served between steps.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Catalog, isActive } from '../../catalog/catalog.ts'
import { releaseLease, takeLease } from '../../catalog/tables/leases.ts'
import { retentionOperations } from '../../domain/history/retention.ts'
import type { Engine } from '../../engine/engine.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { listTenants, type Tenant } from '../tenants.ts'

/** Rows that are looked up together. */
const rowsPerPage = 2000

/** Rows per step: removing them takes a few milliseconds. */
const rowsPerStep = 200

/** The pause between steps, which leaves time for requests. */
const pauseMs = 10

const dayMs = 86_400_000

export type RetentionDependencies = {
  catalog: Catalog
  engine: Pick<Engine, 'run'>
  /** The retention period in days, for tenants that do not have their own setting; 0: forever. */
  defaultDays: number
  now: () => Date
  /** Called for a tenant whose rows could not be removed; the next run retries. */
  report: (tenant: Tenant, reason: string) => void
  signal: AbortSignal
}

/** Only one node at a time removes history, because other nodes would only repeat its work. */
const leaseName = 'history_retention'
const renewAfterMs = 10_000

/** Removes the expired history of all active tenants. Returns the number of rows removed. */
export async function removeOldHistory(deps: RetentionDependencies): Promise<number> {
  const token = randomUUID()
  let renewedAt = Number.NEGATIVE_INFINITY
  const mayContinue = async () => {
    if (deps.signal.aborted) return false
    if (performance.now() - renewedAt < renewAfterMs) return true
    renewedAt = performance.now()
    return takeLease(deps.catalog, leaseName, token)
  }
  return removeForAllTenants(deps, mayContinue).finally(() => releaseLease(deps.catalog, leaseName, token))
}

async function removeForAllTenants(deps: RetentionDependencies, mayContinue: () => Promise<boolean>): Promise<number> {
  let rows = 0
  for (const tenant of await listTenants(deps.catalog)) {
    const days = tenant.history_days ?? deps.defaultDays
    if (days === 0 || !isActive(tenant, deps.now())) continue
    if (!(await mayContinue())) break
    try {
      rows += await removeForTenant(deps, tenant, days, mayContinue)
    } catch (error) {
      deps.report(tenant, errorMessageOf(error))
    }
  }
  return rows
}

async function removeForTenant(
  { engine, now }: RetentionDependencies,
  tenant: Tenant,
  days: number,
  mayContinue: () => Promise<boolean>,
): Promise<number> {
  const before = new Date(now().getTime() - days * dayMs).toISOString()
  for (let removed = 0; ; ) {
    const { after, seqs } = await engine.run(tenant, retentionOperations.oldChanges, { before, limit: rowsPerPage })
    if (seqs.length === 0) return removed
    let last = after
    for (let start = 0; start < seqs.length; start += rowsPerStep) {
      const step = seqs.slice(start, start + rowsPerStep)
      const upTo = step.at(-1)!
      const isRemoved =
        (await mayContinue()) && (await engine.run(tenant, retentionOperations.removeChanges, { after: last, upTo }))
      if (!isRemoved) return removed // the process is stopping, or another node removes the rows
      removed += step.length
      last = upTo
      await wait(pauseMs)
    }
  }
}
