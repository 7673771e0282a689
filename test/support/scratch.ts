// The directory for test data: in memory if there is room, to save time. The service makes the same system calls there,
// and disk errors are injected.

import { accessSync, constants, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const memory = '/dev/shm'

/** The most that a run of all tests needs at once, with a margin. Bytes. */
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
