// The directory for test data: in memory if there is room, to save time. The service makes the same system calls as on
// a disk, and tests inject the errors of a disk.

import { accessSync, constants, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const memory = '/dev/shm'

/** The maximum that a run of all tests uses at any time, with a margin. */
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
