// Creates files and directories that are accessible only to their owner, and syncs them to disk, so that they survive
// a power cut.

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCodeOf } from '../../lib/errors.ts'

/** Creates a directory and its parents, accessible to the owner only, and syncs them to disk. */
export function createDirectory(path: string): void {
  const create = () => mkdirSync(path, { mode: 0o700 }) // not recursive: Node.js would hang on a path below /proc
  try {
    create()
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    createDirectory(dirname(path))
    try {
      create()
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error // another process created it first
    }
  }
  syncPath(dirname(path))
}

/** Creates an empty file that only its owner can read; SQLite then gives the WAL and its index the same mode. Does not
 *  open an existing file: closing it would release the locks that this process holds on it. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  }
}

/** Syncs a file, or the entries of a directory, to disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Writes a file that only its owner can read, under a temporary name, and gives it its final name when it is complete. */
export function writeDurably(path: string, text: string): void {
  const temporaryPath = `${path}.tmp`
  rmSync(temporaryPath, { force: true })
  writeFileSync(temporaryPath, text, { mode: 0o600, flush: true, flag: 'wx' })
  renameSync(temporaryPath, path)
  syncPath(dirname(path))
}
