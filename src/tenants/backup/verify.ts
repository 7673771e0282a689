// Verifies that backups can be restored: reads every backup file in a directory, and checks the database in each file.

import { join, resolve } from 'node:path'
import { type BackupAccess, DamagedBackup, isAboutBackup, RefusedBackup } from './access.ts'
import { verifyArchive } from './archive.ts'
import { filesFolder, readManifests, requirePassphrase } from './directory.ts'
import { type ArchivedDatabase, filesOf, listManifests, namesIn } from './manifest.ts'
import { withTemporaryDirectory } from './scratch.ts'

export type UnverifiedFile = { file: string; reason: string }

/** `damaged`: every damaged file or manifest. `refused`: every file or manifest that the passphrase does not cover. */
export type Verification = {
  backups: number
  files: number
  bytes: number
  damaged: UnverifiedFile[]
  refused: UnverifiedFile[]
}

/** Verifies every backup in a directory, without changing anything there. A file that belongs to several backups is
 *  verified only once. Stores temporary copies in the system's temporary directory (TMPDIR). Throws UserError. */
export async function verifyBackups(
  path: string,
  access: BackupAccess,
  onProgress: (done: number, total: number) => void,
): Promise<Verification> {
  const directory = resolve(path)
  const names = listManifests(directory)
  requirePassphrase(directory, access)
  const { files, problems } = await collectFiles(directory, names, access)
  return withTemporaryDirectory(async (scratch) => {
    let bytes = 0
    for (const [done, archived] of [...files.values()].entries()) {
      onProgress(done, files.size)
      try {
        await verifyArchive(join(directory, filesFolder, archived.file), archived, scratch, access)
        bytes += archived.bytes
      } catch (error) {
        if (!isAboutBackup(error)) throw error
        problems.set(archived.file, error)
      }
    }
    const silent = { ...access, warn: () => {} } // the first pass has warned
    const present = new Set(namesIn(directory))
    const presentFiles = (await collectFiles(directory, [...present], silent)).files
    // A backup with --keep may have removed backups in the meantime.
    const remaining = [...problems].filter(([file]) => present.has(file) || presentFiles.has(file))
    const withError = (kind: typeof DamagedBackup | typeof RefusedBackup): UnverifiedFile[] =>
      remaining.flatMap(([file, error]) => (error instanceof kind ? { file, reason: error.message } : []))
    return {
      backups: names.filter((name) => present.has(name)).length,
      files: [...files.keys()].filter((file) => presentFiles.has(file)).length,
      bytes,
      damaged: withError(DamagedBackup),
      refused: withError(RefusedBackup),
    }
  })
}

/** Returns the files in these manifests, and the manifests that cannot be used. */
async function collectFiles(directory: string, names: readonly string[], access: BackupAccess) {
  const files = new Map<string, ArchivedDatabase>()
  const problems = new Map<string, Error>()
  for await (const listed of readManifests(directory, names, access)) {
    if (listed.manifest) for (const archived of filesOf(listed.manifest)) files.set(archived.file, archived)
    else problems.set(listed.name, listed.problem)
  }
  return { files, problems }
}
