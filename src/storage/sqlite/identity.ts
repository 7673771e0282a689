// What a file and its log are told by, so that what others do to them is noticed.

import { statSync } from 'node:fs'
import { Unavailable } from '../../database.ts'
import type { Connection } from './connection.ts'

/** What a file can be told by; undefined when there is none that could be looked at. */
export function identify(path: string): { inode: string; identity: string } | undefined {
  try {
    const status = statSync(path)
    if (!status.isFile()) return undefined
    const inode = `${status.dev}-${status.ino}`
    return { inode, identity: `${inode}:${status.size}:${status.mtimeMs}` }
  } catch {
    return undefined
  }
}

export type Log = { inode: string; size: number }

/** Whether the log that is written to still has its name and what it had: one without a name ends with the process, and one
 *  that was cut would be continued behind a hole. */
export function isLogThere(path: string, { inode, size }: Log): boolean {
  const found = identifyLog(path)
  return found.inode === inode && found.size >= size
}

/** Saves what is in a log that others have removed, while it is still open. Throws Unavailable. */
export function moveLogAway(connection: Connection): void {
  const { busy } = connection.get('pragma wal_checkpoint(truncate)')!
  if (busy !== 0) throw new Unavailable('the log was removed, and is still read')
}

/** That of a file which has none, or cannot be asked for it, is no log that was ever left. */
export function identifyLog(path: string): Log {
  try {
    const { dev, ino, size } = statSync(`${path}-wal`)
    return { inode: `${dev}-${ino}`, size }
  } catch {
    return { inode: '', size: 0 }
  }
}
