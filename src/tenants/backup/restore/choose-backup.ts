// Chooses a backup in a directory, and reports what is wrong with it as errors for the operator.

import { UserError } from '../../../lib/user-error.ts'
import { type BackupAccess, DamagedBackup, RefusedBackup } from '../access.ts'
import { requirePassphrase } from '../directory.ts'
import { type Manifest, readManifest } from '../manifest.ts'
import { listManifests } from '../manifest-names.ts'

/** Which backup to restore. `directory`: an absolute path. `backup`: the manifest's name; null for the newest. */
export type BackupChoice = { directory: string; backup: string | null; access: BackupAccess }

/** Reads a backup's manifest. Throws UserError. */
export async function chooseManifest({ directory, backup, access }: BackupChoice): Promise<Manifest> {
  const names = listManifests(directory)
  if (backup !== null && !names.includes(backup)) throw new UserError(`There is no backup ${backup} in ${directory}.`)
  requirePassphrase(directory, access)
  const name = backup ?? names[0]!
  return explainProblem(name, () => readManifest(directory, name, access))
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
