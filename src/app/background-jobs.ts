// The background jobs of a server: they clean up abandoned moves, creations and deletions, migrate tenants, check
// databases, remove old history and maintain the audit log.

import { setTimeout as wait } from 'node:timers/promises'
import { maintainEvents } from '../catalog/audit/limited-events.ts'
import { deleteOldPages } from '../catalog/tables/kept-pages.ts'
import { repeat } from '../lib/concurrency.ts'
import { type Report, removeLeftovers } from '../tenants/databases/leftover-databases.ts'
import { type DatabaseWatch, startDatabaseWatch, type WatchDependencies } from '../tenants/databases/watch-databases.ts'
import { finishTenants } from '../tenants/lifecycle.ts'
import { migrateAllTenants } from '../tenants/migrations/migrate-all.ts'
import { finishMoves } from '../tenants/move/move.ts'
import { removeOldHistory } from '../tenants/retention/retention.ts'
import type { Tenant } from '../tenants/tenants.ts'
import { keepDiskReserve } from './disk-reserve.ts'
import type { PreparedContext } from './open-engine.ts'

/** How often each job runs. */
const intervalsMs = {
  sweep: 10_000,
  retention: 60 * 60_000,
  events: 10_000,
  keptPages: 60_000,
  migrationStatus: 1000,
  reserve: 60_000,
}

/** How long `close` waits for a running migration. A migration that takes longer is rolled back. */
const closeTimeoutMs = 1000

/** If the cause of a warning persists, the warning is logged again after this time. */
const repeatWarningAfterMs = 60 * 60_000

/** Starts all jobs. `close` stops them. */
export function startBackgroundJobs(context: PreparedContext): {
  databaseWatch: DatabaseWatch
  close(): Promise<void>
} {
  const { catalog, migrationStatus: status, now, config, overrides } = context
  const events = watchEvents(context)
  const databaseWatch = startDatabaseWatch({ ...context, events, intervalMs: overrides.watchIntervalMs })
  const jobs = [
    databaseWatch,
    startSweep(context),
    startRetention(context),
    repeat(intervalsMs.events, () => maintainEvents(catalog, now(), config.AUDIT_RETENTION_DAYS)),
    repeat(intervalsMs.keptPages, () => deleteOldPages(catalog, now())),
    repeat(intervalsMs.migrationStatus, () => status.flush(catalog)),
    repeat(overrides.reserveIntervalMs ?? intervalsMs.reserve, () => keepDiskReserve(config)),
  ]
  const migrations = startMigrations(context)
  return {
    databaseWatch,
    async close() {
      for (const job of jobs) job.stop()
      await migrations.end()
      await status.flush(catalog).catch(() => {}) // harmless if it fails: the next migration run records the status
    },
  }
}

function watchEvents({ log }: PreparedContext): WatchDependencies['events'] {
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
function startSweep({ catalog, databases, log, overrides }: PreparedContext): { stop(): void } {
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

  return repeat(overrides.sweepIntervalMs ?? intervalsMs.sweep, sweep, onFailure)
}

/** Removes history that is older than its retention. */
function startRetention(context: PreparedContext): { stop(): void } {
  const { config, log, overrides } = context
  const stopping = new AbortController()
  const deps = {
    ...context,
    signal: stopping.signal,
    defaultDays: config.HISTORY_RETENTION_DAYS,
    report: ({ slug }: Tenant, reason: string) =>
      log.warn({ tenant: slug, reason }, 'old history could not be removed and stays until the next run'),
  }
  const job = repeat(
    overrides.retentionIntervalMs ?? intervalsMs.retention,
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
function startMigrations({ catalog, engine, migrationStatus: status, log, metrics }: PreparedContext) {
  const ending = new AbortController()
  const onEnd = metrics.migrationRunEnded
  const { signal } = ending
  const run = migrateAllTenants({ catalog, engine, status, log, onEnd, signal }).catch((error: Error) => {
    log.error({ reason: error.message }, 'the migration run failed')
  })
  return {
    async end(): Promise<void> {
      ending.abort()
      await Promise.race([run, wait(closeTimeoutMs, undefined, { ref: false })])
    },
  }
}
