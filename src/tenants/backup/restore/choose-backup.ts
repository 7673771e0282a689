// Chooses a backup in a directory, and reports damage as errors for the operator.

import { UserError } from '../../../lib/user-error.ts'
import { DamagedBackup } from '../archive.ts'
import { listManifests, type Manifest, readManifest } from '../manifest.ts'

/** Reads a backup's manifest. `backup`: the manifest's name; null for the newest backup. Throws UserError. */
export function chooseManifest(directory: string, backup: string | null): Manifest {
  const names = listManifests(directory)
  if (backup !== null && !names.includes(backup)) throw new UserError(`There is no backup ${backup} in ${directory}.`)
  const name = backup ?? names[0]!
  try {
    return readManifest(directory, name)
  } catch (error) {
    throw asUserError(name, error)
  }
}

/** Runs `callback`. If it throws DamagedBackup, throws a UserError instead. */
export async function explainDamage<T>(file: string, callback: () => Promise<T>): Promise<T> {
  try {
    return await callback()
  } catch (error) {
    throw asUserError(file, error)
  }
}

function asUserError(file: string, error: unknown): unknown {
  if (!(error instanceof DamagedBackup)) return error
  return new UserError(`${file} is damaged, and nothing was restored: ${error.message}.`)
}
