// Where the tests put what they make: in memory where there is room for it, for the sake of time. What the service asks of a
// disk is the same there, and what a disk refuses is injected.

import { accessSync, constants, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const memory = '/dev/shm'

/** What a run of all tests may take together, with room to spare. Bytes. */
const neededBytes = 8 * 2 ** 30

export const scratch = hasRoom() ? memory : tmpdir()

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) > neededBytes
  } catch {
    return false // another system, or a container without it
  }
}
