// Brings every tenant to the present schema after a start, beside the requests: first one, then ten, then all. A tenant that
// is asked for is brought up by that request already; this is for those that sleep.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { releaseLease, takeLease } from '../catalog/leases.ts'
import { Unavailable } from '../database/database.ts'
import { MigrationFailed, SchemaTooNew } from '../storage/migration-queue.ts'
import type { Storage, TenantLocation } from '../storage/storage.ts'
import type { MigrationStatus } from './migration-status.ts'

/** What the sweep says of itself. */
export type MigrationRunEvents = {
  /** One tenant, done or not. */
  migrated(tenant: { slug: string }, failure: Unavailable | null): void
  /** Because a migration failed that was to show whether others can be done. */
  stopped(left: number): void
  finished(count: number, failures: number): void
}

export type MigrationRun = {
  catalog: Catalog
  storage: Storage
  status: MigrationStatus
  /** The present schema. */
  version: number
  events: MigrationRunEvents
  signal: AbortSignal
}

type Behind = TenantLocation & { slug: string }

/** So many have to succeed before the next step; one that fails among them stops the sweep. */
const canaries = [1, 10]

/** How many are done at once in the end. */
const atOnce = 2

/** After each, a pause as long as it took, within these bounds: requests have at least half of the machine. Milliseconds. */
const shortestPause = 2
const longestPause = 1000

/** How often what became of tenants is written down, and the lease renewed. Milliseconds. */
const writeEvery = 1000

/** How often a node that found another one at it looks again. Milliseconds. */
const pollIntervalMs = 10_000

const leaseName = 'migrations'

/** Sweeps once, when no other node does; ends early when it is told to. Throws Unavailable. */
export async function migrateAllTenants(sweep: MigrationRun): Promise<void> {
  const token = randomUUID()
  while (!sweep.signal.aborted && (await findBehind(sweep)).length > 0) {
    if (await takeLease(sweep.catalog, leaseName, token)) {
      await migrateAll(sweep, token).finally(() => releaseLease(sweep.catalog, leaseName, token))
      return
    }
    await wait(pollIntervalMs, undefined, { signal: sweep.signal, ref: false }).catch(() => {})
  }
}

/** Those that have failed before come first: what was mended since shows with them. */
async function findBehind({ catalog, version }: MigrationRun): Promise<Behind[]> {
  const sql = `select id, slug, server from tenants
    where state not in ${transitionalStates} and coalesce(schema_version, 0) < ?
    order by case when migration_error is null then 1 else 0 end, id`
  return (await catalog.database.all(sql, [version])) as Behind[]
}

async function migrateAll(sweep: MigrationRun, token: string): Promise<void> {
  const behind = await findBehind(sweep)
  const total = behind.length
  let failures = 0
  let writtenAt = Date.now()

  async function write(): Promise<void> {
    writtenAt = Date.now()
    await sweep.status.flush()
    if (!(await takeLease(sweep.catalog, leaseName, token))) throw new Unavailable('another node migrates the tenants')
  }

  for (const canary of canaries) {
    for (let done = 0; done < canary && behind.length > 0 && !sweep.signal.aborted; ) {
      const failure = await migrateOne(sweep, behind.shift()!)
      if (failure) failures++
      else done++
      if (!(failure instanceof MigrationFailed)) continue // an outage says nothing of the migration
      await sweep.status.flush()
      sweep.events.stopped(behind.length)
      return
    }
    await write()
  }
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = behind.shift(); next && !sweep.signal.aborted; next = behind.shift()) {
        if (await migrateOne(sweep, next)) failures++
        if (Date.now() - writtenAt > writeEvery) await write()
      }
    }),
  )
  await sweep.status.flush()
  if (!sweep.signal.aborted) sweep.events.finished(total, failures)
}

/** What went wrong, if anything did. */
async function migrateOne(
  { storage, status: notes, events, signal }: MigrationRun,
  tenant: Behind,
): Promise<Unavailable | null> {
  const start = performance.now()
  const failure = await storage.migrate(tenant).then(
    () => null,
    (error: Error) => (error instanceof Unavailable ? error : new MigrationFailed(error.message)),
  )
  if (!(failure instanceof SchemaTooNew)) notes.record(tenant.id, failure?.message ?? null)
  events.migrated(tenant, failure)
  const pause = Math.min(Math.max(performance.now() - start, shortestPause), longestPause)
  await wait(pause, undefined, { signal, ref: false }).catch(() => {})
  return failure
}
