// Removes history that is older than its retention, in the background. Each step is a short operation in the tenant's queue, so
// requests of the same tenant and of others pass between two steps.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalog } from '../catalog/catalog.ts'
import { releaseLease, takeLease } from '../catalog/leases.ts'
import type { Storage } from '../storage/storage.ts'
import type { HistoryArchive } from './history-archive.ts'
import { isActive, listTenants, type Tenant } from './tenants.ts'

/** Rows that are read, and written to the archive, at a time. */
const rowsPerPage = 2000

/** Rows per step: removing them takes some milliseconds. */
const rowsPerStep = 200

/** Leaves time to requests between two steps. */
const pauseMs = 10

const dayMs = 86_400_000

export type RetentionDependencies = {
  catalog: Catalog
  storage: Pick<Storage, 'run'>
  /** Days that the history is kept unless the tenant has a number of its own; 0: for ever. */
  defaultDays: number
  /** Undefined: rows are removed without being kept elsewhere. */
  archive: HistoryArchive | undefined
  now: () => Date
  /** A tenant whose rows could not be removed; the next run tries again. */
  report: (tenant: Tenant, error: Error) => void
  signal: AbortSignal
}

/** One node at a time does this: two would write rows to the archive twice. */
const leaseName = 'history_retention'
const renewAfterMs = 10_000

/** Removes what is due of all tenants. Returns the number of rows. */
export async function removeOldHistory(deps: RetentionDependencies): Promise<number> {
  const token = randomUUID()
  let renewedAt = Number.NEGATIVE_INFINITY
  const mayContinue = async () => {
    if (deps.signal.aborted) return false
    if (performance.now() - renewedAt < renewAfterMs) return true
    renewedAt = performance.now()
    return takeLease(deps.catalog, leaseName, token)
  }
  return removeOfAll(deps, mayContinue).finally(() => releaseLease(deps.catalog, leaseName, token))
}

async function removeOfAll(deps: RetentionDependencies, mayContinue: () => Promise<boolean>): Promise<number> {
  let rows = 0
  for (const tenant of await listTenants(deps.catalog)) {
    const days = tenant.history_days ?? deps.defaultDays
    if (days === 0 || !isActive(tenant, deps.now())) continue
    if (!(await mayContinue())) break
    try {
      rows += await removeOfTenant(deps, tenant, days, mayContinue)
    } catch (error) {
      deps.report(tenant, error as Error)
    }
  }
  return rows
}

/** Rows are in the archive, durably, before they are removed. */
async function removeOfTenant(
  { storage, archive, now }: RetentionDependencies,
  tenant: Tenant,
  days: number,
  mayContinue: () => Promise<boolean>,
): Promise<number> {
  const before = new Date(now().getTime() - days * dayMs).toISOString()
  for (let removed = 0; ; ) {
    const { after, rows } = await storage.run(tenant, 'oldChanges', { before, limit: rowsPerPage })
    if (rows.length === 0) return removed
    await archive?.append(tenant, rows)
    let last = after
    for (let at = 0; at < rows.length; at += rowsPerStep) {
      const step = rows.slice(at, at + rowsPerStep)
      const upTo = step.at(-1)!.seq as number
      const isRemoved = (await mayContinue()) && (await storage.run(tenant, 'removeChanges', { after: last, upTo }))
      if (!isRemoved) return removed // the process ends, or another node does the same
      removed += step.length
      last = upTo
      await wait(pauseMs)
    }
  }
}
