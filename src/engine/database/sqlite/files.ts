// What this program does itself with SQLite's files. It performs three operations on a write-ahead log (WAL):
// checkpoints, rescuing a WAL that another process has truncated, removed or left behind, and discarding a failed
// commit (docs/decisions/0004). Stamps of files reveal changes made by other processes.

import { fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs'
import { errorCodeOf, errorMessageOf } from '../../../lib/errors.ts'
import { type Row, Unavailable } from '../database.ts'

type Queryable = { get<Shape extends Row = Row>(sql: string): Shape | undefined }

/** `isComplete`: whether the file contains the whole WAL and no reader is using the WAL. `pages`: pages in the WAL. */
export type CheckpointResult = { isComplete: boolean; pages: number }

/** 'truncate' copies the WAL's pages into the file and empties the WAL; 'noop' only counts the pages. */
export function checkpoint(connection: Queryable, mode: 'noop' | 'truncate'): CheckpointResult {
  const { busy, log } = connection.get<{ busy: number; log: number }>(`pragma wal_checkpoint(${mode})`)!
  return { isComplete: busy === 0, pages: log }
}

/** A WAL's state after its writer's last access. */
export type WalStamp = { inode: string; size: number }

/** Returns an empty stamp if there is no WAL or it cannot be read. */
export function walStamp(path: string): WalStamp {
  try {
    const status = statSync(`${path}-wal`)
    return { inode: inodeOf(status), size: status.size }
  } catch {
    return { inode: '', size: 0 }
  }
}

/** Whether the WAL still has its name and its content. SQLite does not notice if either is lost. A WAL without a name
 *  is deleted when the process exits. After a truncation, SQLite would write at the old end of the WAL and leave a hole
 *  before it. */
export function isWalIntact(path: string, { inode, size }: WalStamp): boolean {
  const current = walStamp(path)
  return inode !== '' && current.inode === inode && current.size >= size
}

/** An open file, and the stamps of the file and its WAL after its writer's last access. */
export type WalOwner = { path: string; inode: string; stamp: string; wal: WalStamp; connection: Queryable }

/** Checkpoints the WAL through its open connection if closing the connection would lose the WAL: another process has
 *  removed or truncated the WAL, or has moved or replaced the file and left the WAL behind. SQLite would replay such a
 *  WAL into the next file with that name. Does not remove files by name, because the name may belong to another file at
 *  any moment. Throws Unavailable if the checkpoint fails. A failed checkpoint is not damage: nothing is lost while the
 *  connection stays open. */
export function rescueWal({ path, inode, stamp, wal, connection }: WalOwner): void {
  const current = fileStamp(path)
  const isLost = current?.stamp === stamp && !isWalIntact(path, wal)
  const isLeftBehind = current?.inode !== inode && walStamp(path).inode === wal.inode
  if (!isLost && !isLeftBehind) return
  let reason = 'a reader is using it'
  try {
    if (checkpoint(connection, 'truncate').isComplete) return
  } catch (error) {
    reason = errorMessageOf(error)
  }
  throw new Unavailable(`the WAL cannot be checkpointed: ${reason}`)
}

/** Opens a descriptor of a file's WAL, for discardFailedCommit. Returns undefined if the WAL has lost its name. Throws
 *  Unavailable. */
export function openWal(path: string): number | undefined {
  try {
    return openSync(`${path}-wal`, 'r+')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw new Unavailable(errorMessageOf(error))
  }
}

/** The sizes of the WAL's header and of the header before each page. */
const walHeaderBytes = 32
const frameHeaderBytes = 24

/** Ends the WAL after the last successful commit. The WAL may contain a whole commit whose fsync failed, and the next
 *  process to open the file would treat it as committed. Best effort: the disk may fail here too. */
export function discardFailedCommit(connection: Queryable & { run(sql: string): number }, wal: number): void {
  try {
    const dataVersion = () => connection.get('pragma data_version')!.data_version
    const before = dataVersion()
    const { pages } = checkpoint(connection, 'noop')
    const pageSize = connection.get<{ page_size: number }>('pragma page_size')!.page_size
    connection.run('begin immediate') // until the rollback, no other connection writes to the WAL
    try {
      // If another connection has committed since, its frames replaced the failed ones.
      if (dataVersion() === before) clearFrame(wal, walHeaderBytes + pages * (frameHeaderBytes + pageSize))
    } finally {
      connection.run('rollback')
    }
  } catch {
    // as after a power cut, the change may turn out to be committed
  }
}

/** SQLite ends recovery at a frame with an invalid header. */
function clearFrame(wal: number, offset: number): void {
  if (fstatSync(wal).size > offset) writeSync(wal, Buffer.alloc(frameHeaderBytes), 0, frameHeaderBytes, offset)
}

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
  const current = fileStamp(path)
  return current?.inode === inode ? current.stamp : ''
}

/** Inode numbers are reused after a file is deleted, so they identify a file only while it is open. */
export function inodeOf({ dev, ino }: Stats): string {
  return `${dev}-${ino}`
}
