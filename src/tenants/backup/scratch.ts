// Directories for temporary copies of databases. A lock file next to each directory shows that a process is using the
// directory. Directories that killed processes have left behind are removed.

import { randomBytes } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFile } from '../../engine/database/sqlite/connection.ts'
import { createDirectory, createPrivateFile } from '../../lib/files/files.ts'

const lockPattern = /^(scratch-[0-9a-f]{12})\.lock$/

/** Calls `callback` with an empty directory below `parent`, and removes the directory afterwards. */
export async function withScratch<T>(parent: string, callback: (directory: string) => Promise<T>): Promise<T> {
  createDirectory(parent)
  removeAbandoned(parent)
  const directory = join(parent, `scratch-${randomBytes(6).toString('hex')}`)
  const lockPath = `${directory}.lock`
  createPrivateFile(lockPath)
  const lock = lockFile(lockPath)
  if (!lock) return withScratch(parent, callback) // another process considered it abandoned
  try {
    createDirectory(directory)
    return await callback(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
    lock.close()
    rmSync(lockPath, { force: true })
  }
}

const temporaryPrefix = 'tenantdesk-verify-'

/** Calls `callback` with an empty directory in the system's temporary directory, which other users can write to. The
 *  directory is in a new one that only this user can enter, so that nobody else can place files or links there. */
export async function withTemporaryDirectory<T>(callback: (directory: string) => Promise<T>): Promise<T> {
  for (const name of readdirSync(tmpdir())) {
    const parent = join(tmpdir(), name)
    if (name.startsWith(temporaryPrefix) && isOwn(parent, 'directory') && removeAbandoned(parent)) removeIfEmpty(parent)
  }
  const parent = mkdtempSync(join(tmpdir(), temporaryPrefix))
  try {
    return await withScratch(parent, callback)
  } finally {
    removeIfEmpty(parent)
  }
}

/** Returns whether there was anything to remove. */
function removeAbandoned(parent: string): boolean {
  let hasRemoved = false
  for (const name of readdirSync(parent)) {
    const [, abandoned] = lockPattern.exec(name) ?? []
    if (!abandoned || !isOwn(join(parent, name), 'file')) continue
    const lock = lockFile(join(parent, name))
    if (!lock) continue
    rmSync(join(parent, abandoned), { recursive: true, force: true })
    rmSync(join(parent, name), { force: true })
    lock.close()
    hasRemoved = true
  }
  return hasRemoved
}

/** Whether this user owns the file or directory. False for links. */
function isOwn(path: string, kind: 'file' | 'directory'): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  const isKind = kind === 'file' ? stats?.isFile() : stats?.isDirectory()
  return isKind === true && (process.getuid === undefined || stats?.uid === process.getuid())
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // another process of this user has removed it, or the directory is not empty
  }
}
