// Files and directories: creates them for their owner only and syncs them to disk, so that they survive a power cut,
// reads them in chunks, and measures the free space.

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCodeOf } from '../errors.ts'

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

const chunkBytes = 65_536

/** Yields an open file's content, from its start. A chunk is valid until the next one is requested: V8 would keep up to
 *  64 MB of buffers that are no longer used. */
export async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

export type DiskSpace = { freeBytes: number; sizeBytes: number }

/** Returns the size and free space of the file system that contains the path. `freeBytes`: the space that an
 *  unprivileged process can use. Throws system errors. */
export async function readDiskSpace(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

/** Formats a size for people, for example as `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  const amount = bytes / 2 ** (10 * power)
  return `${power === 0 || amount >= 10 ? Math.round(amount) : amount.toPrecision(2)} ${units[power]}`
}
