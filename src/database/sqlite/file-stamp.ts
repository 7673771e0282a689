// Stamps of database files and their WALs, which reveal changes made by other processes.

import { type Stats, statSync } from 'node:fs'
import { type Row, Unavailable } from '../database.ts'

/** What a file can be told by; undefined when there is none that could be looked at. */
export function fileStamp(path: string): { inode: string; stamp: string } | undefined {
  try {
    const status = statSync(path)
    if (!status.isFile()) return undefined
    const inode = inodeOf(status)
    return { inode, stamp: `${inode}:${status.size}:${status.mtimeMs}` }
  } catch {
    return undefined
  }
}

/** What the file with this inode can be told by; empty when another one is in its place, or none. */
export function fileStampOf(path: string, inode: string): string {
  const found = fileStamp(path)
  return found?.inode === inode ? found.stamp : ''
}

/** Numbers of files are given again once a file is gone: two are the same file only while one of them is open. */
export function inodeOf({ dev, ino }: Stats): string {
  return `${dev}-${ino}`
}

export type WalStamp = { inode: string; size: number }

/** Whether the log that is written to still has its name and what it had: one without a name ends with the process, and one
 *  that was cut would be continued behind a hole. */
export function isWalIntact(path: string, { inode, size }: WalStamp): boolean {
  const found = walStamp(path)
  return inode !== '' && found.inode === inode && found.size >= size
}

/** Moves the log into its file and empties it, both as they are open: neither needs to have its name any more. Throws
 *  Unavailable, and never says that the file is damaged: as long as it stays open, nothing is lost. */
export function truncateWal(connection: { get(sql: string): Row | undefined }): void {
  let reason = 'it is still read'
  try {
    if (connection.get('pragma wal_checkpoint(truncate)')!.busy === 0) return
  } catch (error) {
    reason = (error as Error).message
  }
  throw new Unavailable(`the log cannot be moved into its file: ${reason}`)
}

/** Returns an empty stamp when there is no WAL or it cannot be read; it never equals a recorded one. */
export function walStamp(path: string): WalStamp {
  try {
    const status = statSync(`${path}-wal`)
    return { inode: inodeOf(status), size: status.size }
  } catch {
    return { inode: '', size: 0 }
  }
}
