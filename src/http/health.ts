// The health of a node: one list of components, each with its check and its remedy. /readyz reports all of them.
// `tenantdesk doctor` runs some of the checks itself, and asks the running server about all components.

import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import { countBackups, findRun } from '../catalog/tables/backup-records.ts'
import type { Config } from '../config.ts'
import type { HealthRecord } from '../engine/tenant-health.ts'
import { errorCodeOf } from '../lib/errors.ts'
import { formatBytes, readDiskSpace } from '../lib/files/files.ts'
import type { Redis } from '../lib/redis.ts'
import type { DatabaseWatch } from '../tenants/databases/watch-databases.ts'
import type { ForwardedReader } from './headers.ts'

/** A `warning` means that the node can still serve requests. An `error` means that the node is not ready, so proxies
 *  do not send requests to it. */
export type HealthStatus = 'ok' | 'warning' | 'error'

/** The message is public, so it contains no names, paths or addresses. `reason`: the cause, for the operator only. */
export type Health = { status: HealthStatus; message: string; reason?: string }

/** What the checks examine. `redis`: the server of RATE_LIMIT_REDIS_URL, if it is set. */
export type HealthSources = {
  config: Config
  catalog: Catalog
  record: Pick<HealthRecord, 'failures'>
  databaseWatch: Pick<DatabaseWatch, 'unresponsiveServers'>
  forwarded: Pick<ForwardedReader, 'hasIgnoredClient'>
  redis: Pick<Redis, 'outage'> | undefined
  now: () => Date
}

/** If `check` throws, the component has an error. `isUsed`: whether the settings include the component. `advice`: what
 *  the operator should do if the component is not ok. */
type HealthCheck = {
  isUsed?: (config: Config) => boolean
  check: (sources: HealthSources) => Health | Promise<Health>
  advice: string
}

/** The components in the order of /readyz. Checks must be cheap, because a proxy sends a request every second. Failing
 *  tenants, database servers and the server of RATE_LIMIT_REDIS_URL only cause warnings: every node sees the same
 *  outage, so a proxy would otherwise remove all nodes, and the other tenants would not be served either
 *  (docs/decisions/0027). */
export const components = {
  catalog: {
    check: ({ catalog }) => catalog.version().then(() => ok()),
    advice: 'Look for the reason ("a component is not ready") in the server\'s log.',
  },
  data_directory: {
    check: ({ config }) => checkDataDirectory(config),
    advice:
      'Enlarge the disk of DATA_DIR, move tenants to a database server, or delete what is not needed, such as old backups. Check that the disk is mounted for writing.',
  },
  database_servers: {
    check({ databaseWatch: { unresponsiveServers: silent } }) {
      if (silent.size === 0) return ok()
      return warning(`${silent.size} database server${silent.size === 1 ? ' is' : 's are'} not responding.`)
    },
    advice: "The server's log names the database server. If its address has changed: tenantdesk server set",
  },
  rate_limit_server: {
    isUsed: ({ RATE_LIMIT_REDIS_URL }) => RATE_LIMIT_REDIS_URL !== '',
    check: ({ redis }) => checkRateLimitServer(redis?.outage() ?? null),
    advice:
      'Check that the server of RATE_LIMIT_REDIS_URL is running and can be reached, and check the address and password in the setting.',
  },
  proxy: {
    check({ forwarded }) {
      if (!forwarded.hasIgnoredClient()) return ok()
      return warning('Requests come through a proxy, but TRUST_PROXY is not set: all clients have the same address.')
    },
    advice:
      'Set TRUST_PROXY to the number of proxies (usually 1) or their addresses: until then all clients have the same address.',
  },
  tenants: {
    check: ({ record }) => checkTenants(record.failures),
    advice: "The server's log names the tenants. `tenantdesk doctor` examines their databases.",
  },
  backups: {
    isUsed: ({ BACKUP_EVERY }) => BACKUP_EVERY !== null,
    check: async ({ catalog, config, now }) => {
      const ages = await checkBackupAges(catalog, config, now())
      return ages.status === 'ok' ? checkLastBackup(catalog, config) : ages
    },
    advice:
      'Create one now: tenantdesk backup --to DIR. With BACKUP_EVERY and BACKUP_DIR the server creates backups automatically; its log says why one failed.',
  },
} as const satisfies Record<string, HealthCheck>

export type Component = keyof typeof components

/** What /readyz says about a component. There is no message if the status is `ok`. */
export type ComponentState = { component: Component; status: HealthStatus; message?: string }

export type Readiness = {
  /** Returns each component's state within a few seconds. */
  check(): Promise<ComponentState[]>
}

function ok(message = ''): Health {
  return { status: 'ok', message }
}

function warning(message: string): Health {
  return { status: 'warning', message }
}

/** If DATABASE_URL and API_KEY_PEPPER are set, the directory contains only temporary files for uploads and backups. The
 *  directory is created together with the first of these files. */
async function checkDataDirectory(config: Config): Promise<Health> {
  try {
    await access(resolve(config.DATA_DIR), constants.W_OK)
    return await checkFreeSpace(config)
  } catch (error) {
    if (config.DATABASE_URL !== '' && errorCodeOf(error) === 'ENOENT') return ok()
    return { status: 'error', message: 'It cannot be written to.' }
  }
}

/** A node is not ready below MIN_FREE_DISK_BYTES. Below ten times as much, there is a warning. */
export async function checkFreeSpace({ DATA_DIR, MIN_FREE_DISK_BYTES: minBytes }: Config): Promise<Health> {
  const { freeBytes, sizeBytes } = await readDiskSpace(resolve(DATA_DIR))
  const [free, min] = [formatBytes(freeBytes), formatBytes(minBytes)]
  if (freeBytes < minBytes)
    return { status: 'error', message: `Only ${free} free, less than MIN_FREE_DISK_BYTES (${min}).` }
  if (freeBytes < 10 * minBytes) return warning(`Only ${free} free. The node is not ready below ${min}.`)
  return ok(`${free} of ${formatBytes(sizeBytes)} free.`)
}

/** `outage`: why the server cannot be used, or null. */
export function checkRateLimitServer(outage: string | null): Health {
  if (outage === null) return ok('The server of RATE_LIMIT_REDIS_URL responds.')
  const message = 'The server of RATE_LIMIT_REDIS_URL is not responding: each node counts requests by itself.'
  return { ...warning(message), reason: outage }
}

function checkTenants(failures: HealthRecord['failures']): Health {
  if (failures.size === 0) return ok()
  const damaged = [...failures.values()].filter((kind) => kind === 'damaged').length
  const message = `The databases of ${failures.size} tenant${failures.size === 1 ? '' : 's'} are failing`
  return warning(damaged === 0 ? `${message}.` : `${message} (${damaged} damaged).`)
}

/** Checks that every tenant has a backup that is not too old. Late backups do not make a node unready. A run may take a
 *  long time, so a backup is late after twice BACKUP_EVERY, or after two days if it is not set. */
export async function checkBackupAges(catalog: Catalog, config: Config, now: Date): Promise<Health> {
  const lateAfterMs = 2 * (config.BACKUP_EVERY ?? 86_400_000)
  const { tenants, late, never, since } = await countBackups(catalog, new Date(now.getTime() - lateAfterMs))
  if (tenants === 0) return ok('There is no tenant to back up yet.')
  if (late === 0) return ok('Every tenant has a recent backup or is new.')
  return warning(`${late} of ${tenants} tenants have had no backup since ${since}; ${never} have never been backed up.`)
}

/** Checks how the last backup to BACKUP_DIR ended. A failure does not make a node unready. */
async function checkLastBackup(catalog: Catalog, { BACKUP_DIR }: Config): Promise<Health> {
  const run = await findRun(catalog, resolve(BACKUP_DIR))
  if (!run?.failed_at) return ok()
  return { ...warning(`The backup at ${run.failed_at} failed.`), ...(run.failure && { reason: run.failure }) }
}
