// Opens the databases, and checks the conditions for starting the service.

import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openPepper, type Pepper } from '../catalog/pepper/pepper.ts'
import { Unavailable } from '../engine/database/database.ts'
import { descriptorLimit, neededDescriptors, shareDescriptors } from '../engine/descriptors.ts'
import { defaultLimits, type LimitedEngine, limitInFlight } from '../engine/engine.ts'
import { createHealthRecord, type DatabaseHealth, type HealthRecord, watchDatabases } from '../engine/tenant-health.ts'
import { type Databases, openDatabases, StartError } from '../tenants/databases/open-databases.ts'
import { finishTenants } from '../tenants/lifecycle.ts'
import type { Context } from './context.ts'
import { releaseDiskReserve } from './disk-reserve.ts'

/** Opens the catalog and the tenants' databases, even on a full disk. */
export async function openEngine({
  config,
  resources,
  overrides,
  log,
  metrics,
  migrationStatus,
}: Context): Promise<Databases> {
  await releaseDiskReserve(config, log)
  return openDatabases(config, resources, {
    makeProduct: overrides.makeProduct,
    workers: overrides.workers,
    openFiles: overrides.openFiles,
    queueTimeoutMs: overrides.queueTimeoutMs,
    migrationTimeoutMs: overrides.migrationTimeoutMs,
    onCrash: (error) => log.error({ err: error }, 'a worker thread of the SQLite engine crashed and was replaced'),
    onMigrated(tenant, failure) {
      migrationStatus.record(tenant, failure)
      metrics.engine.migrated(failure === null)
    },
    metrics: metrics.engine,
  })
}

/** `record`: keeps track of the tenants whose databases are failing. `connections`: the maximum number of HTTP
 *  connections. */
export type PreparedCatalog = {
  pepper: Pepper
  engine: LimitedEngine
  record: HealthRecord
  health: DatabaseHealth
  connections: number
  warnings: string[]
}

/** What the jobs and the HTTP server of a service work with. */
export type PreparedContext = Context & Pick<Databases, 'catalog' | 'databases'> & PreparedCatalog

/** Checks the conditions for starting, and removes tenants whose creation or deletion was interrupted by a crash. */
export async function prepareCatalog(
  { config, overrides, now, metrics }: Context,
  databases: Databases,
): Promise<PreparedCatalog> {
  const { connections, warnings } = await planDescriptors(databases)
  const pepper = await openPepper(databases.catalog, resolve(config.DATA_DIR), config.API_KEY_PEPPER)
  const record = createHealthRecord()
  const engine = limitInFlight(databases.startEngine(), overrides.waiting ?? defaultLimits, metrics.engine, record)
  await finishTenants(databases.catalog, databases.databases, now())
  return { pepper, engine, record, health: watchDatabases(engine, record), connections, warnings }
}

/** Divides the process's file descriptors between connections and tenant files. Throws StartError if the limit is too
 *  low. */
async function planDescriptors(databases: Databases): Promise<{ connections: number; warnings: string[] }> {
  const [limit, use] = [descriptorLimit(), await databases.descriptorUse()]
  const { minimum, desired } = neededDescriptors(use)
  if (limit < minimum) {
    throw new StartError(`This process may open ${limit} files (ulimit -n), but a server needs at least ${minimum}.`)
  }
  const { openFiles, connections } = shareDescriptors(limit, use)
  if (openFiles === use.openFiles) return { connections, warnings: [] }
  const warning =
    `This process may open ${limit} files (ulimit -n), so it keeps only ${openFiles} tenant files open instead of ` +
    `${use.openFiles}. Raise the limit to at least ${desired}.`
  return { connections, warnings: [warning] }
}

const retryIntervalMs = 500

/** The interval at which the wait is logged. */
const logIntervalMs = 5000

export type WaitOptions = { timeoutMs: number; log: Logger; signal?: AbortSignal | undefined }

/** Waits for PostgreSQL at startup, because a server may start before its database, for example after a power cut.
 *  Repeats `open` while it throws Unavailable. Throws the last error once the timeout has passed or `signal` is
 *  aborted. */
export async function waitForDatabase<T>(open: () => Promise<T>, { timeoutMs, log, signal }: WaitOptions): Promise<T> {
  const startedAt = performance.now()
  let nextLogAt = startedAt
  for (;;) {
    try {
      return await open()
    } catch (error) {
      const now = performance.now()
      if (!(error instanceof Unavailable) || now - startedAt >= timeoutMs || signal?.aborted) throw error
      if (now >= nextLogAt) {
        const secondsLeft = Math.ceil((startedAt + timeoutMs - now) / 1000)
        log.warn({ reason: error.message, secondsLeft }, 'waiting for PostgreSQL')
        nextLogAt = now + logIntervalMs
      }
    }
    await wait(retryIntervalMs, undefined, { signal }).catch(() => {}) // if aborted, the next attempt is the last one
  }
}
