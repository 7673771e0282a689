// Restores a tenant from a backup into a new database, while an existing tenant with the same slug stays in use. A
// single catalog transaction then makes the restored tenant visible, and puts the replaced tenant aside.

import { resolve } from 'node:path'
import { type AuditActor, writeEvent } from '../../../catalog/audit/audit-log.ts'
import { type Catalog, transitionalStates } from '../../../catalog/catalog.ts'
import { maxSlugLength, newId } from '../../../catalog/ids.ts'
import { insertDueTenant } from '../../../catalog/tables/due-tenants.ts'
import { moveTenantRows } from '../../../catalog/tables/tenant-rows.ts'
import type { Resources } from '../../../domain/declarations/resource.ts'
import { failUnfinishedJobs } from '../../../domain/jobs/operations.ts'
import { productOf } from '../../../domain/product.ts'
import type { Database } from '../../../engine/database/database.ts'
import { TenantFiles } from '../../../engine/sqlite/tenant-files.ts'
import type { TenantDatabases, TenantLocation } from '../../../engine/tenant-databases.ts'
import { UserError } from '../../../lib/user-error.ts'
import { requireServer } from '../../databases/database-servers.ts'
import { discardTenant, insertUnfinished, renewUnfinished } from '../../lifecycle.ts'
import { findTenant, replacedByBackup, requireSlug, type Tenant } from '../../tenants.ts'
import type { ArchivedTenant } from '../manifest.ts'
import { withScratch } from '../scratch.ts'
import { type BackupChoice, chooseManifest, createDatabase, type Extraction, extractTenant } from './extract.ts'
import { requireInBackup, type Until, undoLaterChanges } from './undo-until.ts'

export type RestoreRequest = BackupChoice & {
  /** The tenant's slug in the backup. */
  slug: string
  /** The restored tenant's slug; null to keep the slug in the backup. */
  as: string | null
  /** Whether to replace an existing tenant. */
  replace: boolean
  /** The database server; null for the replaced tenant's server, or the default server. */
  server: string | null
  until: Until | null
  /** A directory for temporary files, on the same disk as the tenant files. */
  scratchDirectory: string
}

export type RestoreDependencies = {
  catalog: Catalog
  databases: TenantDatabases
  resources: Resources
  onProgress?: (step: 'reading' | 'checking' | 'undoing' | 'copying') => void
}

/** `seq`: the last change that was restored. `undone`: how many later changes in the backup were undone. `aside`: the
 *  replaced tenant's new slug. `keys`: how many of the restored tenant's API keys are not revoked. */
export type Restored = {
  slug: string
  server: string
  made_at: string
  seq: number
  undone: number
  rows: Record<string, number>
  aside: string | null
  keys: number
}

/** If this function throws UserError, nothing has changed. */
export async function restoreTenant(
  deps: RestoreDependencies,
  request: RestoreRequest,
  actor: AuditActor,
): Promise<Restored> {
  const { catalog } = deps
  const choice = { ...request, directory: resolve(request.directory) }
  const archived = await findArchived(choice, request.slug)
  requireInBackup(request.until, archived)
  const slug = request.as ?? archived.slug
  requireSlug(slug)
  const existing = await findTenant(catalog, slug)
  if (existing && !request.replace) throw new UserError(slugTakenMessage(slug, request.as !== null))
  const server = request.server ?? existing?.server ?? catalog.defaultServer
  await requireServer(catalog, server)
  const tenant: Tenant = { ...(existing ?? tenantOf(archived, request.as)), id: newId(), slug, server }
  await deps.databases.probe(tenant)
  return withScratch(request.scratchDirectory, async (scratch) => {
    const extraction = { archived, scratch }
    const restoredTo = await prepareFile(deps, choice, extraction, actor.now)
    await fillDatabase(deps, tenant, extraction, actor.now)
    const restoration = { tenant, existing, schema: deps.databases.version, archived, ...restoredTo }
    const published = await publishRestored(catalog, restoration, actor).catch(async (error) => {
      // If this fails, a background job retries later.
      await discardTenant(catalog, deps.databases, tenant).catch(() => {})
      throw error
    })
    return { slug, server, made_at: archived.made_at, ...restoredTo, rows: archived.rows, ...published }
  })
}

/** Throws UserError if the backup is damaged or does not contain the tenant. */
async function findArchived(choice: BackupChoice, slug: string): Promise<ArchivedTenant> {
  const { tenants, made_at } = await chooseManifest(choice)
  const archived = tenants.find((tenant) => tenant.slug === slug)
  if (!archived) throw new UserError(`The backup of ${made_at} has no tenant ${slug}.`)
  return archived
}

function slugTakenMessage(slug: string, isOther: boolean): string {
  const alternative = isOther ? 'choose another slug' : 'restore it under another slug with --as'
  return `Tenant ${slug} already exists: ${alternative}, or add --replace, which keeps the existing tenant under another slug.`
}

/** Returns the row for a restored tenant that does not replace another tenant. A copy under another slug is always
 *  active. */
function tenantOf(
  { name, state, trial_ends, created_at }: ArchivedTenant,
  as: string | null,
): Omit<Tenant, 'id' | 'slug' | 'server'> {
  const status = as === null ? { state, trial_ends } : { state: 'active' as const, trial_ends: null }
  return { name: as ?? name, created_at, suspended_because: null, history_days: null, ...status }
}

/** Extracts the database into the scratch directory, checks it, and undoes the changes after the requested point. */
async function prepareFile(
  { resources, onProgress }: RestoreDependencies,
  choice: BackupChoice & Pick<RestoreRequest, 'until'>,
  extraction: Extraction,
  now: Date,
): Promise<{ seq: number; undone: number }> {
  const { archived, scratch } = extraction
  onProgress?.('reading')
  await extractTenant(choice, extraction, () => onProgress?.('checking'))
  const location: TenantLocation = { id: archived.id, server: '' }
  return new TenantFiles(scratch, productOf(resources)).write(location, async ({ database }) => {
    await failUnfinishedJobs(database, now.toISOString())
    if (!choice.until) return { seq: archived.seq, undone: 0 }
    onProgress?.('undoing')
    return undoLaterChanges(database, resources, choice.until, now)
  })
}

/** How often the tenant's row is renewed during a restore: an unfinished tenant that is a minute old is removed. */
const renewIntervalMs = 10_000

/** Creates the tenant's database from the scratch file. The tenant is not visible yet. */
async function fillDatabase(
  deps: RestoreDependencies,
  tenant: Tenant,
  extraction: Extraction,
  now: Date,
): Promise<void> {
  const { catalog, databases } = deps
  await insertUnfinished(catalog, { ...tenant, created_at: now.toISOString() })
  const renewing = setInterval(() => renewUnfinished(catalog, [tenant]).catch(() => {}), renewIntervalMs)
  try {
    await createDatabase(deps, tenant, extraction, () => deps.onProgress?.('copying'))
  } catch (error) {
    await discardTenant(catalog, databases, tenant).catch(() => {}) // if this fails, a background job retries later
    throw error
  } finally {
    clearInterval(renewing)
  }
}

type Restoration = {
  /** The restored tenant, with a new id. Its database is complete. */
  tenant: Tenant
  existing: Tenant | undefined
  /** The restored database's schema version. */
  schema: number
  archived: ArchivedTenant
  seq: number
  undone: number
}

/** Suspends the replaced tenant under another slug. Its records stay, but its API keys, users and usage move to the
 *  restored tenant. Returns the other slug, and how many of the restored tenant's API keys are not revoked. Throws
 *  UserError. */
function publishRestored(
  catalog: Catalog,
  { tenant, existing, schema, archived, seq, undone }: Restoration,
  actor: AuditActor,
): Promise<{ aside: string | null; keys: number }> {
  const { id, slug, state, trial_ends, created_at, suspended_because } = tenant
  return catalog.transaction(async (database) => {
    const aside = existing ? await putAside(database, existing, actor) : null
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (await database.get(sql, [slug])) throw new UserError(`The tenant ${slug} was created in the meantime.`)
    const update = `update tenants set state = ?, trial_ends = ?, created_at = ?, suspended_because = ?, schema_version = ?
      where id = ? and state = 'creating'`
    const updated = await database.run(update, [state, trial_ends, created_at, suspended_because, schema, id])
    if (updated === 0) throw new UserError(`Restoring tenant ${slug} took too long; try again.`)
    if (existing) await moveTenantRows(database, existing.id, id)
    await insertDueTenant(database, id, actor.now)
    const detail = { slug, backup: archived.made_at, seq, ...(undone > 0 && { undone }), ...(aside && { aside }) }
    await writeEvent(database, 'tenant_restored', actor, { tenantId: id, detail })
    const countKeys = 'select count(*) as keys from api_keys where tenant_id = ? and revoked_at is null'
    const { keys } = (await database.get<{ keys: number }>(countKeys, [id]))!
    return { aside, keys }
  })
}

/** The replaced tenant's new name starts with at most this many characters of its name. */
const maxNameLength = 80

/** Throws UserError if the tenant cannot be replaced now. */
async function putAside(database: Database, { id, slug, name }: Tenant, actor: AuditActor): Promise<string> {
  if (await database.get('select 1 as found from tenant_moves where tenant_id = ?', [id]))
    throw new UserError(`Tenant ${slug} is being moved to another server; restore it after the move.`)
  const aside = await freeSlug(database, slug)
  const because = `${replacedByBackup} on ${actor.now.toISOString().slice(0, 10)}`
  const sql = `update tenants set slug = ?, name = ?, state = 'suspended', suspended_because = ?
    where id = ? and slug = ? and state not in ${transitionalStates}`
  const newName = `${[...name].slice(0, maxNameLength).join('')} (replaced)`
  const renamed = await database.run(sql, [aside, newName, because, id, slug])
  if (renamed === 0) throw new UserError(`There is no tenant ${slug}.`)
  return aside
}

/** Returns `acme-replaced`, or `acme-replaced-2` and so on if that is taken. */
async function freeSlug(database: Database, slug: string): Promise<string> {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '-replaced' : `-replaced-${number}`
    const candidate = slug.slice(0, maxSlugLength - end.length) + end
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (!(await database.get(sql, [candidate]))) return candidate
  }
}
