// Idle maintenance, one step at a time: indexes pending changes, checkpoints the WAL, and closes unused files.

import { Unavailable } from '../../../database/database.ts'
import { fileStamp } from '../../../database/sqlite/file-stamp.ts'
import type { Resources } from '../../../resources/resource.ts'
import { isFullyCheckpointed, type OpenFile, type OpenFiles } from './file-cache.ts'
import { indexBatch, isIndexed } from './pending-maintenance.ts'

/** Runs one step on one file and returns whether one was due. `load`: whether the thread has other work. */
export type Maintenance = (now: number, load: keyof typeof idleAfterMs) => Promise<boolean>

/** A file's WAL is checkpointed after this idle time, so that the file alone holds the whole tenant. While the thread
 *  is busy, only files that rarely change are checkpointed: for the others, every change would soon be written twice. */
const idleAfterMs = { idle: 200, busy: 2000 }
/** A file that has been unused this long is closed. */
const closeAfterMs = 60_000
/** Above this share of the limit, fully checkpointed files are closed before a request needs the room. */
const evictionThreshold = 7 / 8

/** `limit`: the maximum number of open files. */
export function createMaintenance(files: OpenFiles, resources: Resources, limit: number): Maintenance {
  let steps = 0

  async function runStep(now: number, load: keyof typeof idleAfterMs): Promise<boolean> {
    if (closeUnneeded(now)) return true
    let due: { id: string; file: OpenFile } | undefined
    for (const [id, file] of files.opened) {
      if (isQuiet(file, now - idleAfterMs[load]) && !(due && due.file.lastMaintainedAt <= file.lastMaintainedAt))
        due = { id, file }
    }
    if (!due) return false
    due.file.lastMaintainedAt = ++steps
    await maintain(due.id, due.file, now)
    return true
  }

  /** Closes the least recently used file if it is overdue, or a fully checkpointed one if the cache is nearly full.
   *  Returns whether it closed one. */
  function closeUnneeded(now: number): boolean {
    const [oldest] = files.opened
    if (oldest && now - oldest[1].usedAt >= closeAfterMs) {
      files.checkpointAndClose(oldest[0]) // also if the file was deleted, which frees its disk space
      return true
    }
    const isFull = files.opened.size > limit * evictionThreshold
    const [checkpointed] = isFull ? (files.opened.entries().find(([, file]) => isFullyCheckpointed(file)) ?? []) : []
    if (checkpointed !== undefined) files.evict(checkpointed)
    return checkpointed !== undefined
  }

  async function maintain(id: string, file: OpenFile, now: number): Promise<void> {
    if (isIndexed(file.pendingMaintenance)) return checkpoint(id, file, now)
    try {
      if (fileStamp(file.path)?.stamp !== file.stamp) return checkpoint(id, file, now)
      file.hasWal = true // even if indexing fails
      await indexBatch(file.pendingMaintenance, file.connection, resources)
      files.recordState(id, file)
    } catch (error) {
      if (!(error instanceof Unavailable) || error.mayBeCorrupt) return files.quarantine(id)
      file.maintainedAt = now // another process holds a lock
    }
    if (isIndexed(file.pendingMaintenance)) checkpoint(id, file, now)
  }

  function checkpoint(id: string, file: OpenFile, now: number): void {
    if (fileStamp(file.path)?.stamp !== file.stamp) {
      discard(id, file, now)
      return
    }
    try {
      const result = file.connection.get('pragma wal_checkpoint(truncate)')!
      file.connection.releasePageCache()
      files.recordState(id, file)
      file.maintainedAt = now
      file.hasWal = result.busy !== 0 // a reader in another process still uses the WAL
    } catch {
      files.quarantine(id)
    }
  }

  function discard(id: string, file: OpenFile, now: number): void {
    try {
      files.discard(id, file)
    } catch {
      file.maintainedAt = now // the WAL is still in use, or the disk fails: retried later
    }
  }

  return runStep
}

/** Whether it has maintenance due and was neither used nor maintained since. */
function isQuiet(file: OpenFile, since: number): boolean {
  return !isFullyCheckpointed(file) && Math.max(file.usedAt, file.maintainedAt) <= since
}
