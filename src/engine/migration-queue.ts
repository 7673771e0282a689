// Migrates tenants to the current schema within this process, at most two at a time. Requests for a tenant that is
// being migrated wait at most 3 s by default; other tenants' requests do not wait.

import { createSemaphore } from '../lib/concurrency.ts'
import { errorMessageOf } from '../lib/errors.ts'
import { Unavailable } from './database/database.ts'

/** The migration failed and was rolled back: either the migration has a bug, or the data is not as expected. */
export class MigrationFailed extends Unavailable {}

/** A newer version has migrated the tenant, so this version cannot use it. This is not reported as a failure. */
export class SchemaTooNew extends Unavailable {}

/** Called after each migration, unless the schema is too new. `failure`: the error message, or null on
 *  success. */
export type OnMigrated = (tenant: string, failure: string | null) => void

export type Migrations = {
  /** Migrates now, or waits for a migration under way. Throws MigrationFailed, or Unavailable if the migration could
   *  not be attempted. */
  migrate(tenant: string): Promise<void>
  /** Like `migrate`, for a request: waits for a limited time, and does not immediately retry a failed migration. */
  await(tenant: string): Promise<void>
  isUnderWay(tenant: string): boolean
}

export type MigrationOptions = {
  onMigrated?: OnMigrated | undefined
  /** How long a request waits for a migration. */
  timeoutMs?: number | undefined
}

const defaultTimeoutMs = 3000

/** Requests do not retry a migration that failed less than this long ago: another attempt may take a long time to
 *  fail. */
const retryAfterMs = 5000

/** The maximum number of concurrent migrations, so that other threads and connections remain free for requests. */
const maxConcurrent = 2

/** The SQLite engine also uses this for compactions. */
export function openMigrations(
  migrateTenant: (tenant: string) => Promise<void>,
  { onMigrated = () => {}, timeoutMs = defaultTimeoutMs }: MigrationOptions = {},
): Migrations {
  const underWay = new Map<string, Promise<void>>()
  const failures = new Map<string, { failedAt: number; error: Unavailable }>()
  const migrating = createSemaphore(maxConcurrent)

  async function migrateNow(tenant: string): Promise<void> {
    try {
      await migrateTenant(tenant)
      failures.delete(tenant)
      onMigrated(tenant, null)
    } catch (error) {
      const failure = error instanceof Unavailable ? error : new MigrationFailed(errorMessageOf(error))
      failures.set(tenant, { failedAt: Date.now(), error: failure })
      if (!(failure instanceof SchemaTooNew)) onMigrated(tenant, failure.message)
      throw failure
    } finally {
      underWay.delete(tenant)
    }
  }

  function migrate(tenant: string): Promise<void> {
    const current = underWay.get(tenant)
    if (current) return current
    const migration = migrating.run(() => migrateNow(tenant))
    underWay.set(tenant, migration)
    return migration
  }

  async function awaitMigration(tenant: string): Promise<void> {
    const failure = failures.get(tenant)
    if (failure && Date.now() - failure.failedAt < retryAfterMs) throw failure.error
    const migration = migrate(tenant)
    migration.catch(() => {}) // already reported to onMigrated; rethrown to waiting callers below
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Unavailable('it is being migrated to the current schema')), timeoutMs)
    })
    await Promise.race([migration, timeout]).finally(() => clearTimeout(timer))
  }

  return { migrate, await: awaitMigration, isUnderWay: (tenant) => underWay.has(tenant) }
}
