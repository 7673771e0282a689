// Writes backup files, and verifies each file by reading it back.

import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Passphrase } from '../../lib/files/passphrase-encryption.ts'
import type { BackupAccess } from './access.ts'
import { type ArchivedFile, readArchive, writeArchive } from './archive.ts'
import { requireIntact } from './database-file.ts'
import { filesFolder } from './directory.ts'
import type { ArchivedDatabase, ArchivedTenant } from './manifest.ts'

/** `directory`: the backup directory. `stamp`: the part of the file names that identifies the backup. `scratch`: a
 *  directory for temporary files. */
export type Target = { directory: string; passphrase: Passphrase | undefined; stamp: string; scratch: string }

/** Writes a backup file under a temporary name, and verifies the file as `tenantdesk verify` does. `createEntry`
 *  receives a function that writes a database to the file. It returns the manifest entry. */
export async function writeVerified<Entry extends ArchivedDatabase>(
  { directory, passphrase, stamp, scratch }: Target,
  name: string,
  createEntry: (write: (database: string) => Promise<ArchivedFile>) => Promise<Entry>,
): Promise<Entry> {
  const file = `${name}-${stamp}.sqlite.zst${passphrase ? '.enc' : ''}`
  const path = join(directory, filesFolder, file)
  const temporaryPath = `${path}.tmp`
  try {
    const entry = await createEntry(async (database) => ({
      file,
      ...(await writeArchive(database, temporaryPath, passphrase)),
    }))
    await verifyArchive(temporaryPath, entry, scratch, { passphrase, acceptUnencrypted: false })
    renameSync(temporaryPath, path)
    return entry
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/** Reads a backup file, and checks the database in it. Throws DamagedBackup,
 *  RefusedBackup and UserError. */
export async function verifyArchive(
  path: string,
  archived: ArchivedDatabase | ArchivedTenant,
  scratch: string,
  access: Pick<BackupAccess, 'passphrase' | 'acceptUnencrypted'>,
): Promise<void> {
  const copy = join(scratch, 'verified.sqlite')
  try {
    await readArchive(path, archived, copy, access)
    requireIntact(copy, archived, 'seq' in archived ? archived : undefined)
  } finally {
    rmSync(copy, { force: true })
  }
}
