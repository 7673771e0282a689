// Migrates all tenants to the current schema in the background after a start: first one, then ten, then the rest. Active
// tenants are migrated by their next request; this covers the idle ones.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { releaseLease, takeLease } from '../catalog/leases.ts'
import { Unavailable } from '../database/database.ts'
import { MigrationFailed, SchemaTooNew } from '../storage/migration-queue.ts'
import type { Storage, TenantLocation } from '../storage/storage.ts'
import type { MigrationStatus } from './migration-status.ts'

export type MigrationRunEvents = {
  /** Called after each tenant. */
  migrated(tenant: { slug: string }, failure: Unavailable | null): void
  /** Called when the migration of a canary tenant failed. `left`: tenants not migrated. */
  stopped(left: number): void
  finished(count: number, failures: number): void
}

export type MigrationRun = {
  catalog: Catalog
  storage: Storage
  status: MigrationStatus
  /** The current schema version. */
  version: number
  events: MigrationRunEvents
  signal: AbortSignal
}

type OutdatedTenant = TenantLocation & { slug: string }

/** Canary steps: this many migrations have to succeed before the next step. A failure among them stops the run. */
const canaries = [1, 10]

/** After the canaries. */
const maxConcurrent = 2

/** After each migration comes a pause of the same length, within these bounds, so that at least half of the machine is left for
 *  requests. */
const minPauseMs = 2
const maxPauseMs = 1000

/** How often the migration status is written and the lease renewed. */
const flushIntervalMs = 1000

/** How often a node checks whether another node still holds the lease. */
const pollIntervalMs = 10_000

const leaseName = 'migrations'

/** Runs once, on one node at a time. `signal` aborts the run. Throws Unavailable. */
export async function migrateAllTenants(run: MigrationRun): Promise<void> {
  const token = randomUUID()
  while (!run.signal.aborted && (await findOutdatedTenants(run)).length > 0) {
    if (await takeLease(run.catalog, leaseName, token)) {
      await migrateAll(run, token).finally(() => releaseLease(run.catalog, leaseName, token))
      return
    }
    await wait(pollIntervalMs, undefined, { signal: run.signal, ref: false }).catch(() => {})
  }
}

/** Tenants whose last migration failed come first, to show whether the problem is fixed. */
async function findOutdatedTenants({ catalog, version }: MigrationRun): Promise<OutdatedTenant[]> {
  const sql = `select id, slug, server from tenants
    where state not in ${transitionalStates} and coalesce(schema_version, 0) < ?
    order by case when migration_error is null then 1 else 0 end, id`
  return (await catalog.database.all(sql, [version])) as OutdatedTenant[]
}

async function migrateAll(run: MigrationRun, token: string): Promise<void> {
  const outdated = await findOutdatedTenants(run)
  const total = outdated.length
  let failures = 0
  let writtenAt = Date.now()

  async function write(): Promise<void> {
    writtenAt = Date.now()
    await run.status.flush()
    if (!(await takeLease(run.catalog, leaseName, token))) throw new Unavailable('another node migrates the tenants')
  }

  for (const canary of canaries) {
    for (let done = 0; done < canary && outdated.length > 0 && !run.signal.aborted; ) {
      const failure = await migrateOne(run, outdated.shift()!)
      if (failure) failures++
      else done++
      if (!(failure instanceof MigrationFailed)) continue // an outage says nothing about the migration
      await run.status.flush()
      run.events.stopped(outdated.length)
      return
    }
    await write()
  }
  await Promise.all(
    Array.from({ length: maxConcurrent }, async () => {
      for (let next = outdated.shift(); next && !run.signal.aborted; next = outdated.shift()) {
        if (await migrateOne(run, next)) failures++
        if (Date.now() - writtenAt > flushIntervalMs) await write()
      }
    }),
  )
  await run.status.flush()
  if (!run.signal.aborted) run.events.finished(total, failures)
}

/** Returns the failure, if any. */
async function migrateOne(
  { storage, status: notes, events, signal }: MigrationRun,
  tenant: OutdatedTenant,
): Promise<Unavailable | null> {
  const start = performance.now()
  const failure = await storage.migrate(tenant).then(
    () => null,
    (error: Error) => (error instanceof Unavailable ? error : new MigrationFailed(error.message)),
  )
  if (!(failure instanceof SchemaTooNew)) notes.record(tenant.id, failure?.message ?? null)
  events.migrated(tenant, failure)
  const pause = Math.min(Math.max(performance.now() - start, minPauseMs), maxPauseMs)
  await wait(pause, undefined, { signal, ref: false }).catch(() => {})
  return failure
}
