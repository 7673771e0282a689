// The components that /readyz reports on. Checks must be cheap, because a proxy sends a request every second. Longer
// checks run in the background, and /readyz reports their last results.

import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.ts'
import { findOverdue, findRun } from '../catalog/tables/backup-records.ts'
import type { Config } from '../config.ts'
import type { FailureKind, HealthRecord } from '../engine/tenant-health.ts'
import type { ForwardedReader } from '../http/headers.ts'
import {
  type Component,
  type ComponentHealth,
  type ComponentState,
  judgeFreeSpace,
  lateBackupMs,
  type Readiness,
} from '../http/health.ts'
import { errorCodeOf } from '../lib/errors.ts'
import { formatBytes, readDiskSpace } from '../lib/files/disk-space.ts'
import type { Redis } from '../lib/redis.ts'
import type { DatabaseWatch } from '../tenants/databases/watch-databases.ts'

export type ReadinessCheck = {
  /** The name in /readyz, in metrics and in the log. */
  component: Component
  /** If `check` throws, the error is logged and the component is reported as `error`. */
  check(): ComponentHealth | Promise<ComponentHealth>
}

export type ReadinessDependencies = {
  config: Config
  catalog: Catalog
  record: Pick<HealthRecord, 'failures'>
  databaseWatch: Pick<DatabaseWatch, 'unresponsiveServers'>
  forwarded: Pick<ForwardedReader, 'hasIgnoredClient'>
  /** The server of RATE_LIMIT_REDIS_URL, if it is set. */
  redis: Pick<Redis, 'outage'> | undefined
  now: () => Date
}

const ok: ComponentHealth = { status: 'ok' }

/** Returns each component's check, in the order of /readyz. Failing tenants, database servers and the server of
 *  RATE_LIMIT_REDIS_URL only cause warnings: every node sees the same outage, so a proxy would otherwise remove all
 *  nodes, and the other tenants would not be served either (docs/decisions/0027). */
export function readinessChecks(deps: ReadinessDependencies): readonly ReadinessCheck[] {
  const { config, catalog, record, databaseWatch, forwarded, redis } = deps
  const checks: (ReadinessCheck | false)[] = [
    { component: 'catalog', check: () => catalog.version().then(() => ok) },
    { component: 'data_directory', check: () => checkDataDirectory(config) },
    { component: 'database_servers', check: () => checkServers(databaseWatch.unresponsiveServers.size) },
    redis !== undefined && {
      component: 'rate_limit_server',
      check: () => (redis.outage() === null ? ok : countsByItself),
    },
    { component: 'proxy', check: () => (forwarded.hasIgnoredClient() ? untrustedProxy : ok) },
    { component: 'tenants', check: () => checkTenants([...record.failures.values()]) },
    config.BACKUP_EVERY !== null && { component: 'backups', check: () => checkBackups(deps) },
  ]
  return checks.filter((check) => check !== false)
}

/** A component whose check takes longer than this is reported as not responding, because proxies wait only a few
 *  seconds for /readyz. */
const checkTimeoutMs = 5000

/** Runs the checks concurrently, and logs when a component's state changes. */
export function openReadiness(checks: readonly ReadinessCheck[], log: Logger): Readiness {
  const lastStatus = new Map<string, ComponentHealth['status']>()

  async function run({ component, check }: ReadinessCheck): Promise<ComponentState> {
    let reason: string | undefined
    const timeout = new AbortController()
    const timeoutError = wait(checkTimeoutMs, undefined, { ref: false, signal: timeout.signal }).then(() => {
      throw new Error(`no answer within ${checkTimeoutMs} ms`)
    })
    const finding = await Promise.race([(async () => check())(), timeoutError]).catch(
      (error: Error): ComponentHealth => {
        reason = error.message
        return { status: 'error', message: 'It is not responding.' }
      },
    )
    timeout.abort()
    report({ component, ...finding }, reason)
    return { component, ...finding }
  }

  function report(state: ComponentState, reason: string | undefined): void {
    const { component, status } = state
    const previous = lastStatus.get(component) ?? 'ok'
    lastStatus.set(component, status)
    if (status === previous) return
    if (status === 'ok') log.info({ component }, 'a component is ready again')
    else {
      const text = status === 'error' ? 'a component is not ready' : 'a component needs attention'
      log[status === 'error' ? 'error' : 'warn']({ component, reason: reason ?? state.message }, text)
    }
  }

  return { check: () => Promise.all(checks.map(run)) }
}

/** If DATABASE_URL and API_KEY_PEPPER are set, the directory contains only temporary files for uploads and backups. The
 *  directory is created together with the first of these files. */
async function checkDataDirectory(config: Config): Promise<ComponentHealth> {
  const directory = resolve(config.DATA_DIR)
  try {
    await access(directory, constants.W_OK)
    return checkSpace((await readDiskSpace(directory)).freeBytes, config.MIN_FREE_DISK_BYTES)
  } catch (error) {
    if (config.DATABASE_URL !== '' && errorCodeOf(error) === 'ENOENT') return ok
    return { status: 'error', message: 'It cannot be written to.' }
  }
}

/** Returns a warning or an error if the free space is too low. */
function checkSpace(freeBytes: number, minBytes: number): ComponentHealth {
  const [status, free] = [judgeFreeSpace(freeBytes, minBytes), `Only ${formatBytes(freeBytes)} free`]
  if (status === 'ok') return ok
  if (status === 'error')
    return { status, message: `${free}, less than MIN_FREE_DISK_BYTES (${formatBytes(minBytes)}).` }
  return { status, message: `${free}. The node is not ready below ${formatBytes(minBytes)}.` }
}

const countsByItself: ComponentHealth = {
  status: 'warning',
  message: 'The server of RATE_LIMIT_REDIS_URL is not responding: each node counts requests by itself.',
}

const untrustedProxy: ComponentHealth = {
  status: 'warning',
  message: 'Requests come through a proxy, but TRUST_PROXY is not set: all clients have the same address.',
}

/** Neither late nor failed backups make a node unready. */
async function checkBackups({ catalog, config, now }: ReadinessDependencies): Promise<ComponentHealth> {
  const { tenants, since } = await findOverdue(catalog, lateBackupMs(config.BACKUP_EVERY), now())
  if (tenants > 0) return { status: 'warning', message: `Tenants without a backup since ${since}: ${tenants}.` }
  const run = await findRun(catalog, resolve(config.BACKUP_DIR))
  return run?.failed_at ? { status: 'warning', message: `The backup at ${run.failed_at} failed.` } : ok
}

function checkServers(silentCount: number): ComponentHealth {
  if (silentCount === 0) return ok
  const message = `${silentCount} database server${silentCount === 1 ? ' is' : 's are'} not responding.`
  return { status: 'warning', message }
}

function checkTenants(failures: FailureKind[]): ComponentHealth {
  if (failures.length === 0) return ok
  const damaged = failures.filter((kind) => kind === 'damaged').length
  const message = `The databases of ${failures.length} tenant${failures.length === 1 ? '' : 's'} are failing`
  return { status: 'warning', message: damaged === 0 ? `${message}.` : `${message} (${damaged} damaged).` }
}
