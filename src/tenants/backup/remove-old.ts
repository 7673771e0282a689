// Removes old backups, and the files that no manifest names any more.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupAccess } from './access.ts'
import { filesFolder, readManifests } from './directory.ts'
import { filesOf } from './manifest.ts'
import { namesIn } from './manifest-names.ts'

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
