// Which tenants' databases fail. Every operation of a tenant is evidence, and idle databases are checked a few at a time.

import { setTimeout as wait } from 'node:timers/promises'
import { Busy, Damaged, Unavailable } from '../database/database.ts'
import { MigrationFailed } from './migration-queue.ts'
import type { Storage, TenantLocation } from './storage.ts'

export const failureKinds = ['unreachable', 'damaged', 'migration_failed'] as const

export type FailureKind = (typeof failureKinds)[number]

/** Remembers how the last operation of each tenant ended. Failing tenants alone take memory. */
export type HealthRecord = {
  succeeded(tenant: string): void
  failed(tenant: string, error: unknown): void
  /** Forgets tenants that no longer exist. */
  keepOnly(tenants: ReadonlySet<string>): void
  failures: ReadonlyMap<string, FailureKind>
}

export function createHealthRecord(): HealthRecord {
  const failures = new Map<string, FailureKind>()
  return {
    failures,
    succeeded(tenant) {
      if (failures.size > 0) failures.delete(tenant)
    },
    failed(tenant, error) {
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
  /** Checks some databases, and returns the ids of the tenants whose last operation failed or that did not answer in time. */
  unreachableAmong(tenants: TenantLocation[]): Promise<Set<string>>
  /** Checks some databases that fail or were not checked for a while, however long they take. */
  check(tenants: TenantLocation[]): Promise<void>
}

/** Databases checked at once, because a check opens an idle tenant's file. Failing ones come first, then those checked longest
 *  ago, so that in a large installation each turn checks other tenants. */
const checksPerTurn = 25

/** A database that works is not checked again before: an idle file is closed, and stays so. */
const recheckAfterMs = 10 * 60_000

/** How long a page waits for a database. */
const pageTimeoutMs = 300

/** `record`: is told of every operation of `storage`. */
export function watchDatabases(storage: Pick<Storage, 'run'>, record: HealthRecord): DatabaseHealth {
  const checkedAt = new Map<string, number>() // by performance.now()
  const late = new Set<string>()

  async function ping(tenant: TenantLocation): Promise<void> {
    await storage.run(tenant, 'ping', null).catch(() => {}) // the record knows
    late.delete(tenant.id)
  }

  /** Forgets tenants that no longer exist. */
  function forgetOthers(tenants: TenantLocation[]): void {
    const ids = new Set(tenants.map(({ id }) => id))
    record.keepOnly(ids)
    for (const each of [checkedAt.keys(), late.keys()])
      for (const id of each) {
        if (ids.has(id)) continue
        checkedAt.delete(id)
        late.delete(id)
      }
  }

  function choose(tenants: TenantLocation[]): TenantLocation[] {
    const rank = ({ id }: TenantLocation) => (record.failures.has(id) || late.has(id) ? -2 : (checkedAt.get(id) ?? -1))
    const chosen = tenants.toSorted((one, other) => rank(one) - rank(other)).slice(0, checksPerTurn)
    for (const { id } of chosen) checkedAt.set(id, performance.now())
    return chosen
  }

  return {
    async unreachableAmong(tenants) {
      forgetOthers(tenants)
      await Promise.all(
        choose(tenants).map(async (tenant) => {
          const isLate = await Promise.race([ping(tenant).then(() => false), wait(pageTimeoutMs, true, { ref: false })])
          if (isLate) late.add(tenant.id)
        }),
      )
      return new Set([...record.failures.keys(), ...late])
    },
    async check(tenants) {
      const before = performance.now() - recheckAfterMs
      const isDue = ({ id }: TenantLocation) => record.failures.has(id) || (checkedAt.get(id) ?? -Infinity) < before
      forgetOthers(tenants)
      await Promise.all(choose(tenants.filter(isDue)).map(ping))
    },
  }
}
