// Checks the catalog, the pepper, the clock, the database servers, the server of RATE_LIMIT_REDIS_URL and BACKUP_DIR.

import { resolve } from 'node:path'
import { pino } from 'pino'
import { builtInServers, type Catalog } from '../../catalog/catalog.ts'
import { findPepperMistake, readPepper } from '../../catalog/pepper/pepper.ts'
import { catalogFile, catalogRestoreAdvice } from '../../catalog/sqlite.ts'
import { findCatalogDamage } from '../../catalog/state.ts'
import { findRun } from '../../catalog/tables/backup-records.ts'
import type { Config } from '../../config.ts'
import { Unavailable } from '../../engine/database/database.ts'
import { encodingProblem, utf8Advice } from '../../engine/database/postgres/encoding.ts'
import { openPool } from '../../engine/database/postgres/pool.ts'
import { inspectServer } from '../../engine/postgres/inspect-server.ts'
import { checkRateLimitServer } from '../../http/health.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { openRedis } from '../../lib/redis.ts'
import { findDirectoryProblem } from '../../tenants/backup/directory.ts'
import { listServerNames, serverUrl } from '../../tenants/databases/database-servers.ts'
import { requireInstallation } from '../../tenants/databases/installation.ts'
import type { Databases } from '../../tenants/databases/open-databases.ts'
import { outageAdvice } from '../../tenants/databases/outage-advice.ts'
import { listTenants } from '../../tenants/tenants.ts'
import {
  type Finding,
  failure,
  findingsOr,
  ok,
  smallClockDifferenceMs,
  synchronizeClocks,
  toFinding,
  warning,
} from './finding.ts'

/** Reads the whole catalog without changing it. Returns a finding if it is damaged. Throws InstallationRefusal and
 *  Unavailable. */
export async function examineCatalogFile(config: Config): Promise<Finding | undefined> {
  const directory = resolve(config.DATA_DIR)
  const pool = config.DATABASE_URL === '' ? undefined : openPool(config.DATABASE_URL, 1)
  try {
    await requireInstallation(config, 'examine', pool)
    const damage = pool ? null : findCatalogDamage(directory)
    if (damage === null) return undefined
    return failure('catalog', `The catalog ${catalogFile(directory)} is damaged: ${damage}.`, catalogRestoreAdvice)
  } finally {
    await pool?.close()
  }
}

/** Checks that the pepper is the one that the keys depend on. */
export async function checkPepper(catalog: Catalog, config: Config): Promise<Finding> {
  try {
    const pepper = readPepper(resolve(config.DATA_DIR), config.API_KEY_PEPPER)
    const mistake = await findPepperMistake(catalog, pepper)
    if (mistake)
      return failure(
        'pepper',
        mistake,
        'Restore the pepper from the place where you keep it, which should be separate from the backups.',
      )
    const source = config.API_KEY_PEPPER.size > 0 ? 'API_KEY_PEPPER' : 'DATA_DIR'
    return ok(
      'pepper',
      pepper ? `The pepper in ${source} is the one that keys depend on.` : 'No key needs a pepper yet.',
    )
  } catch (error) {
    return failure('pepper', errorMessageOf(error), 'Correct API_KEY_PEPPER, or the `pepper` file in DATA_DIR.')
  }
}

/** Clock differences above this are an error: half a minute, because one-time codes are valid for that long. */
const largeClockDifferenceMs = 30_000

/** Compares the clock with the time of the newest event in the security log. checkServers compares it with the clocks
 *  of the database servers. */
export async function checkClock(catalog: Catalog, now: Date): Promise<Finding> {
  const row = await catalog.database.get<{ at: string }>('select at from audit_events order by seq desc limit 1')
  const aheadMs = row ? Date.parse(row.at) - now.getTime() : 0
  if (aheadMs <= smallClockDifferenceMs)
    return ok('clock', `It is ${now.toISOString()}, later than everything in the security log.`)
  const message = `The security log has an event ${Math.round(aheadMs / 1000)} s in the future: the clock was set back.`
  return warning('clock', message, synchronizeClocks)
}

/** Returns the findings about each server, including one about the server's clock if it differs from this machine's. */
export async function checkServers(opened: Databases, config: Config): Promise<Finding[]> {
  const { catalog } = opened
  const findings: Finding[] = []
  const main = config.DATABASE_URL === '' ? [] : [builtInServers.catalog]
  const tenants = await listTenants(catalog)
  for (const name of [...main, ...(await listServerNames(catalog))]) {
    const serverTenants = tenants.filter(({ server }) => server === name)
    findings.push(...(await checkServer(opened, config, name, serverTenants)))
  }
  return findings
}

async function checkServer(
  { catalog, pepper }: Databases,
  config: Config,
  name: string,
  tenants: { id: string; slug: string }[],
): Promise<Finding[]> {
  const check = 'database_servers'
  const serverText = name === builtInServers.catalog ? 'the server of DATABASE_URL' : `server ${name}`
  const title = serverText.replace(/^./, (first) => first.toUpperCase())
  try {
    const secrets = pepper()
    const url =
      name === builtInServers.catalog ? config.DATABASE_URL : secrets && (await serverUrl(catalog, secrets, name))
    if (!url) throw new Unavailable('its URL cannot be decrypted')
    const { canCreate, encoding, missing, clockAheadMs } = await inspectServer(
      url,
      tenants.map(({ id }) => id),
    )
    const slugs = tenants.filter(({ id }) => missing.includes(id)).map(({ slug }) => slug)
    const encodingText = encodingProblem(encoding)
    const roleText = `${title} does not allow the role in its URL to create schemas.`
    const clockText = `The clock of ${serverText} differs by ${(clockAheadMs / 1000).toFixed(1)} s from that of this machine.`
    const reportClock = Math.abs(clockAheadMs) > largeClockDifferenceMs ? failure : warning
    return findingsOr(
      ok(check, `${title} responds and has the databases of all its tenants (${tenants.length}).`),
      slugs.length > 0 &&
        failure(check, `${title} has no database for ${slugs.join(', ')}.`, 'Check the URL: tenantdesk server set'),
      encodingText && failure(check, `The database of ${serverText} ${encodingText}`, utf8Advice),
      !canCreate && warning(check, roleText, 'grant create on database … to …'),
      Math.abs(clockAheadMs) > smallClockDifferenceMs && reportClock('clock', clockText, synchronizeClocks),
    )
  } catch (error) {
    return [failure(check, `${title} cannot be used: ${errorMessageOf(error)}.`, adviceFor(name, error))]
  }
}

function adviceFor(name: string, error: unknown): string {
  const advice = outageAdvice[error instanceof Unavailable ? error.outage : 'unknown']
  const change = name === builtInServers.catalog ? 'set DATABASE_URL' : `tenantdesk server set ${name} -`
  return `${advice} If its address or password has changed: ${change}`
}

/** Connects to the server of RATE_LIMIT_REDIS_URL. Returns no finding if the setting is unset. */
export async function examineRateLimitServer(config: Config): Promise<Finding[]> {
  if (config.RATE_LIMIT_REDIS_URL === '') return []
  const redis = await openRedis(config.RATE_LIMIT_REDIS_URL, pino({ level: 'silent' }))
  const outage = redis.outage()
  await redis.close()
  return [toFinding('rate_limit_server', checkRateLimitServer(outage))]
}

/** Checks that the server can write to BACKUP_DIR, and how its last scheduled backup ended. `catalog`: undefined if it
 *  cannot be used. */
export async function checkBackupDirectory(catalog: Catalog | undefined, config: Config): Promise<Finding[]> {
  const check = 'backup_directory'
  if (config.BACKUP_DIR === '') return []
  const directory = resolve(config.BACKUP_DIR)
  const problem = await findDirectoryProblem(catalog, directory)
  if (problem) return [failure(check, problem.message, problem.remedy)]
  const run = catalog && (await findRun(catalog, directory))
  if (run?.failed_at)
    return [
      failure(check, `The backup at ${run.failed_at} failed: ${run.failure}`, 'The server retries it. See its log.'),
    ]
  if (run && run.lost_files > 0) {
    const message = `The last backup found ${run.lost_files} files missing or damaged in ${directory}, and copied them anew.`
    return [
      warning(check, message, `Check its disk, and what else deletes files there: tenantdesk verify ${directory}`),
    ]
  }
  if (config.BACKUP_EVERY === null)
    return [warning(check, 'BACKUP_DIR is set without BACKUP_EVERY.', 'Set BACKUP_EVERY=24h for a backup every day.')]
  return [ok(check, `Backups can be written to ${directory}.`)]
}
