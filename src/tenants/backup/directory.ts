// A backup directory: its manifests by time, and the files that no manifest names any more.

import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createDirectory, createPrivateFile } from '../../database/durable-files.ts'
import { lockFile } from '../../database/sqlite/connection.ts'
import { UserError } from '../../lib/user-error.ts'
import { type BackupAccess, isAboutBackup, needsPassphrase } from './access.ts'
import { filesOf, loadManifest, type Manifest, type StoredManifest } from './manifest.ts'

/** The folder with the database files, in the backup directory. */
export const filesFolder = 'databases'

const namePattern = /^backup-(\d{8}T\d{9}Z)\.json$/

/** The names of the files that backups write into `filesFolder`. */
const filePattern = /^[a-z0-9]+-\d{8}T\d{9}Z\.sqlite\.zst(\.enc)?$/

/** Returns the names of all manifests in a directory, newest first. Throws UserError if the directory has none or
 *  cannot be read. */
export function listManifests(directory: string): string[] {
  const names = namesIn(directory)
  if (names.length === 0) throw new UserError(`There is no backup in ${directory}.`)
  return names
}

/** Like `listManifests`, but returns an empty list if the directory is missing or has no manifests. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => namePattern.test(name))
      .sort()
      .reverse()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new UserError(`${directory} cannot be read: ${(error as Error).message}.`)
  }
}

/** A manifest in a directory, or why it cannot be used. */
export type ListedManifest = { name: string; stored?: StoredManifest } & (
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

/** Returns the next backup's timestamp: later than that of the newest readable manifest, even if the clock was set
 *  back. */
export function nextStamp(newestName: string | undefined, now: Date): string {
  const newest = newestName === undefined ? '' : namePattern.exec(newestName)![1]!
  const stamp = stampOf(now)
  return stamp <= newest ? stampOf(new Date(timeOf(newest) + 1)) : stamp
}

export function manifestName(stamp: string): string {
  return `backup-${stamp}.json`
}

/** Returns a timestamp such as `20261123T031500123Z`. */
function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '')
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..)(...Z)$/, '$1-$2-$3:$4:$5.$6'))
}

/** Returns the time in a manifest's name. */
export function timeInName(name: string): string {
  return new Date(timeOf(namePattern.exec(name)![1]!)).toISOString()
}

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
  let kept = 0
  const old: string[] = []
  for await (const { name, manifest } of readManifests(directory, namesIn(directory), access)) {
    if (kept >= keep) old.push(name)
    else if (manifest) kept++
  }
  for (const name of old) rmSync(join(directory, name), { force: true })
  if (old.length > 0) await removeUnused(directory, access)
  return old.length
}
