// What of this machine the figures depend on.

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

export function describeMachine(directory: string): string {
  const sync = measureSync(join(directory, 'sync')).toFixed(2)
  return `Node ${process.version}, ${availableParallelism()} cores, a write that reaches the disk takes ${sync} ms`
}

/** The median time of making 4 KiB durable, in milliseconds: the price of one commit. */
function measureSync(path: string): number {
  const page = Buffer.alloc(4096, 1)
  const file = openSync(path, 'w')
  const times = Array.from({ length: 50 }, () => {
    const start = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  return times.sort((one, other) => one - other)[25]!
}
