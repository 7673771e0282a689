// Chooses the directory for test data. To save time, the directory is in memory if there is enough room. The service
// makes the same system calls there as on a disk, and tests inject disk errors.

import { accessSync, constants, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const memory = '/dev/shm'

/** A run of all tests never uses more space than this at one time. The number includes a margin. */
const neededBytes = 8 * 2 ** 30

export const scratch = hasRoom() ? memory : tmpdir()

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) > neededBytes
  } catch {
    return false // another operating system, or a container without /dev/shm
  }
}
