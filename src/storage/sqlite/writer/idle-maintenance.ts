// What quiet files need, a step at a time: their changes indexed, their log moved into them, and to be closed when nobody asks
// for them.

import { Unavailable } from '../../../database/database.ts'
import { fileStamp } from '../../../database/sqlite/file-stamp.ts'
import type { Resources } from '../../../resources/resource.ts'
import { isFullyCheckpointed, type OpenFile, type OpenFiles } from './file-cache.ts'
import { indexSome, isIndexed } from './pending-maintenance.ts'

/** Takes one step with one file. Whether there was one to be taken. `load`: whether the thread has other work. */
export type Maintenance = (now: number, load: keyof typeof restAfter) => Promise<boolean>

/** After this quiet time the log is moved into the file: a file at rest is the whole tenant. Beside work, only those are looked
 *  after that change seldom: the others would not stay at rest, and each of their changes would be written to the file as well.
 *  Milliseconds. */
const restAfter = { idle: 200, busy: 2000 }
/** A file unused for so long is closed. Milliseconds. */
const closeAfter = 60_000
/** Beyond this part of those that may be open, files at rest are closed: ahead of the request that needs another. */
const fullness = 7 / 8

/** `limit`: so many files may be open. */
export function createMaintenance(files: OpenFiles, resources: Resources, limit: number): Maintenance {
  let steps = 0

  async function rest(now: number, load: keyof typeof restAfter): Promise<boolean> {
    if (closeUnneeded(now)) return true
    let due: { id: string; file: OpenFile } | undefined
    for (const [id, file] of files.opened) {
      if (isQuiet(file, now - restAfter[load]) && !(due && due.file.lastMaintainedAt <= file.lastMaintainedAt))
        due = { id, file }
    }
    if (!due) return false
    due.file.lastMaintainedAt = ++steps
    await settle(due.id, due.file, now)
    return true
  }

  /** The one unused longest, if it has been for long, or is at rest where many are open. Whether there was one. */
  function closeUnneeded(now: number): boolean {
    const [oldest] = files.opened
    if (oldest && now - oldest[1].usedAt >= closeAfter) {
      files.closeInOrder(oldest[0]) // also one that is gone: its space is given back
      return true
    }
    const isFull = files.opened.size > limit * fullness
    const [settled] = isFull ? (files.opened.entries().find(([, file]) => isFullyCheckpointed(file)) ?? []) : []
    if (settled !== undefined) files.evict(settled)
    return settled !== undefined
  }

  async function settle(id: string, file: OpenFile, now: number): Promise<void> {
    if (isIndexed(file.backlog)) return moveLog(id, file, now)
    try {
      if (fileStamp(file.path)?.identity !== file.identity) return moveLog(id, file, now)
      file.hasLog = true // whatever becomes of it
      await indexSome(file.backlog, file.connection, resources)
      files.leave(id, file)
    } catch (error) {
      if (!(error instanceof Unavailable) || error.mayBeCorrupt) return files.distrust(id)
      file.maintainedAt = now // a stranger has locked it
    }
    if (isIndexed(file.backlog)) moveLog(id, file, now)
  }

  function moveLog(id: string, file: OpenFile, now: number): void {
    if (fileStamp(file.path)?.identity !== file.identity) {
      abandon(id, file, now)
      return
    }
    try {
      const result = file.connection.get('pragma wal_checkpoint(truncate)')!
      file.connection.forgetPages()
      files.leave(id, file)
      file.maintainedAt = now
      file.hasLog = result.busy !== 0 // a reader of another process is still at the log
    } catch {
      files.distrust(id)
    }
  }

  function abandon(id: string, file: OpenFile, now: number): void {
    try {
      files.abandon(id, file)
    } catch {
      file.maintainedAt = now // its log is still read, or its disk fails: tried again
    }
  }

  return rest
}

/** Whether it has something left to be done, and nothing was done with it since. */
function isQuiet(file: OpenFile, since: number): boolean {
  return !isFullyCheckpointed(file) && Math.max(file.usedAt, file.maintainedAt) <= since
}
