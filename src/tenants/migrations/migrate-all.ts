// Migrates all tenants to the current schema in the background after the server has started: first one, then ten, then
// all others. A request also migrates its own tenant, so this run is needed for idle tenants.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Catalog, transitionalStates } from '../../catalog/catalog.ts'
import { releaseLease, takeLease } from '../../catalog/tables/leases.ts'
import { Unavailable } from '../../engine/database/database.ts'
import type { Engine } from '../../engine/engine.ts'
import { MigrationFailed, SchemaTooNew } from '../../engine/migration-queue.ts'
import type { TenantLocation } from '../../engine/tenant-databases.ts'
import type { MigrationStatus } from './migration-status.ts'

/** `onEnd`: called when all tenants have been tried, or when the run stopped because a canary tenant's migration
 *  failed. */
export type MigrationRun = {
  catalog: Catalog
  engine: Engine
  status: MigrationStatus
  log: Logger
  onEnd(outcome: 'finished' | 'stopped'): void
  signal: AbortSignal
}

type OutdatedTenant = TenantLocation & { slug: string }

/** Canary steps: this many migrations must succeed before the next step. If one of them fails, the run stops. */
const canarySteps = [1, 10]

/** The maximum number of concurrent migrations after the canary steps. */
const maxConcurrent = 2

/** The pause after each migration is as long as the migration, within these bounds, to leave time for requests. */
const minPauseMs = 2
const maxPauseMs = 1000

/** After the canary steps, the migration status is written and the lease renewed at most this often. */
const flushIntervalMs = 1000

/** How often a node checks whether another node still holds the lease. */
const pollIntervalMs = 10_000

const leaseName = 'migrations'

/** Migrates all outdated tenants. Only one node at a time does so; other nodes wait. `signal` aborts the run. Throws
 *  Unavailable. */
export async function migrateAllTenants(run: MigrationRun): Promise<void> {
  const token = randomUUID()
  while (!run.signal.aborted && (await findOutdatedTenants(run)).length > 0) {
    if (await takeLease(run.catalog, leaseName, token)) {
      await migrateInSteps(run, token).finally(() => releaseLease(run.catalog, leaseName, token))
      return
    }
    await wait(pollIntervalMs, undefined, { signal: run.signal, ref: false }).catch(() => {})
  }
}

/** Tenants whose last migration failed come first, to show whether the problem is fixed. */
async function findOutdatedTenants({ catalog, status }: MigrationRun): Promise<OutdatedTenant[]> {
  const sql = `select id, slug, server from tenants
    where state not in ${transitionalStates} and coalesce(schema_version, 0) < ?
    order by case when migration_error is null then 1 else 0 end, id`
  return catalog.database.all<OutdatedTenant>(sql, [status.version])
}

async function migrateInSteps(run: MigrationRun, token: string): Promise<void> {
  const queue = await findOutdatedTenants(run)
  const total = queue.length
  let failures = 0
  for (const count of canarySteps) {
    const canaries = await migrateCanaries(run, queue, count)
    if (canaries === 'failed') {
      await run.status.flush(run.catalog)
      run.onEnd('stopped')
      const advice = 'fix the failed tenant, and restart the server'
      return run.log.error({ left: queue.length }, `the migration run stopped after a failure: ${advice}`)
    }
    failures += canaries.outages
    await flushAndRenew(run, token)
  }
  failures += await migrateRest(run, queue, token)
  await run.status.flush(run.catalog)
  if (run.signal.aborted) return
  run.onEnd('finished')
  run.log.info({ count: total, failures }, 'the migration run finished')
}

/** Takes tenants from the queue and migrates them one after another, until `count` migrations have succeeded or one has
 *  failed. An outage of a tenant's database says nothing about the migration, so it is neither a success nor a failure
 *  here. */
async function migrateCanaries(
  run: MigrationRun,
  queue: OutdatedTenant[],
  count: number,
): Promise<{ outages: number } | 'failed'> {
  let [succeeded, outages] = [0, 0]
  while (succeeded < count && queue.length > 0 && !run.signal.aborted) {
    const failure = await migrateOne(run, queue.shift()!)
    if (failure instanceof MigrationFailed) return 'failed'
    if (failure) outages++
    else succeeded++
  }
  return { outages }
}

/** Migrates the whole queue, a few tenants at a time. Returns the number of failures. */
async function migrateRest(run: MigrationRun, queue: OutdatedTenant[], token: string): Promise<number> {
  let failures = 0
  let flushedAt = Date.now()

  async function migrateFromQueue(): Promise<void> {
    for (let tenant = queue.shift(); tenant && !run.signal.aborted; tenant = queue.shift()) {
      if (await migrateOne(run, tenant)) failures++
      if (Date.now() - flushedAt <= flushIntervalMs) continue
      flushedAt = Date.now()
      await flushAndRenew(run, token)
    }
  }

  await Promise.all(Array.from({ length: maxConcurrent }, migrateFromQueue))
  return failures
}

/** Writes the migration status and renews the lease. Throws Unavailable if another node has taken the lease. */
async function flushAndRenew({ status, catalog }: MigrationRun, token: string): Promise<void> {
  await status.flush(catalog)
  if (!(await takeLease(catalog, leaseName, token))) throw new Unavailable('another node is migrating the tenants')
}

/** Returns the failure, if any. */
async function migrateOne(
  { engine, status, log, signal }: MigrationRun,
  tenant: OutdatedTenant,
): Promise<Unavailable | null> {
  const start = performance.now()
  const failure = await engine.migrate(tenant).then(
    () => null,
    (error: Error) => (error instanceof Unavailable ? error : new MigrationFailed(error.message)),
  )
  if (!(failure instanceof SchemaTooNew)) status.record(tenant.id, failure?.message ?? null)
  if (failure) log.error({ tenant: tenant.slug, reason: failure.message }, 'the migration of a tenant failed')
  const pause = Math.min(Math.max(performance.now() - start, minPauseMs), maxPauseMs)
  await wait(pause, undefined, { signal, ref: false }).catch(() => {})
  return failure
}
