// Reads a backup: chooses one in a directory, and extracts and checks a tenant in it, from which a database is created
// on any engine.

import { join } from 'node:path'
import type { Resources } from '../../../domain/declarations/resource.ts'
import { productOf } from '../../../domain/product.ts'
import { type CopyEndpoint, copyUnchanging } from '../../../domain/schema/copy.ts'
import { TenantFiles } from '../../../engine/sqlite/tenant-files.ts'
import type { TenantDatabases, TenantLocation } from '../../../engine/tenant-databases.ts'
import { UserError } from '../../../lib/user-error.ts'
import { type BackupAccess, DamagedBackup, RefusedBackup } from '../access.ts'
import { readArchive } from '../archive.ts'
import { requireIntact } from '../database-file.ts'
import { filesFolder, requirePassphrase } from '../directory.ts'
import { type ArchivedTenant, listManifests, loadManifest, type Manifest } from '../manifest.ts'
import { scratchFile } from '../snapshot.ts'

/** A tenant in a backup, and the directory to which its database is extracted. */
export type Extraction = { archived: ArchivedTenant; scratch: string }

/** Extracts a file from a backup into the scratch directory, and checks it. Throws UserError. */
export function extractTenant(
  { directory, access }: BackupChoice,
  { archived, scratch }: Extraction,
  onChecking: () => void = () => {},
): Promise<void> {
  const file = scratchFile(scratch, archived.id)
  return explainProblem(archived.file, async () => {
    await readArchive(join(directory, filesFolder, archived.file), archived, file, access)
    onChecking()
    requireIntact(file, archived, archived)
  })
}

/** Creates a tenant's database from the file that was extracted, and opens it for requests. */
export async function createDatabase(
  { databases, resources }: { databases: TenantDatabases; resources: Resources },
  tenant: TenantLocation,
  { archived, scratch }: Extraction,
  onCopying: () => void = () => {},
): Promise<void> {
  if (await databases.adopt(tenant, scratchFile(scratch, archived.id))) return
  onCopying()
  await databases.create(tenant, 'arriving')
  const files = new TenantFiles(scratch, productOf(resources))
  const from: CopyEndpoint = (work) => files.read({ id: archived.id, server: '' }, work)
  await copyUnchanging(from, (work) => databases.write(tenant, work), resources)
  await databases.transition(tenant, 'arriving', 'open')
}

/** Which backup to restore. `directory`: an absolute path. `backup`: the manifest's name; null for the newest. */
export type BackupChoice = { directory: string; backup: string | null; access: BackupAccess }

/** Reads a backup's manifest. Throws UserError. */
export async function chooseManifest({ directory, backup, access }: BackupChoice): Promise<Manifest> {
  const names = listManifests(directory)
  if (backup !== null && !names.includes(backup)) throw new UserError(`There is no backup ${backup} in ${directory}.`)
  requirePassphrase(directory, access)
  const name = backup ?? names[0]!
  return explainProblem(name, async () => loadManifest(directory, name).open(access))
}

/** Runs `callback`. If a file of the backup cannot be used, throws a UserError that names the file. */
export async function explainProblem<T>(file: string, callback: () => Promise<T>): Promise<T> {
  try {
    return await callback()
  } catch (error) {
    if (error instanceof DamagedBackup)
      throw new UserError(`${file} is damaged, and nothing was restored: ${error.message}.`)
    if (error instanceof RefusedBackup) throw new UserError(`${file} was not restored: ${error.message}.`)
    throw error
  }
}
