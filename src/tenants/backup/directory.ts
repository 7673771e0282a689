// A backup directory: who may use it, whether backups can be written to it, the manifests in it, and the removal of old
// backups and of files that no manifest names any more.

import { accessSync, constants, lstatSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { findRun } from '../../catalog/tables/backup-records.ts'
import { lockFile } from '../../engine/database/sqlite/connection.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { createDirectory, createPrivateFile } from '../../lib/files/files.ts'
import { UserError } from '../../lib/user-error.ts'
import { type BackupAccess, isAboutBackup, needsPassphrase } from './access.ts'
import { filesOf, loadManifest, type Manifest, namesIn, type StoredManifest } from './manifest.ts'

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

/** The names of the files that backups write into `filesFolder`. */
const filePattern = /^[a-z0-9]+-\d{8}T\d{9}Z\.sqlite\.zst(\.enc)?$/

/** Removes files that no backup in the directory names: leftovers from a run that failed or was killed, and files from
 *  removed backups. If a manifest cannot be read, its files cannot be distinguished from leftovers, so only temporary
 *  files are removed. */
export async function removeUnused(directory: string, access: BackupAccess): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (name.startsWith('backup-') && name.endsWith('.tmp')) rmSync(join(directory, name), { force: true })
  }
  const used = await usedFiles(directory, access)
  for (const name of readdirSync(join(directory, filesFolder))) {
    const isUnused = used?.has(name) === false && filePattern.test(name)
    if (name.endsWith('.tmp') || isUnused) rmSync(join(directory, filesFolder, name), { force: true })
  }
}

/** Returns the names of the files in all backups; undefined if a manifest cannot be read. */
async function usedFiles(directory: string, access: BackupAccess): Promise<Set<string> | undefined> {
  const files = new Set<string>()
  for await (const { manifest } of readManifests(directory, namesIn(directory), access)) {
    if (!manifest) return undefined
    for (const { file } of filesOf(manifest)) files.add(file)
  }
  return files
}

/** Removes all backups that are older than the newest `keep`, and the files that no remaining backup uses. Backups that
 *  cannot be read are not counted, so that nobody can displace the others by adding some. Returns how many backups were
 *  removed. */
export async function prune(directory: string, keep: number, access: BackupAccess): Promise<number> {
  let keptCount = 0
  const old: string[] = []
  for await (const { name, manifest } of readManifests(directory, namesIn(directory), access)) {
    if (keptCount >= keep) old.push(name)
    else if (manifest) keptCount++
  }
  for (const name of old) rmSync(join(directory, name), { force: true })
  if (old.length > 0) await removeUnused(directory, access)
  return old.length
}

/** Both are sentences. */
export type DirectoryProblem = { message: string; remedy: string }

/** Returns why scheduled backups cannot be written to the directory; undefined if they can. Without a catalog, earlier
 *  backups are unknown. A missing directory is not created here. Leaves nothing behind. */
export async function findDirectoryProblem(
  catalog: Catalog | undefined,
  directory: string,
): Promise<DirectoryProblem | undefined> {
  return findWriteProblem(directory) ?? (await findMissingDisk(catalog, directory))
}

/** Returns a problem if the directory seems to be on a disk that is not mounted: a backup on the wrong disk would fill
 *  it and be taken for the real one. */
export async function findMissingDisk(
  catalog: Catalog | undefined,
  directory: string,
): Promise<DirectoryProblem | undefined> {
  const parent = dirname(directory)
  if (!statSync(parent, { throwIfNoEntry: false }))
    return { message: `There is no directory ${parent}.`, remedy: 'Mount the disk for the backups, or create it.' }
  const run = catalog && (await findRun(catalog, directory))
  if (!run?.finished_at || namesIn(directory).length > 0) return undefined
  return {
    message: `There was a backup in ${directory} at ${run.finished_at}, and now there is none.`,
    remedy: `Mount its disk. If it is lost, start again there: tenantdesk backup --to ${directory}`,
  }
}

function findWriteProblem(directory: string): DirectoryProblem | undefined {
  const path = join(directory, `backup-test-${process.pid}.tmp`)
  try {
    if (!statSync(dirname(directory), { throwIfNoEntry: false })) return undefined // see findMissingDisk
    if (!statSync(directory, { throwIfNoEntry: false })) {
      accessSync(dirname(directory), constants.W_OK | constants.X_OK)
      return undefined
    }
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
    rmSync(path)
    return undefined
  } catch (error) {
    return {
      message: `${directory} cannot be written to: ${errorMessageOf(error)}.`,
      remedy:
        "Make the server's user its owner. Under systemd, also name it in ReadWritePaths= of the unit (docs/guide/back-up-and-restore.md).",
    }
  }
}
