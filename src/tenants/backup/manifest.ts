// A backup's manifest: the files of the catalog and each tenant, and what they must contain. A directory has a manifest
// for each of its backups. Each manifest names every tenant's newest file, so an unchanged tenant's file belongs to
// several backups.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncPath } from '../../database/durable-files.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Tenant } from '../tenants.ts'
import { type ArchivedFile, DamagedBackup } from './archive.ts'

/** The only format so far. */
const format = 1

/** A database file in a backup. `rows`: the number of rows per table. `schema`: the schema version. `made_at`: when the
 *  database was copied. */
export type ArchivedDatabase = ArchivedFile & {
  made_at: string
  schema: number
  rows: Record<string, number>
}

/** `seq`: the last change in the tenant's history. `fingerprint`: compared by --since-last to detect whether the tenant
 *  has changed. `verified_at`: when the tenant was last known to match the file. `engine`: the database engine that the
 *  tenant was on. */
export type ArchivedTenant = ArchivedDatabase &
  Pick<Tenant, 'id' | 'slug' | 'name' | 'state' | 'trial_ends' | 'created_at'> & {
    engine: 'sqlite' | 'postgres'
    seq: number
    fingerprint: string
    verified_at: string
  }

/** `catalog`: null if only single tenants were ever backed up to the directory. */
export type Manifest = {
  format: typeof format
  version: string
  made_at: string
  catalog: ArchivedDatabase | null
  tenants: ArchivedTenant[]
}

/** The folder with the database files, in the backup directory. */
export const filesFolder = 'databases'

const namePattern = /^backup-(\d{8}T\d{9}Z)\.json$/

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

/** Reads a manifest and verifies its SHA-256. Throws DamagedBackup, or UserError if a newer version wrote the
 *  manifest. */
export function readManifest(directory: string, name: string): Manifest {
  const text = readText(join(directory, name))
  let parsed: Manifest & { sha256: string }
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new DamagedBackup('the manifest is not JSON')
  }
  const { sha256, ...manifest } = parsed
  if (Number(manifest.format) > format)
    throw new UserError(`The backup was made by Tenantdesk ${manifest.version}, which is newer than this one.`)
  if (manifest.format !== format || serialize(manifest) !== text)
    throw new DamagedBackup('the SHA-256 in the manifest does not match its content')
  if (!filesOf(manifest).every(({ file }) => /^[\w.-]+$/.test(file)))
    throw new DamagedBackup('the manifest names a file outside the backup')
  return manifest
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new DamagedBackup(`the manifest cannot be read: ${(error as Error).message}`)
  }
}

/** The last member is the SHA-256 of the other members, so that any changed byte is detected. */
function serialize(manifest: Manifest): string {
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  return `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`
}

/** Writes the manifest under a temporary name and renames it. From then on, the backup exists. */
export function writeManifest(directory: string, name: string, manifest: Manifest): void {
  const path = join(directory, name)
  const temporaryPath = `${path}.tmp`
  writeFileSync(temporaryPath, serialize(manifest), { mode: 0o600, flush: true })
  renameSync(temporaryPath, path)
  syncPath(directory)
}

/** Returns the next backup's timestamp: later than all others in the directory, even if the clock was set back. */
export function nextStamp(directory: string, now: Date): string {
  const stamps = namesIn(directory).map((name) => namePattern.exec(name)![1]!)
  const stamp = stampOf(now)
  return stamps[0] !== undefined && stamp <= stamps[0] ? stampOf(new Date(timeOf(stamps[0]) + 1)) : stamp
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

/** Returns the files that a backup consists of. */
export function filesOf({ catalog, tenants }: Manifest): ArchivedDatabase[] {
  return catalog ? [catalog, ...tenants] : tenants
}

/** Removes files that no backup in the directory names: leftovers from a run that failed or was killed, and files from
 *  removed backups. If a manifest cannot be read, its files cannot be distinguished from leftovers, so only temporary
 *  files are removed. */
export function removeUnused(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith('backup-') && name.endsWith('.tmp')) rmSync(join(directory, name), { force: true })
  }
  const used = usedFiles(directory)
  for (const name of readdirSync(join(directory, filesFolder))) {
    if (name.endsWith('.tmp') || used?.has(name) === false) rmSync(join(directory, filesFolder, name), { force: true })
  }
}

/** Returns the names of the files in all backups; undefined if a manifest cannot be read. */
function usedFiles(directory: string): Set<string> | undefined {
  try {
    const manifests = namesIn(directory).map((name) => readManifest(directory, name))
    return new Set(manifests.flatMap(filesOf).map(({ file }) => file))
  } catch {
    return undefined
  }
}

/** Removes all but the newest `keep` backups, and the files that no remaining backup uses. Returns how many backups
 *  were removed. */
export function prune(directory: string, keep: number): number {
  const old = namesIn(directory).slice(keep)
  for (const name of old) rmSync(join(directory, name), { force: true })
  if (old.length > 0) removeUnused(directory)
  return old.length
}
