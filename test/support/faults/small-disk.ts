// Simulates a small disk that fills up quickly.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/** Mounts a small file system in memory. Returns false if mounting is not permitted. */
export function mountSmall(directory: string, megabytes: number): boolean {
  const options = `size=${megabytes}m,mode=700`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status === 0
}

export function unmount(directory: string): void {
  spawnSync('umount', ['-l', directory])
}

/** Writes until the disk is full. */
export function fillDisk(path: string): void {
  for (const size of [65536, 4096, 512]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
}
