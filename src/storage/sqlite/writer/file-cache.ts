// An LRU cache of the tenant files that a writer has open. Detects changes made by other processes.

import { threadId } from 'node:worker_threads'
import { Unavailable } from '../../../database/database.ts'
import type { Connection } from '../../../database/sqlite/connection.ts'
import {
  fileStamp,
  fileStampOf,
  isWalIntact,
  truncateWal,
  type WalStamp,
  walStamp,
} from '../../../database/sqlite/file-stamp.ts'
import type { Resources } from '../../../resources/resource.ts'
import { tenantFile } from '../tenant-files.ts'
import type { FileVersion } from '../threads/messages.ts'
import { MigrationRequired, openFile } from './open-file.ts'
import { countCommit, isIndexed, type PendingMaintenance, runStep } from './pending-maintenance.ts'

/** An open file. `inode` identifies the file; `stamp` also changes with its content. */
export type OpenFile = {
  /** Unique per opening of the file. */
  generation: string
  path: string
  connection: Connection
  inode: string
  stamp: string
  /** The WAL after our last access. */
  wal: WalStamp
  usedAt: number
  maintainedAt: number
  /** Sequence number of its last step of idle maintenance: files get their steps in turn. */
  lastMaintainedAt: number
  hasWal: boolean
  /** Whether another file was evicted for this one, which has not had its first turn yet. */
  evictedAnother: boolean
  pendingMaintenance: PendingMaintenance
}

export type OpenFiles = {
  /** By tenant, least recently used first. */
  opened: ReadonlyMap<string, OpenFile>
  /** Opens the tenant's file. Throws Unavailable when it is missing, damaged, or not this tenant's. */
  open(id: string, now: number): Promise<OpenFile>
  /** The version that readers may open; null while the tenant's file is closed. */
  fileVersion(id: string): FileVersion | null
  /** Records the file's state after our access, so that only changes by others are detected. */
  recordState(id: string, file: OpenFile): void
  /** As `recordState`, after a commit of this many changes. */
  afterCommit(id: string, file: OpenFile, changes: number): void
  /** Ends the tenant's turn. Under cache pressure the file will not be used again soon, so its page cache is
   *  released. */
  endTurn(file: OpenFile): void
  /** Runs one maintenance step that is due on a busy file: indexes changes or checkpoints the WAL. Returns whether
   *  one was due. */
  catchUp(id: string, file: OpenFile): Promise<boolean>
  /** Closes a file; the next use opens it again. */
  close(id: string): void
  /** Checkpoints and closes a file that nobody else has changed. */
  checkpointAndClose(id: string): void
  /** As `checkpointAndClose`, to make room for other files. */
  evict(id: string): void
  /** Closes a file after an error. Before its next use, every page is checked for damage. */
  quarantine(id: string): void
  /** As `quarantine`, for a file that others have changed, moved or replaced. Throws Unavailable and keeps the file
   *  open while SQLite would take its WAL for that of another file. */
  discard(id: string, file: OpenFile): void
  /** Files open now, and files evicted since the last call. */
  count(): { open: number; evicted: number }
  closeAll(): void
}

/** A damaged file that has not changed is opened again after this time. */
const retryAfterMs = 1000

/** `onVersionChange` is called for every tenant whose file version may have changed. `now` always comes from a monotonic clock. */
export function openFiles(
  directory: string,
  resources: Resources,
  limit: number,
  onVersionChange: (id: string) => void,
): OpenFiles {
  const files = new Map<string, OpenFile>() // least recently used first
  const quarantined = new Set<string>()
  let generations = 0
  let evicted = 0
  const failures = new Map<string, { stamp: string; at: number; reason: string }>()

  async function open(id: string, now: number): Promise<OpenFile> {
    const path = tenantFile(directory, id)
    const current = fileStamp(path)
    const known = files.get(id)
    if (known && known.stamp === current?.stamp) {
      if (isWalIntact(path, known.wal)) return touch(id, known, now)
      truncateWal(known.connection)
    }
    if (known) discard(id, known)
    if (!current) throw new Unavailable(`no file at ${path}`)
    requireRetryDue(id, current.stamp, now)
    const evictedAnother = files.size >= limit
    if (evictedAnother) evict(leastRecentlyUsed())
    try {
      const opened = await openFile(path, id, resources, quarantined.has(id))
      const state = { usedAt: now, maintainedAt: 0, lastMaintainedAt: 0, hasWal: true, evictedAnother }
      const file = {
        generation: `${threadId}-${++generations}`,
        path,
        ...opened,
        inode: opened.connection.inode,
        stamp: fileStampOf(path, opened.connection.inode),
        wal: { inode: opened.connection.walInode, size: walStamp(path).size },
        ...state,
      }
      quarantined.delete(id)
      failures.delete(id)
      files.set(id, file)
      onVersionChange(id)
      return file
    } catch (error) {
      if (error instanceof MigrationRequired) throw error
      quarantined.add(id)
      failures.set(id, { stamp: current.stamp, at: now, reason: (error as Error).message })
      throw error
    }
  }

  /** The least recently used file that is fully checkpointed. Any other would have to be checkpointed while a request
   *  waits. */
  function leastRecentlyUsed(): string {
    for (const [id, file] of files) if (isFullyCheckpointed(file)) return id
    return files.keys().next().value!
  }

  function touch(id: string, file: OpenFile, now: number): OpenFile {
    files.delete(id)
    files.set(id, file)
    file.usedAt = now
    return file
  }

  function requireRetryDue(id: string, stamp: string, now: number): void {
    const failure = failures.get(id)
    if (failure && failure.stamp === stamp && now - failure.at < retryAfterMs) {
      throw new Unavailable(failure.reason)
    }
  }

  function recordState(id: string, file: OpenFile): void {
    file.stamp = fileStampOf(file.path, file.inode) // empty if the file was replaced; the next use detects it
    file.wal.size = walStamp(file.path).size
    file.hasWal = true
    onVersionChange(id)
  }

  function afterCommit(id: string, file: OpenFile, changes: number): void {
    countCommit(file.pendingMaintenance, file.connection, changes)
    recordState(id, file)
  }

  function endTurn(file: OpenFile): void {
    if (file.evictedAnother) file.connection.releasePageCache()
    file.evictedAnother = false
  }

  async function catchUp(id: string, file: OpenFile): Promise<boolean> {
    const hasWorked = await runStep(file.pendingMaintenance, file.connection, resources)
    if (hasWorked) recordState(id, file)
    return hasWorked
  }

  /** Closes a file that nobody else has changed. Checkpoints first: closing does not if a reader still has it open. */
  function checkpointAndClose(id: string): void {
    const file = files.get(id)
    try {
      if (file?.hasWal && fileStamp(file.path)?.stamp === file.stamp) {
        file.connection.get('pragma wal_checkpoint(truncate)')
      }
    } catch {
      // every acknowledged change is in the WAL
    }
    close(id)
  }

  function evict(id: string): void {
    checkpointAndClose(id)
    evicted++
  }

  function close(id: string): void {
    const file = files.get(id)
    files.delete(id)
    onVersionChange(id)
    if (!file) return
    try {
      truncateStrayWal(file)
    } catch {
      // every acknowledged change is in the WAL
    }
    try {
      file.connection.close()
    } catch {
      // nothing to clean up if close fails: every acknowledged change is in the WAL
    }
  }

  function quarantine(id: string): void {
    close(id)
    quarantined.add(id)
  }

  function discard(id: string, file: OpenFile): void {
    truncateStrayWal(file)
    quarantine(id)
  }

  function fileVersion(id: string): FileVersion | null {
    const file = files.get(id)
    return file ? { stamp: file.stamp, generation: file.generation } : null
  }

  function count(): { open: number; evicted: number } {
    const counted = { open: files.size, evicted }
    evicted = 0
    return counted
  }

  const closeAll = () => [...files.keys()].forEach(checkpointAndClose)
  const closing = { close, checkpointAndClose, evict, quarantine, discard, closeAll }
  return {
    opened: files,
    open,
    fileVersion,
    recordState,
    afterCommit,
    endTurn,
    catchUp,
    count,
    ...closing,
  }
}

/** When a file was moved or replaced, its WAL stays behind, and SQLite would replay it into whatever file is created
 *  in its place. So the WAL is emptied through the open connection. Nothing is removed by name: the name may belong
 *  to another file at any moment. Throws Unavailable. */
function truncateStrayWal({ path, inode, wal, connection }: OpenFile): void {
  const isStray = fileStamp(path)?.inode !== inode && walStamp(path).inode === wal.inode
  if (isStray) truncateWal(connection)
}

/** Whether all changes are indexed and checkpointed, so that closing the file costs next to nothing. */
export function isFullyCheckpointed(file: OpenFile): boolean {
  return !file.hasWal && isIndexed(file.pendingMaintenance)
}
