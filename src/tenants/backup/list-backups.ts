// Lists the backups in a directory from their manifests and the sizes of their files, without reading the files.

import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BackupAccess } from './access.ts'
import { filesFolder, readManifests } from './directory.ts'
import { filesOf, listManifests, type Manifest, timeInName } from './manifest.ts'

/** `tenants`: how many there are. `complete`: whether all its files have the right size. `catalog`: whether the backup
 *  has one, so that a whole installation can be restored. These are null if the manifest cannot be read; `problem` is
 *  the reason, or the first file that is missing. `encrypted`: null if the manifest is damaged. */
export type ListedBackup = {
  name: string
  time: string
  version: string | null
  tenants: number | null
  slugs: string[] | null
  catalog: boolean | null
  bytes: number | null
  complete: boolean | null
  encrypted: boolean | null
  problem: string | null
}

/** Returns the backups, newest first. Throws UserError. */
export async function listBackups(path: string, access: BackupAccess): Promise<ListedBackup[]> {
  const directory = resolve(path)
  const backups: ListedBackup[] = []
  for await (const listed of readManifests(directory, listManifests(directory), access)) {
    const encrypted = listed.stored?.isEncrypted ?? null
    const about = { name: listed.name, encrypted }
    backups.push(
      listed.manifest
        ? { ...about, ...describe(directory, listed.manifest) }
        : { ...about, ...unknownContent, time: timeInName(listed.name), problem: listed.problem.message },
    )
  }
  return backups
}

const unknownContent = { version: null, tenants: null, slugs: null, catalog: null, bytes: null, complete: null }

function describe(directory: string, manifest: Manifest): Omit<ListedBackup, 'name' | 'encrypted'> {
  const files = filesOf(manifest)
  const missing = files.find(
    ({ file, bytes }) => statSync(join(directory, filesFolder, file), { throwIfNoEntry: false })?.size !== bytes,
  )
  return {
    time: manifest.made_at,
    version: manifest.version,
    tenants: manifest.tenants.length,
    slugs: manifest.tenants.map(({ slug }) => slug),
    catalog: manifest.catalog !== null,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    complete: missing === undefined,
    problem: missing ? `${missing.file} is missing or has another size` : null,
  }
}
