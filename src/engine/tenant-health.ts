// Tracks which tenants' databases fail: by the result of every operation, and by checking idle databases a few at a
// time.

import { setTimeout as wait } from 'node:timers/promises'
import { Busy, Damaged, Unavailable } from './database/database.ts'
import type { Engine } from './engine.ts'
import { MigrationFailed } from './migration-queue.ts'
import { ping } from './operation.ts'
import type { TenantLocation } from './tenant-databases.ts'

export const failureKinds = ['unreachable', 'damaged', 'migration_failed'] as const

export type FailureKind = (typeof failureKinds)[number]

/** Records for which tenants the last operation failed. */
export type HealthRecord = {
  recordSuccess(tenant: string): void
  recordFailure(tenant: string, error: unknown): void
  /** Forgets tenants that no longer exist. */
  keepOnly(tenants: ReadonlySet<string>): void
  failures: ReadonlyMap<string, FailureKind>
}

export function createHealthRecord(): HealthRecord {
  const failures = new Map<string, FailureKind>()
  return {
    failures,
    recordSuccess(tenant) {
      if (failures.size > 0) failures.delete(tenant)
    },
    recordFailure(tenant, error) {
      if (error instanceof Unavailable && !(error instanceof Busy)) failures.set(tenant, kindOf(error))
    },
    keepOnly(tenants) {
      for (const id of failures.keys()) if (!tenants.has(id)) failures.delete(id)
    },
  }
}

function kindOf(error: Unavailable): FailureKind {
  if (error instanceof Damaged) return 'damaged'
  return error instanceof MigrationFailed ? 'migration_failed' : 'unreachable'
}

export type DatabaseHealth = {
  /** Checks some databases, and returns the ids of the tenants whose last operation failed or that did not answer in
   *  time. */
  unreachableAmong(tenants: TenantLocation[]): Promise<Set<string>>
  /** Checks some databases that fail or have not been checked for a while. Waits for every one of these databases,
   *  without a time limit. */
  check(tenants: TenantLocation[]): Promise<void>
}

/** The number of databases checked at the same time is limited, because a check opens an idle tenant's file. Failing
 *  databases come first, then the least recently checked ones, so that in a large installation each turn checks
 *  different tenants. */
const checksPerTurn = 25

/** A working database is checked no more often than this, so that an idle file can stay closed. */
const recheckAfterMs = 10 * 60_000

/** How long a page waits for a database. */
const pageTimeoutMs = 300

/** `record`: where the results of `engine`'s operations are recorded. */
export function watchDatabases(engine: Pick<Engine, 'run'>, record: HealthRecord): DatabaseHealth {
  const checkedAt = new Map<string, number>() // by performance.now()
  const late = new Set<string>()

  async function checkOne(tenant: TenantLocation): Promise<void> {
    await engine.run(tenant, ping, null).catch(() => {}) // `record` has the failure
    late.delete(tenant.id)
  }

  function forgetDeleted(tenants: TenantLocation[]): void {
    const ids = new Set(tenants.map(({ id }) => id))
    record.keepOnly(ids)
    for (const id of [...checkedAt.keys(), ...late]) {
      if (ids.has(id)) continue
      checkedAt.delete(id)
      late.delete(id)
    }
  }

  function choose(tenants: TenantLocation[]): TenantLocation[] {
    const rank = ({ id }: TenantLocation) => (record.failures.has(id) || late.has(id) ? -2 : (checkedAt.get(id) ?? -1))
    const nextTenants = tenants.toSorted((a, b) => rank(a) - rank(b)).slice(0, checksPerTurn)
    for (const { id } of nextTenants) checkedAt.set(id, performance.now())
    return nextTenants
  }

  return {
    async unreachableAmong(tenants) {
      forgetDeleted(tenants)
      await Promise.all(
        choose(tenants).map(async (tenant) => {
          const isLate = await Promise.race([
            checkOne(tenant).then(() => false),
            wait(pageTimeoutMs, true, { ref: false }),
          ])
          if (isLate) late.add(tenant.id)
        }),
      )
      return new Set([...record.failures.keys(), ...late])
    },
    async check(tenants) {
      const dueBefore = performance.now() - recheckAfterMs
      const isDue = ({ id }: TenantLocation) => record.failures.has(id) || (checkedAt.get(id) ?? -Infinity) < dueBefore
      forgetDeleted(tenants)
      await Promise.all(choose(tenants.filter(isDue)).map(checkOne))
    },
  }
}
