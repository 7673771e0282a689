// A backup directory: who may use it, and the manifests in it.

import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createDirectory, createPrivateFile } from '../../engine/database/durable-files.ts'
import { lockFile } from '../../engine/database/sqlite/connection.ts'
import { UserError } from '../../lib/user-error.ts'
import { type BackupAccess, isAboutBackup, needsPassphrase } from './access.ts'
import { loadManifest, type Manifest, type StoredManifest } from './manifest.ts'
import { namesIn } from './manifest-names.ts'

/** The folder with the database files, in the backup directory. */
export const filesFolder = 'databases'

/** A manifest in a directory, or why it cannot be used. */
export type ListedManifest = { name: string; stored?: StoredManifest | undefined } & (
  | { manifest: Manifest }
  | { manifest?: undefined; problem: Error }
)

/** Reads these manifests one by one. Throws UserError if a newer version wrote a manifest. */
export async function* readManifests(
  directory: string,
  names: readonly string[],
  access: BackupAccess,
): AsyncGenerator<ListedManifest> {
  for (const name of names) {
    let stored: StoredManifest | undefined
    try {
      stored = loadManifest(directory, name)
      yield { name, stored, manifest: await stored.open(access) }
    } catch (error) {
      if (!isAboutBackup(error)) throw error
      yield { name, stored, problem: error }
    }
  }
}

/** Throws UserError if the directory has encrypted backups, but there is no passphrase: whoever forgets the passphrase
 *  must neither add unencrypted backups to them nor restore one that somebody else has added. */
export function requirePassphrase(directory: string, { passphrase, acceptUnencrypted }: BackupAccess): void {
  if (passphrase || acceptUnencrypted) return
  const encryptedName = namesIn(directory).find((name) => isEncrypted(directory, name))
  if (encryptedName === undefined) return
  throw new UserError(
    `${join(directory, encryptedName)}: ${needsPassphrase}. To use only unencrypted backups there, add --accept-unencrypted.`,
  )
}

function isEncrypted(directory: string, name: string): boolean {
  try {
    return loadManifest(directory, name).isEncrypted
  } catch (error) {
    if (isAboutBackup(error)) return false
    throw error
  }
}

/** Creates the directory, and locks it while `callback` runs. Throws UserError if another process has locked the
 *  directory. */
export async function withDirectory<T>(
  directory: string,
  warn: BackupAccess['warn'],
  callback: () => Promise<T>,
): Promise<T> {
  if (!statSync(directory, { throwIfNoEntry: false })) warn(`There was no directory ${directory}. It has been created.`)
  createDirectory(directory)
  createDirectory(join(directory, filesFolder))
  const path = join(directory, 'backup.lock')
  createPrivateFile(path)
  // The directory may be shared. Links could lead to files that must be neither locked nor removed.
  if (lstatSync(join(directory, filesFolder)).isSymbolicLink() || !lstatSync(path).isFile())
    throw new UserError(`${directory} contains a link in place of ${filesFolder} or backup.lock: remove it.`)
  const lock = lockFile(path)
  if (!lock) throw new UserError(`Another backup to ${directory} is running.`)
  try {
    return await callback()
  } finally {
    lock.close()
  }
}
