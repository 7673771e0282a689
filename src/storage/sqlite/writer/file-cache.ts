// The tenant files a worker holds open: opened when first used, and watched for what others do to them.

import { threadId } from 'node:worker_threads'
import { Unavailable } from '../../../database/database.ts'
import type { Connection } from '../../../database/sqlite/connection.ts'
import {
  emptyLog,
  fileStamp,
  fileStampOf,
  identifyLog,
  isLogThere,
  type Log,
} from '../../../database/sqlite/file-stamp.ts'
import type { Resources } from '../../../resources/resource.ts'
import type { OnMigrated } from '../../migration-queue.ts'
import type { FileVersion } from '../reader/read-only-files.ts'
import { tenantFile } from '../tenant-files.ts'
import { MigrationRequired, openFile } from './open-file.ts'
import { addTo, isIndexed, type PendingMaintenance, runStep } from './pending-maintenance.ts'

/** `inode` tells which file it is; `identity` changes as well when the file is written. */
export type OpenFile = {
  /** Tells apart the times that files were opened. */
  opening: string
  path: string
  connection: Connection
  inode: string
  identity: string
  /** Its log as we left it. */
  log: Log
  usedAt: number
  maintainedAt: number
  /** When it last got a step of what a quiet file needs, counted in steps: all have theirs by turns. */
  lastMaintainedAt: number
  hasLog: boolean
  /** Whether another was closed for it, and it has not had its turn yet. */
  evictedAnother: boolean
  backlog: PendingMaintenance
}

export type OpenFiles = {
  /** By tenant, the least recently used first. */
  opened: ReadonlyMap<string, OpenFile>
  /** The tenant's file, ready for work. Throws Unavailable when it is missing, damaged, or not this tenant's. */
  open(id: string, now: number): Promise<OpenFile>
  /** What readers may rely on; null when no file is open for the tenant. */
  voucher(id: string): FileVersion | null
  /** Remembers the file as we leave it, so that only a change by others is noticed. */
  leave(id: string, file: OpenFile): void
  /** As `leave`, after so many changes were committed. */
  wrote(id: string, file: OpenFile, changes: number): void
  /** Its turn is over. Where files take each other's place, one is not asked again soon: it gives back the memory of its pages. */
  release(file: OpenFile): void
  /** One step of what a busy file owes: its changes indexed, or its log moved into it. Whether there was one. */
  keepUp(id: string, file: OpenFile): Promise<boolean>
  /** Closes a file as it is, to be opened again when next used. */
  close(id: string): void
  /** Closes a file that is as we left it, its log moved into it. */
  closeInOrder(id: string): void
  /** As `closeInOrder`, to make room for others. */
  evict(id: string): void
  /** Closes a file that has failed; it is checked throughout before it is used again. */
  distrust(id: string): void
  /** As `distrust`, for a file that others have changed, or that is not in its place. Throws Unavailable, and keeps it open,
   *  while its log lies where it would be taken for that of another file. */
  abandon(id: string, file: OpenFile): void
  /** How many are open now, and were closed to make room since this was last asked. */
  count(): { open: number; evicted: number }
  closeAll(): void
}

/** A damaged file that did not change meanwhile is looked at again after this time. Milliseconds. */
const retryAfter = 1000

/** `tell` hears of every tenant whose voucher may have changed, `migrated` of those that were migrated here. What is passed as
 *  `now` is no time of day: milliseconds that no correction of the clock changes. */
export function openFiles(
  directory: string,
  resources: Resources,
  limit: number,
  tell: (id: string) => void,
  migrated: OnMigrated,
): OpenFiles {
  const files = new Map<string, OpenFile>() // least recently used first
  const quarantined = new Set<string>()
  let openings = 0
  let evicted = 0
  const failures = new Map<string, { identity: string; at: number; reason: string }>()

  async function open(id: string, now: number): Promise<OpenFile> {
    const path = tenantFile(directory, id)
    const found = fileStamp(path)
    const known = files.get(id)
    if (known && known.identity === found?.identity) {
      if (isLogThere(path, known.log)) return touch(id, known, now)
      emptyLog(known.connection)
    }
    if (known) discard(id, known)
    if (!found) throw new Unavailable(`no file at ${path}`)
    requireRetryDue(id, found.identity, now)
    const evictedAnother = files.size >= limit
    if (evictedAnother) evict(leastNeeded())
    try {
      const opened = await openFile(path, id, resources, quarantined.has(id), migrated)
      const state = { usedAt: now, maintainedAt: 0, lastMaintainedAt: 0, hasLog: true, evictedAnother }
      const file = {
        opening: `${threadId}-${++openings}`,
        path,
        ...opened,
        inode: opened.connection.inode,
        identity: fileStampOf(path, opened.connection.inode),
        log: { inode: opened.connection.logInode, size: identifyLog(path).size },
        ...state,
      }
      quarantined.delete(id)
      failures.delete(id)
      files.set(id, file)
      tell(id)
      return file
    } catch (error) {
      if (error instanceof MigrationRequired) throw error
      quarantined.add(id)
      failures.set(id, { identity: found.identity, at: now, reason: (error as Error).message })
      throw error
    }
  }

  /** The one unused longest of those at rest: another one's log would have to be moved while a request waits. */
  function leastNeeded(): string {
    for (const [id, file] of files) if (isFullyCheckpointed(file)) return id
    return files.keys().next().value!
  }

  function touch(id: string, file: OpenFile, now: number): OpenFile {
    files.delete(id)
    files.set(id, file)
    file.usedAt = now
    return file
  }

  function requireRetryDue(id: string, identity: string, now: number): void {
    const failure = failures.get(id)
    if (failure && failure.identity === identity && now - failure.at < retryAfter) {
      throw new Unavailable(failure.reason)
    }
  }

  function recordState(id: string, file: OpenFile): void {
    file.identity = fileStampOf(file.path, file.inode) // what has come in its place is noticed when next used
    file.log.size = identifyLog(file.path).size
    file.hasLog = true
    tell(id)
  }

  function afterCommit(id: string, file: OpenFile, changes: number): void {
    addTo(file.backlog, file.connection, changes)
    recordState(id, file)
  }

  function endTurn(file: OpenFile): void {
    if (file.evictedAnother) file.connection.forgetPages()
    file.evictedAnother = false
  }

  async function catchUp(id: string, file: OpenFile): Promise<boolean> {
    const hasWorked = await runStep(file.backlog, file.connection, resources)
    if (hasWorked) recordState(id, file)
    return hasWorked
  }

  /** Lets go of a file that is as we left it. A reader may have it open still: then closing alone does not move the log. */
  function checkpointAndClose(id: string): void {
    const file = files.get(id)
    try {
      if (file?.hasLog && fileStamp(file.path)?.identity === file.identity) {
        file.connection.get('pragma wal_checkpoint(truncate)')
      }
    } catch {
      // what was answered is in the log
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
    tell(id)
    if (!file) return
    try {
      emptyStrayLog(file)
    } catch {
      // what was answered is in the log
    }
    try {
      file.connection.close()
    } catch {
      // a close that fails has nothing left to give back; what was answered is in the log
    }
  }

  function quarantine(id: string): void {
    close(id)
    quarantined.add(id)
  }

  function discard(id: string, file: OpenFile): void {
    emptyStrayLog(file)
    quarantine(id)
  }

  function voucher(id: string): FileVersion | null {
    const file = files.get(id)
    return file ? { identity: file.identity, opening: file.opening } : null
  }

  function count(): { open: number; evicted: number } {
    const counted = { open: files.size, evicted }
    evicted = 0
    return counted
  }

  const closeAll = () => [...files.keys()].forEach(checkpointAndClose)
  const closing = { close, closeInOrder: checkpointAndClose, evict, distrust: quarantine, abandon: discard, closeAll }
  return {
    opened: files,
    open,
    voucher,
    leave: recordState,
    wrote: afterCommit,
    release: endTurn,
    keepUp: catchUp,
    count,
    ...closing,
  }
}

/** A file that was moved away leaves its log behind, and SQLite would replay it into whatever file comes there instead. Names are
 *  not touched: whose they are may change from one moment to the next. Throws Unavailable. */
function emptyStrayLog({ path, inode, log, connection }: OpenFile): void {
  const isStray = fileStamp(path)?.inode !== inode && identifyLog(path).inode === log.inode
  if (isStray) emptyLog(connection)
}

/** Whether it is the whole tenant as it is, and can be closed for next to nothing. */
export function isFullyCheckpointed(file: OpenFile): boolean {
  return !file.hasLog && isIndexed(file.backlog)
}
