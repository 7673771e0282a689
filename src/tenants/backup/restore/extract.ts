// Creates a tenant's database from a backup, on any engine.

import type { Resources } from '../../../domain/declarations/resource.ts'
import { productOf } from '../../../domain/product.ts'
import { type CopyEndpoint, copyUnchanging } from '../../../domain/schema/copy.ts'
import { TenantFiles } from '../../../engine/sqlite/tenant-files.ts'
import type { TenantDatabases, TenantLocation } from '../../../engine/storage.ts'
import type { BackupAccess } from '../access.ts'
import { readArchive } from '../archive.ts'
import { requireIntact } from '../database-file.ts'
import type { ArchivedTenant } from '../manifest.ts'
import { scratchFile } from '../snapshot.ts'
import { explainProblem } from './choose-backup.ts'

/** Extracts a file from a backup into the scratch directory, and checks it. Throws UserError. */
export function extractTenant(
  path: string,
  archived: ArchivedTenant,
  scratch: string,
  access: BackupAccess,
  onChecking: () => void = () => {},
): Promise<void> {
  const file = scratchFile(scratch, archived.id)
  return explainProblem(archived.file, async () => {
    await readArchive(path, archived, file, access)
    onChecking()
    requireIntact(file, archived, archived)
  })
}

/** Creates a tenant's database from the file that was extracted for tenant `archivedId`, and opens it for requests. */
export async function createDatabase(
  { databases, resources }: { databases: TenantDatabases; resources: Resources },
  tenant: TenantLocation,
  archivedId: string,
  scratch: string,
  onCopying: () => void = () => {},
): Promise<void> {
  if (await databases.adopt(tenant, scratchFile(scratch, archivedId))) return
  onCopying()
  await databases.create(tenant, 'arriving')
  const files = new TenantFiles(scratch, productOf(resources))
  const from: CopyEndpoint = (work) => files.read({ id: archivedId, server: '' }, work)
  await copyUnchanging(from, (work) => databases.write(tenant, work), resources)
  await databases.transition(tenant, 'arriving', 'open')
}
