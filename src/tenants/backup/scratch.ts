// Directories for temporary copies of databases. A lock file next to each directory shows that a process is using the
// directory. Directories that killed processes have left behind are removed.

import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createDirectory, createPrivateFile } from '../../database/durable-files.ts'
import { lockFile } from '../../database/sqlite/connection.ts'

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

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, abandoned] = lockPattern.exec(name) ?? []
    if (!abandoned) continue
    const lock = lockFile(join(parent, name))
    if (!lock) continue
    rmSync(join(parent, abandoned), { recursive: true, force: true })
    rmSync(join(parent, name), { force: true })
    lock.close()
  }
}
