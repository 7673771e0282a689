// Chooses the directory for test data. To save time, the directory is in memory if there is enough room. The service
// makes the same system calls there as on a disk, and tests inject disk errors.

import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { dirname } from 'node:path'

export const isRoot = process.getuid?.() === 0

// Root starts PostgreSQL as another user, who must be able to enter the directory.
if (isRoot && !isOpenToOthers(tmpdir())) process.env.TMPDIR = '/tmp'

const memory = '/dev/shm'

/** A run of all tests never uses more space than this at one time. The number includes a margin. */
const neededBytes = 8 * 2 ** 30

export const scratch = hasRoom() ? memory : tmpdir()

/** Whether other users may enter every directory on the way to this file or directory, and read it. */
export function isOpenToOthers(path: string): boolean {
  const stat = statSync(path)
  const needed = stat.isDirectory() ? 0o001 : 0o004
  const parent = dirname(path)
  return (stat.mode & needed) !== 0 && (parent === path || isOpenToOthers(parent))
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) > neededBytes
  } catch {
    return false // another operating system, or a container without /dev/shm
  }
}
