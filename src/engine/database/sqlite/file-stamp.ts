// Stamps of database files, which reveal changes made by other processes.

import { type Stats, statSync } from 'node:fs'

/** `inode` identifies the file; `stamp` also identifies its content. Returns undefined if the file does not exist or
 *  cannot be read. */
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

/** Returns the stamp of the file with this inode; empty if the path leads to another file or does not exist. */
export function fileStampOf(path: string, inode: string): string {
  const found = fileStamp(path)
  return found?.inode === inode ? found.stamp : ''
}

/** Inode numbers are reused after a file is deleted, so they identify a file only while it is open. */
export function inodeOf({ dev, ino }: Stats): string {
  return `${dev}-${ino}`
}
