// Backs up some or all tenants while they are in use. The files are complete and verified before the manifest names
// them, so a run that fails or is killed does not damage earlier backups.

import { join, resolve } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { createDirectory, createPrivateFile, syncPath } from '../../database/durable-files.ts'
import { lockFile } from '../../database/sqlite/connection.ts'
import type { Passphrase } from '../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../lib/user-error.ts'
import { version } from '../../lib/version.ts'
import type { Resources } from '../../resources/resource.ts'
import type { TenantDatabases } from '../../storage/storage.ts'
import { findTenant, listTenants, type Tenant } from '../tenants.ts'
import { canOpen, DamagedBackup } from './archive.ts'
import { withCatalogFile } from './catalog-file.ts'
import {
  type ArchivedDatabase,
  type ArchivedTenant,
  filesFolder,
  type Manifest,
  manifestName,
  namesIn,
  nextStamp,
  prune,
  readManifest,
  removeUnused,
  writeManifest,
} from './manifest.ts'
import { withScratch } from './scratch.ts'
import { readFingerprint, withSnapshotFile } from './snapshot.ts'
import { writeVerified } from './write-verified.ts'

export type BackupRequest = {
  /** The backup directory. */
  directory: string
  /** The tenants to back up; null for all tenants and the catalog. For everything else, the new manifest names the file
   *  from the previous backup. */
  slugs: readonly string[] | null
  /** Whether a tenant that has not changed since its last backup in the directory keeps that backup's file instead of
   *  being copied again. */
  sinceLast: boolean
  passphrase: Passphrase | undefined
  /** Where temporary copies are stored if there is a passphrase, so that unencrypted copies are never stored with the
   *  backups. */
  scratchDirectory: string
  /** How many backups to keep in the directory; null for all. */
  keep: number | null
}

export type BackupDependencies = {
  catalog: Catalog
  databases: TenantDatabases
  resources: Resources
  now: () => Date
  onProgress?: (progress: { tenant: string; done: number; total: number }) => void
  /** Called after each tenant, with the time that its backup took. */
  pause?: (tookMs: number) => Promise<void>
}

export type BackupResult = {
  /** The manifest's path. */
  path: string
  manifest: Manifest
  copied: string[]
  unchanged: string[]
  failed: { slug: string; reason: string }[]
  /** How many older backups were removed. */
  removed: number
}

/** A tenant that cannot be read keeps its file from the previous backup, and is listed in `failed`. Throws UserError if
 *  a tenant is unknown, another backup to the directory is running, or the directory cannot be written to. */
export async function backUp(deps: BackupDependencies, request: BackupRequest): Promise<BackupResult> {
  const directory = resolve(request.directory)
  const tenants = await chooseTenants(deps.catalog, request.slugs)
  return withDirectory(directory, () => {
    const parent = request.passphrase ? request.scratchDirectory : directory
    return withScratch(parent, (scratch) => writeBackup(deps, { ...request, directory }, tenants, scratch))
  }).catch(explainFailure(directory))
}

async function chooseTenants(catalog: Catalog, slugs: readonly string[] | null): Promise<Tenant[]> {
  const tenants = await listTenants(catalog)
  const unknown = slugs?.find((slug) => tenants.every((tenant) => tenant.slug !== slug))
  if (unknown !== undefined) throw new UserError(`There is no tenant ${unknown}.`)
  return slugs ? tenants.filter(({ slug }) => slugs.includes(slug)) : tenants
}

/** Creates the directory, and locks it while `callback` runs. Throws UserError if another process has locked the
 *  directory. */
async function withDirectory<T>(directory: string, callback: () => Promise<T>): Promise<T> {
  createDirectory(directory)
  createDirectory(join(directory, filesFolder))
  const path = join(directory, 'backup.lock')
  createPrivateFile(path)
  const lock = lockFile(path)
  if (!lock) throw new UserError(`Another backup to ${directory} is running.`)
  try {
    return await callback()
  } finally {
    lock.close()
  }
}

type Run = {
  deps: BackupDependencies
  request: BackupRequest
  stamp: string
  scratch: string
  last: Manifest | undefined
}

async function writeBackup(
  deps: BackupDependencies,
  request: BackupRequest,
  tenants: Tenant[],
  scratch: string,
): Promise<BackupResult> {
  const { directory, slugs } = request
  removeUnused(directory)
  const stamp = nextStamp(directory, deps.now())
  const context: Run = { deps, request, stamp, scratch, last: newestManifest(directory) }
  const catalog = slugs ? (context.last?.catalog ?? null) : await copyCatalog(context)
  const result = await copyTenants(context, tenants)
  const others = context.last?.tenants.filter(({ id }) => slugs && !tenants.some((tenant) => tenant.id === id)) ?? []
  const entries = [...others, ...result.entries].toSorted((one, other) => (one.slug < other.slug ? -1 : 1))
  const made_at = deps.now().toISOString()
  const manifest: Manifest = { format: 1, version, made_at, catalog, tenants: entries }
  syncPath(join(directory, filesFolder))
  writeManifest(directory, manifestName(stamp), manifest)
  const removed = request.keep === null ? 0 : prune(directory, request.keep)
  const { copied, unchanged, failed } = result
  return { path: join(directory, manifestName(stamp)), manifest, copied, unchanged, failed, removed }
}

async function copyCatalog(context: Run): Promise<ArchivedDatabase> {
  const made_at = context.deps.now().toISOString()
  return writeVerified(context, 'catalog', (write) =>
    withCatalogFile(context.deps.catalog, context.scratch, async (file, content) => ({
      ...content,
      made_at,
      ...(await write(file)),
    })),
  )
}

/** Returns the newest manifest that is not damaged. */
function newestManifest(directory: string): Manifest | undefined {
  for (const name of namesIn(directory)) {
    try {
      return readManifest(directory, name)
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error
    }
  }
  return undefined
}

async function copyTenants(context: Run, tenants: Tenant[]) {
  const { deps, last } = context
  const entries: ArchivedTenant[] = []
  const [copied, unchanged]: string[][] = [[], []]
  const failed: BackupResult['failed'] = []
  for (const [done, tenant] of tenants.entries()) {
    const start = performance.now()
    deps.onProgress?.({ tenant: tenant.slug, done, total: tenants.length })
    const known = last?.tenants.find(({ id }) => id === tenant.id)
    try {
      const entry = await copyFromCurrentServer(context, tenant, known)
      if (!entry) continue
      entries.push(entry)
      ;(entry.file === known?.file ? unchanged : copied)!.push(tenant.slug)
    } catch (error) {
      if (isDiskFailure(error)) throw error
      failed.push({ slug: tenant.slug, reason: (error as Error).message })
      if (known) entries.push(known)
    }
    await deps.pause?.(performance.now() - start)
  }
  return { entries, copied: copied!, unchanged: unchanged!, failed }
}

/** Copies a tenant, or keeps the tenant's file if the tenant is unchanged. If the tenant is moved during the copy,
 *  tries again on the new server. Returns undefined if the tenant was deleted. */
async function copyFromCurrentServer(
  context: Run,
  { id, slug }: Tenant,
  known: ArchivedTenant | undefined,
): Promise<ArchivedTenant | undefined> {
  const find = async () => {
    const found = await findTenant(context.deps.catalog, slug)
    return found?.id === id ? found : undefined
  }
  for (let tenant = await find(); tenant; ) {
    try {
      return (known && (await keepUnchanged(context, tenant, known))) ?? (await copyTenant(context, tenant))
    } catch (error) {
      const { server } = tenant
      tenant = await find()
      if (tenant?.server === server) throw error
    }
  }
  return undefined
}

/** Returns the manifest entry of a tenant that has not changed since its file was written; undefined if the tenant has
 *  changed, the file cannot be opened, or unchanged tenants must be copied too. */
async function keepUnchanged(
  { deps, request }: Run,
  tenant: Tenant,
  known: ArchivedTenant,
): Promise<ArchivedTenant | undefined> {
  if (!request.sinceLast) return undefined
  const path = join(request.directory, filesFolder, known.file)
  if (!(await canOpen(path, known.encrypted, request.passphrase))) return undefined
  const verified_at = deps.now().toISOString()
  const erasures = await lastErasure(deps.catalog, tenant)
  const fingerprint = await deps.databases.read(tenant, (tenantDatabase) =>
    readFingerprint(tenantDatabase, deps.resources, erasures),
  )
  return fingerprint === known.fingerprint ? { ...known, ...aboutTenant(tenant), verified_at } : undefined
}

async function copyTenant(context: Run, tenant: Tenant): Promise<ArchivedTenant> {
  const { catalog, databases, resources, now } = context.deps
  const erasures = await lastErasure(catalog, tenant)
  const made_at = now().toISOString()
  return writeVerified(context, tenant.id, (write) =>
    withSnapshotFile(databases, resources, tenant, erasures, context.scratch, async (file, content) => ({
      ...aboutTenant(tenant),
      ...content,
      made_at,
      verified_at: made_at,
      ...(await write(file)),
    })),
  )
}

/** Returns the number of the last audit event about erasing one of the tenant's people; 0 if there is none. */
async function lastErasure({ database }: Catalog, { id }: Tenant): Promise<number> {
  const sql = `select coalesce(max(seq), 0) as seq from audit_events where tenant_id = ? and event = 'person_erased'`
  return (await database.get(sql, [id]))!.seq as number
}

function aboutTenant({ id, slug, name, state, trial_ends, created_at }: Tenant) {
  return { id, slug, name, state, trial_ends, created_at }
}

const diskFailures = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO']

/** Whether the error means that nothing more can be written, so the backup must stop instead of trying the next
 *  tenant. */
function isDiskFailure(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  return (code !== undefined && diskFailures.includes(code)) || message.includes('disk is full')
}

/** Returns a function that turns a failure to write into a UserError, and rethrows other errors. */
function explainFailure(directory: string) {
  return (error: unknown): never => {
    if (!isDiskFailure(error) && !(error instanceof Error && 'syscall' in error)) throw error
    const reason = (error as Error).message.replace(/\.$/, '')
    throw new UserError(`The backup to ${directory} failed: ${reason}. Earlier backups are unchanged.`)
  }
}
