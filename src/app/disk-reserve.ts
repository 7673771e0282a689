// A file in DATA_DIR that only takes space. SQLite cannot open a database on a full disk, not even for reading, because
// it needs 32 KiB for the index of the WAL. A server that starts on a full disk therefore removes the reserve.

import { randomBytes } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { findForeignOwner } from '../catalog/data-owner.ts'
import type { Config } from '../config.ts'
import { maxOpenFiles } from '../engine/descriptors.ts'
import { readDiskSpace } from '../lib/files/files.ts'

/** Enough for as many files as a server keeps open. */
const reserveBytes = maxOpenFiles * 32 * 1024

/** Removes the reserve if less than its size is free. */
export async function releaseDiskReserve(config: Config, log: Logger): Promise<void> {
  const directory = resolve(config.DATA_DIR)
  const path = reservePath(directory)
  if (sizeOf(path) === 0 || findForeignOwner(directory)) return
  if ((await readDiskSpace(directory)).freeBytes >= reserveBytes) return
  rmSync(path, { force: true })
  log.warn({ path }, 'the disk is full: its reserve was removed, so that the server can open the databases')
}

/** Creates the reserve if there is none and the node stays ready without its space. The condition is stricter than
 *  that, so that a reserve that was just removed is not created again before somebody frees space. With DATABASE_URL, a
 *  start needs no space. */
export async function keepDiskReserve(config: Config): Promise<void> {
  if (config.DATABASE_URL !== '') return
  const directory = resolve(config.DATA_DIR)
  const path = reservePath(directory)
  if (sizeOf(path) === reserveBytes) return
  if ((await readDiskSpace(directory)).freeBytes < config.MIN_FREE_DISK_BYTES + 2 * reserveBytes) return
  const content = await promisify(randomBytes)(reserveBytes) // a file system would compress zeros, or not store them
  await writeFile(path, content, { mode: 0o600 })
}

function reservePath(directory: string): string {
  return join(directory, 'disk-reserve')
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
