// Checks who owns a data directory, and who else can access it. A command that runs as another user would create files
// that the server cannot use.

import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { UserError } from '../lib/user-error.ts'
import { userName } from '../lib/user-name.ts'
import { pepperPath } from './pepper/pepper-file.ts'
import { catalogFile } from './sqlite.ts'

/** `path`: the directory, or the catalog in it. `owner`, `user`: names or ids of users. */
export type ForeignOwner = { path: string; owner: string; user: string }

/** Returns the owner of a data directory or of its catalog if this process runs as another user. */
export function findForeignOwner(directory: string): ForeignOwner | undefined {
  const userId = process.getuid?.()
  if (userId === undefined) return undefined // Windows
  for (const path of [directory, catalogFile(directory)]) {
    const stats = statsOf(path)
    if (!stats || stats.uid === userId || isLent(path, stats)) continue
    return { path, owner: userName(stats.uid), user: userName(userId) }
  }
  return undefined
}

/** Throws UserError. */
export function requireOwner(directory: string): void {
  const foreignOwner = findForeignOwner(directory)
  if (foreignOwner) throw new UserError(`${describeOwner(foreignOwner)} ${ownerAdvice(foreignOwner, directory)}`)
}

export function describeOwner({ path, owner, user }: ForeignOwner): string {
  return `${path} belongs to ${owner}, and this command runs as ${user}.`
}

export function ownerAdvice({ owner }: ForeignOwner, directory: string): string {
  return `Run it as ${owner}, so that the server can use its files: sudo -u ${owner} env DATA_DIR=${directory} tenantdesk …`
}

/** Whether root lets this process use a directory without owning it, as container platforms do with volumes. The files
 *  in it then belong to this process. */
function isLent(path: string, stats: Stats): boolean {
  if (stats.uid !== 0 || !stats.isDirectory()) return false
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // the directory cannot be searched; its own owner has been compared
  }
}

/** `mode`: the file's permissions in octal. `expectedMode`: the permissions that it should have. */
export type ExposedFile = { path: string; mode: string; expectedMode: string }

/** Checks the data directory and the pepper file, and returns those that other users of this machine can access. */
export function findExposedFiles(directory: string): ExposedFile[] {
  const expectedModes: [path: string, expectedMode: string][] = [
    [directory, '700'],
    [pepperPath(directory), '600'],
  ]
  return expectedModes.flatMap(([path, expectedMode]) => {
    const actual = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if (process.platform === 'win32' || (actual & 0o077) === 0) return []
    return { path, mode: (actual & 0o777).toString(8), expectedMode }
  })
}
