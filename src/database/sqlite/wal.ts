// Everything that is done to a write-ahead log (WAL) by hand: checkpoints, keeping a WAL that another process has cut,
// removed or left behind, and discarding a failed commit (docs/decisions/0020). SQLite does the rest.

import { fstatSync, openSync, statSync, writeSync } from 'node:fs'
import { type Row, Unavailable } from '../database.ts'
import { fileStamp, inodeOf } from './file-stamp.ts'

type Queryable = { get(sql: string): Row | undefined }

/** `isComplete`: the WAL is in the file and no reader uses it any more. `pages`: pages in the WAL. */
export type CheckpointResult = { isComplete: boolean; pages: number }

/** Moves the pages of the WAL into the file and empties it. 'noop' only counts them. */
export function checkpoint(connection: Queryable, mode: 'noop' | 'truncate'): CheckpointResult {
  const { busy, log } = connection.get(`pragma wal_checkpoint(${mode})`)!
  return { isComplete: busy === 0, pages: log as number }
}

/** A WAL as its writer left it. */
export type WalStamp = { inode: string; size: number }

/** Returns an empty stamp when there is no WAL or it cannot be read; it never equals a recorded one. */
export function walStamp(path: string): WalStamp {
  try {
    const status = statSync(`${path}-wal`)
    return { inode: inodeOf(status), size: status.size }
  } catch {
    return { inode: '', size: 0 }
  }
}

/** Whether the WAL still has its name and its content. SQLite would not notice otherwise: a WAL without a name is
 *  deleted when the process ends, and a WAL that was cut would be continued behind a hole. */
export function isWalIntact(path: string, { inode, size }: WalStamp): boolean {
  const found = walStamp(path)
  return inode !== '' && found.inode === inode && found.size >= size
}

/** An open file, and the stamps of the file and its WAL after our last access. */
export type WalOwner = { path: string; inode: string; stamp: string; wal: WalStamp; connection: Queryable }

/** Checkpoints the WAL through its open connection if closing the connection would lose it: because another process
 *  removed or cut the WAL, or moved or replaced the file and left the WAL behind, where SQLite would replay it into
 *  the next file with that name. Removes nothing by name: the name may belong to another file at any moment. Throws
 *  Unavailable if that fails; this does not mean damage, because nothing is lost while the connection stays open. */
export function rescueWal({ path, inode, stamp, wal, connection }: WalOwner): void {
  const found = fileStamp(path)
  const isLost = found?.stamp === stamp && !isWalIntact(path, wal)
  const isLeftBehind = found?.inode !== inode && walStamp(path).inode === wal.inode
  if (!isLost && !isLeftBehind) return
  let reason = 'it is still read'
  try {
    if (checkpoint(connection, 'truncate').isComplete) return
  } catch (error) {
    reason = (error as Error).message
  }
  throw new Unavailable(`the WAL cannot be moved into its file: ${reason}`)
}

/** Opens a descriptor of the WAL beside a file, for discardFailedCommit; undefined when the WAL has lost its name.
 *  Throws Unavailable. */
export function openWal(path: string): number | undefined {
  try {
    return openSync(`${path}-wal`, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Unavailable((error as Error).message)
  }
}

/** Size of the WAL's header, and of the header before each page. */
const walHeaderBytes = 32
const frameHeaderBytes = 24

/** Ends the WAL after the last successful commit. A commit whose fsync failed may be in the WAL completely, and the
 *  next process to open the file would take it for committed. Best effort: the disk may fail here too. */
export function discardFailedCommit(connection: Queryable & { run(sql: string): number }, wal: number): void {
  try {
    const dataVersion = () => connection.get('pragma data_version')!.data_version
    const before = dataVersion()
    const { pages } = checkpoint(connection, 'noop')
    const pageSize = connection.get('pragma page_size')!.page_size as number
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
