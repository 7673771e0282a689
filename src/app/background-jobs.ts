// The background jobs of a server: they clean up abandoned moves, creations and deletions, migrate tenants, check
// databases, remove old history and maintain the audit log.

import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { maintainEvents } from '../catalog/audit/limited-events.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { deleteOldPages } from '../catalog/tables/kept-pages.ts'
import type { Config } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import type { TenantDatabases } from '../engine/tenant-databases.ts'
import type { DatabaseHealth, HealthRecord } from '../engine/tenant-health.ts'
import type { Metrics } from '../http/metrics.ts'
import { repeat } from '../lib/concurrency.ts'
import { type Report, removeLeftovers } from '../tenants/databases/leftover-databases.ts'
import { type DatabaseWatch, startDatabaseWatch, type WatchDependencies } from '../tenants/databases/watch-databases.ts'
import { finishTenants } from '../tenants/lifecycle.ts'
import { type MigrationRunEvents, migrateAllTenants } from '../tenants/migrations/migrate-all.ts'
import type { MigrationStatus } from '../tenants/migrations/migration-status.ts'
import { finishMoves } from '../tenants/move/move.ts'
import { removeOldHistory } from '../tenants/retention/retention.ts'
import type { Tenant } from '../tenants/tenants.ts'
import { keepDiskReserve } from './disk-reserve.ts'

export type BackgroundJobDependencies = {
  catalog: Catalog
  databases: TenantDatabases
  engine: Engine
  migrationStatus: MigrationStatus
  metrics: Metrics
  log: Logger
  now: () => Date
  health: DatabaseHealth
  record: HealthRecord
  config: Config
  /** The interval at which abandoned moves, creations and deletions are cleaned up. */
  sweepIntervalMs?: number | undefined
  /** The interval at which the reserve for a full disk is checked. */
  reserveIntervalMs?: number | undefined
  /** The interval at which history older than its retention is removed. */
  retentionIntervalMs?: number | undefined
  /** The interval at which databases are checked. */
  watchIntervalMs?: number | undefined
}

const defaultSweepIntervalMs = 10_000

const defaultReserveIntervalMs = 60_000

const maintainEventsIntervalMs = 10_000

const keptPagesIntervalMs = 60_000

const flushStatusIntervalMs = 1000

const defaultRetentionIntervalMs = 60 * 60_000

/** How long `close` waits for a running migration. A migration that takes longer is rolled back. */
const closeTimeoutMs = 1000

/** If the cause of a warning persists, the warning is logged again after this time. */
const repeatWarningAfterMs = 60 * 60_000

/** Starts all jobs. `close` stops them. */
export function startBackgroundJobs(deps: BackgroundJobDependencies): {
  databaseWatch: DatabaseWatch
  close(): Promise<void>
} {
  const { catalog, migrationStatus: status, now, config } = deps
  const databaseWatch = startDatabaseWatch({ ...deps, events: watchEvents(deps), intervalMs: deps.watchIntervalMs })
  const jobs = [
    databaseWatch,
    startSweep(deps),
    startRetention(deps),
    repeat(maintainEventsIntervalMs, () => maintainEvents(catalog, now(), config.AUDIT_RETENTION_DAYS)),
    repeat(keptPagesIntervalMs, () => deleteOldPages(catalog, now())),
    repeat(flushStatusIntervalMs, () => status.flush(catalog)),
    repeat(deps.reserveIntervalMs ?? defaultReserveIntervalMs, () => keepDiskReserve(config)),
  ]
  const migrations = startMigrations(deps)
  return {
    databaseWatch,
    async close() {
      for (const job of jobs) job.stop()
      await migrations.end()
      await status.flush(catalog).catch(() => {}) // harmless if it fails: the next migration run records the status
    },
  }
}

function watchEvents({ log }: BackgroundJobDependencies): WatchDependencies['events'] {
  return {
    tenantChanged({ slug: tenant }, reason) {
      if (reason) log.warn({ tenant, reason }, "a tenant's database is failing")
      else log.info({ tenant }, "a tenant's database works again")
    },
    serverChanged(server, reason) {
      if (reason !== null) log.error({ server, reason }, 'a database server does not respond')
      else log.info({ server }, 'a database server responds again')
    },
  }
}

/** Finishes abandoned moves and deletions, and removes leftover databases and tenants whose creation was abandoned. */
function startSweep({ catalog, databases, log, sweepIntervalMs }: BackgroundJobDependencies): { stop(): void } {
  const isDue = createThrottle(repeatWarningAfterMs)

  const report: Report = (failure) => {
    if (isDue(`${failure.tenant} ${failure.server}`))
      log.warn(failure, 'an abandoned move or deletion cannot be finished yet and will be retried')
  }

  async function sweep(): Promise<void> {
    await finishMoves(catalog, databases, report)
    await finishTenants(catalog, databases, new Date(), report)
    await removeLeftovers(catalog, databases, report)
  }

  function onFailure({ message: reason }: Error): void {
    if (isDue('')) log.warn({ reason }, 'abandoned moves and deletions cannot be finished yet and will be retried')
  }

  return repeat(sweepIntervalMs ?? defaultSweepIntervalMs, sweep, onFailure)
}

/** Removes history that is older than its retention. */
function startRetention({ catalog, engine, config, log, now, retentionIntervalMs }: BackgroundJobDependencies): {
  stop(): void
} {
  const stopping = new AbortController()
  const deps = {
    catalog,
    engine,
    now,
    signal: stopping.signal,
    defaultDays: config.HISTORY_RETENTION_DAYS,
    report: ({ slug }: Tenant, reason: string) =>
      log.warn({ tenant: slug, reason }, 'old history could not be removed and stays until the next run'),
  }
  const job = repeat(
    retentionIntervalMs ?? defaultRetentionIntervalMs,
    () => removeOldHistory(deps),
    ({ message: reason }) => log.warn({ reason }, 'old history could not be removed and stays until the next run'),
  )
  return {
    stop() {
      stopping.abort()
      job.stop()
    },
  }
}

/** Returns a function that tells whether to report on a subject: it returns true at most once per subject and
 *  interval. */
function createThrottle(intervalMs: number): (subject: string) => boolean {
  const lastAt = new Map<string, number>()
  return (subject) => {
    const isDue = Date.now() - (lastAt.get(subject) ?? 0) >= intervalMs
    if (isDue) lastAt.set(subject, Date.now())
    return isDue
  }
}

/** Migrates all tenants once, in the background. */
function startMigrations({ catalog, engine, migrationStatus: status, log, metrics }: BackgroundJobDependencies) {
  const ending = new AbortController()
  const events: MigrationRunEvents = {
    migrated({ slug }, failure) {
      if (failure) log.error({ tenant: slug, reason: failure.message }, 'the migration of a tenant failed')
    },
    stopped(remaining) {
      metrics.migrationRunEnded('stopped')
      log.error(
        { left: remaining },
        'the migration run stopped after a failure: fix the failed tenant, and restart the server',
      )
    },
    finished(count, failures) {
      metrics.migrationRunEnded('finished')
      log.info({ count, failures }, 'the migration run finished')
    },
  }
  const run = migrateAllTenants({ catalog, engine, status, events, signal: ending.signal }).catch((error: Error) => {
    log.error({ reason: error.message }, 'the migration run failed')
  })
  return {
    async end(): Promise<void> {
      ending.abort()
      await Promise.race([run, wait(closeTimeoutMs, undefined, { ref: false })])
    },
  }
}
