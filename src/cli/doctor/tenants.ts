// Checks that every tenant's database exists, is undamaged and has the schema of this version.

import { resolve } from 'node:path'
import { builtInServers } from '../../catalog/catalog.ts'
import type { Config } from '../../config.ts'
import { type Outage, Unavailable } from '../../engine/database/database.ts'
import { MigrationFailed } from '../../engine/migration-queue.ts'
import type { TenantInspection } from '../../engine/tenant-databases.ts'
import { readDiskSpace } from '../../lib/files/files.ts'
import type { Databases } from '../../tenants/databases/open-databases.ts'
import { outageAdvice } from '../../tenants/databases/outage-advice.ts'
import { listMigrationErrors } from '../../tenants/migrations/migration-status.ts'
import { listTenants, replacedByBackup, type Tenant } from '../../tenants/tenants.ts'
import type { Terminal } from '../command.ts'
import { type Finding, failure, findingsOr, ok, smallClockDifferenceMs, synchronizeClocks, warning } from './finding.ts'

/** The time limit for all tenants together. After that, databases are opened, but not searched for damage. */
const timeLimitMs = 60_000

/** The maximum number of tenants that are listed for each kind of problem. */
const maxNamed = 20

/** Below this, SQLite cannot open a file that nobody has open, and reports a failed read. */
const fullDiskBytes = 1_000_000

type ExaminedTenant = { tenant: Tenant; result: TenantInspection | { failure: Error } }

export async function checkTenants(
  { catalog, databases }: Databases,
  config: Config,
  { progress }: Terminal,
): Promise<Finding[]> {
  const tenants = await listTenants(catalog)
  const deadline = performance.now() + timeLimitMs
  const examined: ExaminedTenant[] = []
  for (const [index, tenant] of tenants.entries()) {
    progress?.(`Checking tenant ${index + 1} of ${tenants.length}: ${tenant.slug}`)
    const result = await databases.inspect(tenant, deadline).catch((failure: Error) => ({ failure }))
    examined.push({ tenant, result })
  }
  progress?.('')
  return findingsOr(
    ok('tenants', `All databases are intact (${tenants.length}).`),
    ...(await failureFindings(examined, config)),
    ...versionFindings(examined, databases.version),
    ...migrationFindings(examined, await listMigrationErrors(catalog, databases.version)),
    unsearchedFinding(examined),
    clockFinding(examined, new Date()),
  )
}

async function failureFindings(examined: ExaminedTenant[], config: Config): Promise<Finding[]> {
  const failed = examined.flatMap(({ tenant, result }) => {
    const error = 'failure' in result ? result.failure : null
    const reason = 'failure' in result ? result.failure.message : result.damage
    return reason === null ? [] : [{ tenant, error, reason }]
  })
  if (failed.length === 0) return []
  const isDiskFull = await isFull(resolve(config.DATA_DIR))
  const named = failed.slice(0, maxNamed).map(({ tenant, error, reason }) => {
    const message = `The database of ${tenant.slug} cannot be used: ${reason}.`
    return failure('tenants', message, `Its requests are refused with 503. ${adviceFor(tenant, error, isDiskFull)}`)
  })
  const rest = failed.length - named.length
  if (rest === 0) return named
  return [...named, failure('tenants', `Further databases that cannot be used: ${rest}.`, 'Solve the problems above.')]
}

/** `error`: null if the database was read completely and damage was found. */
function adviceFor({ slug, server, suspended_because }: Tenant, error: Error | null, isDiskFull: boolean): string {
  if (error instanceof MigrationFailed) return migrationAdvice
  const outage = error === null ? 'damaged' : error instanceof Unavailable ? error.outage : 'unknown'
  const isLost = outage === 'damaged' || outage === 'missing'
  if (isLost && suspended_because?.startsWith(replacedByBackup))
    return `A restore has already replaced it. If nothing of it is needed any more: tenantdesk tenant delete ${slug} --yes`
  if (isLost) return `${outageAdvice[outage]} To restore it: tenantdesk restore <backup> --tenant ${slug} --replace`
  if (server === builtInServers.files && isDiskFull && blamesFullDisk.includes(outage)) return outageAdvice.full
  if (outage !== 'password') return outageAdvice[outage]
  const remedy = server === builtInServers.catalog ? 'Correct DATABASE_URL.' : `tenantdesk server set ${server} -`
  return `${outageAdvice.password} ${remedy}`
}

/** What SQLite reports if the disk is too full to open a file. */
const blamesFullDisk: readonly Outage[] = ['unknown', 'permission']

async function isFull(directory: string): Promise<boolean> {
  return readDiskSpace(directory).then(
    ({ freeBytes }) => freeBytes < fullDiskBytes,
    () => false, // with PostgreSQL, there may be no data directory
  )
}

const migrationAdvice =
  'The migration was rolled back, and the data is unchanged: remove the cause and restart the server, or go back to the previous version. Nothing needs to be restored.'

function migrationFindings(examined: ExaminedTenant[], errors: ReadonlyMap<string, string>): Finding[] {
  return examined
    .filter(({ tenant, result }) => errors.has(tenant.id) && !('failure' in result))
    .slice(0, maxNamed)
    .map(({ tenant: { id, slug } }) =>
      failure('schema_versions', `The migration of ${slug} failed: ${errors.get(id)}.`, migrationAdvice),
    )
}

function versionFindings(examined: ExaminedTenant[], current: number): Finding[] {
  const versions = examined.flatMap(({ tenant: { slug }, result }) =>
    'failure' in result ? [] : [{ slug, version: result.schemaVersion }],
  )
  const behind = versions.filter(({ version }) => version < current)
  const ahead = versions.filter(({ version }) => version > current)
  const messageOf = (tenants: { slug: string }[], relation: string) =>
    `${tenants.length} of ${examined.length} tenants have a schema ${relation} than version ${current}: ${namesOf(tenants)}.`
  const aheadAdvice = 'Use the newer version of Tenantdesk: this one cannot serve them.'
  return [
    ...(behind.length > 0 ? [warning('schema_versions', messageOf(behind, 'older'), behindAdvice)] : []),
    ...(ahead.length > 0 ? [failure('schema_versions', messageOf(ahead, 'newer'), aheadAdvice)] : []),
  ]
}

const behindAdvice =
  'The server migrates them in the background after it starts, or on their first request. `tenantdesk tenant list` shows failures.'

function unsearchedFinding(examined: ExaminedTenant[]): Finding | undefined {
  const unsearched = examined
    .filter(({ result }) => !('failure' in result) && !result.isSearched)
    .map(({ tenant }) => tenant)
  if (unsearched.length === 0) return undefined
  const message = `${unsearched.length} of ${examined.length} databases were not searched for damage within ${timeLimitMs / 1000} s: ${namesOf(unsearched)}.`
  return warning('tenants', message, 'Create and verify a backup, which reads all databases: tenantdesk backup')
}

function namesOf(tenants: { slug: string }[]): string {
  const names = tenants.slice(0, maxNamed).map(({ slug }) => slug)
  return tenants.length > maxNamed ? `${names.join(', ')} and ${tenants.length - maxNamed} more` : names.join(', ')
}

/** Until the clock has passed these times, `as_of` and `--until` with the present time may leave changes out. */
function clockFinding(examined: ExaminedTenant[], now: Date): Finding | undefined {
  const latest = new Date(now.getTime() + smallClockDifferenceMs).toISOString()
  const ahead = examined.flatMap(({ tenant, result }) =>
    'failure' in result || (result.latestChangeAt ?? '') <= latest ? [] : [tenant],
  )
  if (ahead.length === 0) return undefined
  const message = `The history of ${ahead.length} of ${examined.length} tenants has changes in the future: ${namesOf(ahead)}. The clock was set back.`
  return warning('clock', message, `${synchronizeClocks} States of the past may leave out changes until then.`)
}
