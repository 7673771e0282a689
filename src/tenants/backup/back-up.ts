// Backs up some or all tenants while they are in use. The files are complete and verified before the manifest names
// them, so a run that fails or is killed does not damage earlier backups.

import { dirname, join, resolve } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { findRun, recordRun } from '../../catalog/tables/backup-records.ts'
import { syncPath } from '../../lib/files/files.ts'
import { UserError } from '../../lib/user-error.ts'
import { listTenants, type Tenant } from '../tenants.ts'
import { type BackupAccess, explainFailure, RefusedBackup } from './access.ts'
import { writeVerified } from './archive.ts'
import { withCatalogFile } from './catalog-file.ts'
import { type BackupDependencies, type CopiedTenants, copyTenants, type RunningBackup } from './copy-tenants.ts'
import {
  filesFolder,
  findMissingDisk,
  prune,
  readManifests,
  removeUnused,
  requirePassphrase,
  withDirectory,
} from './directory.ts'
import {
  type ArchivedDatabase,
  filesOf,
  type Manifest,
  manifestName,
  namesIn,
  nextStamp,
  writeManifest,
} from './manifest.ts'
import { findReusable, type LostFile, readTime } from './reuse.ts'
import { withScratch } from './scratch.ts'

export type BackupRequest = {
  directory: string
  /** The tenants to back up; null for all tenants and the catalog. For everything else, the new manifest names the file
   *  from the previous backup. */
  slugs: readonly string[] | null
  /** Whether a tenant that has not changed since its last backup in the directory keeps that backup's file instead of
   *  being copied again. */
  sinceLast: boolean
  /** With a passphrase, only backups under this passphrase are used. */
  access: BackupAccess
  /** Where temporary copies are stored if there is a passphrase, so that unencrypted copies are never stored with the
   *  backups. */
  scratchDirectory: string
  /** How many backups to keep in the directory; null for all. */
  keep: number | null
}

export type BackupResult = Omit<CopiedTenants, 'entries'> & {
  path: string
  manifest: Manifest
  /** The files of the last backup that were missing or damaged. Their tenants are in `copied` or `failed`. */
  lost: LostFile[]
  /** How many older backups were removed. */
  removed: number
}

/** A tenant that cannot be read keeps its file from the previous backup, and is listed in `failed`. Throws UserError if
 *  a tenant is unknown, another backup to the directory is running, or the directory cannot be used. */
export async function backUp(deps: BackupDependencies, request: BackupRequest): Promise<BackupResult> {
  const directory = resolve(request.directory)
  const tenants = await listTenants(deps.catalog)
  const unknown = request.slugs?.find((slug) => tenants.every((tenant) => tenant.slug !== slug))
  if (unknown !== undefined) throw new UserError(`There is no tenant ${unknown}.`)
  const missing = request.sinceLast ? await findMissingDisk(deps.catalog, directory) : undefined
  if (missing) throw new UserError(`${missing.message} ${missing.remedy}`)
  return withDirectory(directory, request.access.warn, async () => {
    requirePassphrase(directory, request.access)
    const parent = request.access.passphrase ? request.scratchDirectory : directory
    return withScratch(parent, (scratch) => writeBackup(deps, { ...request, directory }, tenants, scratch))
  }).catch(explainFailure(directory))
}

async function writeBackup(
  deps: BackupDependencies,
  request: BackupRequest,
  tenants: Tenant[],
  scratch: string,
): Promise<BackupResult> {
  const { directory, slugs, sinceLast } = request
  const { passphrase } = request.access
  const access = passphrase ? { ...request.access, acceptUnencrypted: false } : request.access
  await removeUnused(directory, access)
  const newest = await newestManifest(directory, access)
  await requireOwnBackups(deps.catalog, directory, newest.manifest, tenants)
  const reuse = { directory, passphrase, reads: sinceLast, now: deps.now(), pause: deps.pause }
  const { last, lost } = newest.manifest ? await findReusable(newest.manifest, reuse) : { last: undefined, lost: [] }
  const stamp = nextStamp(newest.name, deps.now())
  const run: RunningBackup = { deps, directory, passphrase, sinceLast, stamp, scratch, last, lost }
  const isCatalogLost = lost.some(({ slug }) => slug === null)
  const catalog = slugs && !isCatalogLost ? (last?.catalog ?? null) : await copyCatalog(run)
  const isChosen = ({ slug }: { slug: string }) =>
    !slugs || slugs.includes(slug) || lost.some((file) => file.slug === slug)
  const { entries, ...copies } = await copyTenants(run, tenants.filter(isChosen))
  const others = last?.tenants.filter((entry) => !isChosen(entry)) ?? []
  const all = [...others, ...entries].toSorted((one, other) => (one.slug < other.slug ? -1 : 1))
  const content = { made_at: deps.now().toISOString(), catalog, tenants: all }
  syncPath(join(directory, filesFolder))
  const manifest = await writeManifest(directory, manifestName(stamp), content, passphrase)
  const removed = request.keep === null ? 0 : await prune(directory, request.keep, access)
  return { path: join(directory, manifestName(stamp)), manifest, ...copies, lost, removed }
}

/** Throws UserError if the newest backup contains none of this installation's tenants and this installation has never
 *  backed up to the directory. Otherwise `--keep` would delete another installation's backups, or this installation's
 *  own backups while the disk with DATA_DIR is not mounted. */
async function requireOwnBackups(
  catalog: Catalog,
  directory: string,
  newest: Manifest | undefined,
  tenants: readonly Tenant[],
): Promise<void> {
  if (!newest || newest.tenants.length === 0) return
  const ids = new Set(tenants.map(({ id }) => id))
  if (newest.tenants.some(({ id }) => ids.has(id)) || (await findRun(catalog, directory))?.finished_at) return
  throw new UserError(
    `The newest backup in ${directory} has ${newest.tenants.length} tenants, and none of them exists here. Check DATA_DIR and DATABASE_URL, or give this installation a directory of its own.`,
  )
}

async function copyCatalog(run: RunningBackup): Promise<ArchivedDatabase> {
  const made_at = run.deps.now().toISOString()
  return writeVerified(run, 'catalog', (write) =>
    withCatalogFile(run.deps.catalog, run.scratch, async (file, content) => ({
      ...content,
      made_at,
      ...(await write(file)),
    })),
  )
}

/** Returns the newest manifest that can be used. Warns about refused manifests. */
async function newestManifest(
  directory: string,
  access: BackupAccess,
): Promise<{ name?: string; manifest?: Manifest }> {
  const refused: { name: string; reason: string }[] = []
  let newest: { name?: string; manifest?: Manifest } = {}
  for await (const { name, ...listed } of readManifests(directory, namesIn(directory), access)) {
    if (listed.manifest && !newest.manifest) newest = { name, manifest: listed.manifest }
    if (!listed.manifest && listed.problem instanceof RefusedBackup)
      refused.push({ name, reason: listed.problem.message })
  }
  const [first] = refused
  if (first)
    access.warn(`Backups in ${directory} that are not used: ${refused.length}, such as ${first.name}: ${first.reason}.`)
  return newest
}

/** Records in the catalog which tenants a run backed up and whether any failed, for the panel, metrics and
 *  /readyz. */
export function recordBackup(catalog: Catalog, result: BackupResult, now: Date): Promise<void> {
  const { path, manifest, copied, unchanged, failed, lost } = result
  const backedUp = manifest.tenants.filter(({ slug }) => copied.includes(slug) || unchanged.includes(slug))
  const [first] = failed
  return recordRun(catalog, {
    directory: dirname(path),
    backedUp: backedUp.map(({ id }) => id),
    now,
    failure: first ? `${first.slug}: ${first.reason}` : null,
    checks: { read_since: filesOf(manifest).map(readTime).sort()[0] ?? null, lost_files: lost.length },
  })
}
