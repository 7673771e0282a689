// Decides whether an installation may be opened, created or migrated. A refusal changes nothing.

import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Catalog, runStatement } from '../../catalog/catalog.ts'
import { requireOwner } from '../../catalog/data-owner.ts'
import { pepperPath } from '../../catalog/pepper/pepper-file.ts'
import { catalogFile, catalogRestoreAdvice, type OpenKind } from '../../catalog/sqlite.ts'
import { type CatalogContent, type CatalogState, readFileState, readServerState } from '../../catalog/state.ts'
import type { Config } from '../../config.ts'
import { Damaged, type Unavailable } from '../../engine/database/database.ts'
import type { Pool } from '../../engine/database/postgres/pool.ts'
import { fileStamp } from '../../engine/database/sqlite/files.ts'
import { hasFileBeforeRelease, hasTenantFile } from '../../engine/sqlite/find-tenant-files.ts'
import { UserError } from '../../lib/user-error.ts'
import { outageAdvice } from './outage-advice.ts'

/** `serve` may create and migrate an installation, and `restore` may create one. `command` needs one that is current,
 *  but may create one in a prepared data directory. `examine` never creates anything. */
export type Purpose = 'serve' | 'restore' | 'command' | 'examine'

/** The installation cannot be used. `problem` and `remedy` are sentences. */
export class InstallationRefusal extends UserError {
  readonly kind: CatalogState['kind'] | 'incomplete'
  readonly problem: string
  readonly remedy: string

  constructor(kind: InstallationRefusal['kind'], problem: string, remedy: string) {
    super(`${problem} ${remedy}`)
    this.kind = kind
    this.problem = problem
    this.remedy = remedy
  }
}

/** Returns how the catalog may be opened. `pool`: the database of DATABASE_URL, if it is set. Throws
 *  InstallationRefusal, UserError if this process runs as another user than the owner of the data, and Unavailable if
 *  PostgreSQL cannot be reached. */
export async function requireInstallation(config: Config, purpose: Purpose, pool: Pool | undefined): Promise<OpenKind> {
  const directory = resolve(config.DATA_DIR)
  const location = pool ? 'the database of DATABASE_URL' : directory
  const readState = async () => (pool ? readServerState(pool) : readFileState(directory))
  requireOwner(directory)
  let state = await readState()
  const isUsed = 'hasTenants' in state && state.hasTenants
  const remains = isUsed || purpose === 'restore' ? undefined : await findRemains(directory, pool)
  if (remains) state = await readState() // another process may have created the catalog before what remains
  if (state.kind === 'missing' || state.kind === 'empty') {
    if (!remains) return 'migrate'
    if (remains.descriptions.length > 0) throw lostCatalog(state.kind, location, remains, pool)
    if (purpose === 'serve' || (purpose === 'command' && remains.isPrepared)) return 'migrate'
    throw noInstallation(location, pool)
  }
  if (state.kind === 'unreadable') throw pool ? state.cause : unreadableFile(directory, state.cause)
  if (state.kind === 'before-release') throw refusal('before-release', location)
  if (state.kind === 'newer') throw refusal('newer', location)
  if (remains && isInterrupted(state, remains)) throw refusal('incomplete', location)
  if (state.kind === 'current') return 'existing'
  if (purpose !== 'serve') throw refusal('older', location)
  if (state.version === firstVersion && (await hasTenantsBeforeRelease(directory, pool)))
    throw refusal('before-release', location)
  return 'migrate'
}

/** What an installation has left behind whose catalog is lost or has no tenants. `isPrepared`: the data directory
 *  contains nothing but settings, and perhaps an empty catalog from an interrupted creation. */
type Remains = { descriptions: string[]; hasTenants: boolean; hasScratch: boolean; isPrepared: boolean }

async function findRemains(directory: string, pool: Pool | undefined): Promise<Remains> {
  const hasFiles = hasTenantFile(directory)
  const hasSchemas = pool !== undefined && (await pool.get(tenantSchemas)) !== undefined
  const descriptions = [
    ...(hasFiles ? [`databases of tenants in ${join(directory, 'tenants')}`] : []),
    ...(hasSchemas ? ['databases of tenants in the database of DATABASE_URL'] : []),
    ...(fileStamp(pepperPath(directory)) ? [`the pepper ${pepperPath(directory)}`] : []),
  ]
  const names = namesIn(directory)
  const isPrepared = names?.every((name) => name === '.env' || name.startsWith('catalog.sqlite')) ?? false
  const hasScratch = (namesIn(join(directory, 'scratch')) ?? []).length > 0
  return { descriptions, hasTenants: hasFiles || hasSchemas, hasScratch, isPrepared }
}

const tenantSchemas = `select 1 as found from pg_namespace where nspname ~ '^t_[a-z0-9]{20}$' limit 1`

/** The version of every catalog whose tenants may be older than 1.0.0: later catalogs were never used with them. */
const firstVersion = 1

async function hasTenantsBeforeRelease(directory: string, pool: Pool | undefined): Promise<boolean> {
  const sql = `select 1 as found from pg_tables where schemaname ~ '^t_[a-z0-9]{20}$' and tablename = 'answers' limit 1`
  return hasFileBeforeRelease(directory) || (pool !== undefined && (await pool.get(sql)) !== undefined)
}

/** Whether `restore --all` was interrupted: it writes the catalog's rows last. */
function isInterrupted(catalog: CatalogContent, remains: Remains): boolean {
  return !catalog.hasTenants && (remains.hasTenants || (remains.hasScratch && !catalog.hasPepper))
}

/** The problem and the remedy, by the kind of refusal. */
const explanations = {
  incomplete: (location: string) => [
    `The catalog in ${location} has no tenants, because a restore was interrupted.`,
    'Repeat `tenantdesk restore <backup> --all` in a DATA_DIR that contains nothing but the pepper (with DATABASE_URL, ' +
      'also in an empty database), or restore only the catalog: tenantdesk restore <backup> --catalog',
  ],
  'before-release': (location: string) => [
    `The data in ${location} was written by a development version before 1.0.0, which this version cannot migrate.`,
    'Nothing was changed. Continue with the version that wrote it, or import the records into a new DATA_DIR.',
  ],
  newer: (location: string) => [
    `The catalog in ${location} belongs to a newer version of Tenantdesk.`,
    'Use the newer version, or restore a backup that this version created.',
  ],
  older: (location: string) => [
    `The data in ${location} belongs to an older version of Tenantdesk, and only \`tenantdesk serve\` migrates it.`,
    'Use the older version, or start the server of this version first.',
  ],
} satisfies Record<string, (location: string) => [problem: string, remedy: string]>

function refusal(kind: keyof typeof explanations, location: string): InstallationRefusal {
  return new InstallationRefusal(kind, ...explanations[kind](location))
}

function lostCatalog(
  kind: 'missing' | 'empty',
  location: string,
  { descriptions }: Remains,
  pool: Pool | undefined,
): InstallationRefusal {
  const setting = pool ? 'a DATABASE_URL and a DATA_DIR' : 'a DATA_DIR'
  return new InstallationRefusal(
    kind,
    `The catalog in ${location} is ${kind}, but other data is there: ${descriptions.join(', ')}.`,
    `${pool ? 'Correct DATABASE_URL, put' : 'Put'} the catalog back, or restore it from a backup: tenantdesk restore ` +
      `<backup> --catalog. For a new installation, set ${setting} without data.`,
  )
}

function noInstallation(location: string, pool: Pool | undefined): InstallationRefusal {
  const remedy = pool ? 'Set it to the same value as for the server' : "Set DATA_DIR to the server's directory"
  return new InstallationRefusal(
    'missing',
    `There is no installation in ${location}.`,
    `${remedy}, or create a new one with \`tenantdesk serve\`.`,
  )
}

function unreadableFile(directory: string, cause: Unavailable): InstallationRefusal {
  const path = catalogFile(directory)
  if (cause instanceof Damaged)
    return new InstallationRefusal(
      'unreadable',
      `The catalog ${path} is damaged: ${cause.message}.`,
      catalogRestoreAdvice,
    )
  return new InstallationRefusal(
    'unreadable',
    `The catalog ${path} cannot be read: ${cause.message}.`,
    outageAdvice[cause.outage],
  )
}

/** Returns the names of a directory's entries; undefined if there is no such directory. */
function namesIn(path: string): string[] | undefined {
  try {
    return readdirSync(path)
  } catch {
    return undefined
  }
}

/** Only `serve` raises the recorded version. Any other purpose throws UserError if this program's version is newer. */
export async function settleTenantSchema(catalog: Catalog, version: number, purpose: Purpose): Promise<void> {
  const recorded = await catalog.database.get<{ version: number }>('select version from tenant_schema')
  if (recorded && recorded.version >= version) return
  if (purpose !== 'serve')
    throw new InstallationRefusal(
      'older',
      "The tenants' databases belong to an older version of Tenantdesk, and only `tenantdesk serve` migrates them.",
      'Use the older version, or start the server of this version first.',
    )
  const sql = `insert into tenant_schema (id, version) values (1, ?)
    on conflict (id) do update set version = excluded.version`
  await runStatement(catalog, sql, [version])
}
