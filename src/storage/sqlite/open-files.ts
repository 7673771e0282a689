// The tenant files a worker holds open: opened when first used, watched for what others do to them, closed when idle.

import { threadId } from 'node:worker_threads'
import { Unavailable } from '../../database.ts'
import type { Resources } from '../../resources/resource.ts'
import type { Told } from '../migrations.ts'
import { addTo, type Backlog, indexSome, isIndexed, newBacklog, workOff } from './backlog.ts'
import type { Connection } from './connection.ts'
import { setLogAside, takeLogBack, tenantFile } from './files.ts'
import { identify, identifyLog, isLogThere, type Log, moveLogAway } from './identity.ts'
import { Behind, openFile, reach } from './opening.ts'
import type { Voucher } from './vouched-files.ts'

/** `inode` tells which file it is; `identity` changes as well when the file is written. */
export type OpenFile = {
  /** Tells apart the times that files were opened. */
  opening: string
  connection: Connection
  inode: string
  identity: string
  /** Its log as we left it. */
  log: Log
  usedAt: number
  restedAt: number
  /** When it last got a step of what a quiet file needs, counted in steps: all have theirs by turns. */
  stepped: number
  hasLog: boolean
  backlog: Backlog
}

export type OpenFiles = {
  /** The tenant's file, ready for work. Throws Unavailable when it is missing, damaged, or not this tenant's. */
  open(id: string, now: number): Promise<OpenFile>
  /** What readers may rely on; null when no file is open for the tenant. */
  voucher(id: string): Voucher | null
  /** Remembers the file as we leave it, so that only a change by others is noticed. */
  leave(id: string, file: OpenFile): void
  /** Closes a file as it is, to be opened again when next used. */
  close(id: string): void
  /** Closes a file that has failed; it is checked throughout before it is used again. */
  distrust(id: string): void
  /** As `leave`, after so many changes were committed. */
  wrote(id: string, file: OpenFile, changes: number): void
  /** One step of what a busy file owes: its changes indexed, or its log moved into it. Whether there was one. */
  keepUp(id: string, file: OpenFile): Promise<boolean>
  /** One step of what a quiet file needs: its changes indexed, its log moved into it, or it closed. Whether there was one. */
  rest(now: number): Promise<boolean>
  /** How many are open now, and were closed to make room since this was last asked. */
  count(): { open: number; evicted: number }
  closeAll(): void
}

/** After this quiet time the log is moved into the file: a file at rest is the whole tenant. Milliseconds. */
const restAfter = 200
/** A file unused for so long is closed. Milliseconds. */
const closeAfter = 60_000
/** Beyond this part of those that may be open, files at rest are closed: ahead of the request that needs another. */
const fullness = 7 / 8
/** A damaged file that did not change meanwhile is looked at again after this time. Milliseconds. */
const retryAfter = 1000

/** `tell` hears of every tenant whose voucher may have changed, `migrated` of those that were migrated here. What is passed as
 *  `now` is no time of day: milliseconds that no correction of the clock changes. */
export function openFiles(
  directory: string,
  resources: Resources,
  limit: number,
  tell: (id: string) => void,
  migrated: Told,
): OpenFiles {
  const files = new Map<string, OpenFile>() // least recently used first
  const distrusted = new Set<string>()
  let openings = 0
  let evicted = 0
  let steps = 0
  const failures = new Map<string, { identity: string; at: number; reason: string }>()

  async function open(id: string, now: number): Promise<OpenFile> {
    const path = tenantFile(directory, id)
    const found = identify(path)
    const known = files.get(id)
    if (known && known.identity === found?.identity) {
      if (isLogThere(path, known.log)) return touch(id, known, now)
      moveLogAway(known.connection)
    }
    if (known) reach(() => abandon(id, path, known, found?.inode))
    if (!found) throw new Unavailable(`no file at ${path}`)
    requireRetryDue(id, found.identity, now)
    if (files.size >= limit) evict(leastNeeded())
    try {
      reach(() => takeLogBack(path, found.inode))
      const connection = await openFile(path, id, resources, distrusted.has(id), migrated)
      const state = { usedAt: now, restedAt: 0, stepped: 0, hasLog: true, backlog: newBacklog() }
      const file = {
        opening: `${threadId}-${++openings}`,
        connection,
        ...found,
        ...identify(path),
        log: identifyLog(path),
        ...state,
      }
      distrusted.delete(id)
      failures.delete(id)
      files.set(id, file)
      tell(id)
      return file
    } catch (error) {
      if (error instanceof Behind) throw error
      distrusted.add(id)
      failures.set(id, { identity: found.identity, at: now, reason: (error as Error).message })
      throw error
    }
  }

  /** The one unused longest of those at rest: another one's log would have to be moved while a request waits. */
  function leastNeeded(): string {
    for (const [id, file] of files) if (isSettled(file)) return id
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

  function leave(id: string, file: OpenFile): void {
    const found = identify(tenantFile(directory, id))
    file.identity = found?.inode === file.inode ? found.identity : '' // what has come in its place is noticed when next used
    file.log.size = identifyLog(tenantFile(directory, id)).size
    file.hasLog = true
    tell(id)
  }

  function wrote(id: string, file: OpenFile, changes: number): void {
    addTo(file.backlog, file.connection, changes)
    leave(id, file)
  }

  async function keepUp(id: string, file: OpenFile): Promise<boolean> {
    const hasWorked = await workOff(file.backlog, file.connection, resources)
    if (hasWorked) leave(id, file)
    return hasWorked
  }

  /** Lets go of a file that is as we left it. A reader may have it open still: then closing alone does not move the log. */
  function closeInOrder(id: string): void {
    const file = files.get(id)
    try {
      if (file?.hasLog && identify(tenantFile(directory, id))?.identity === file.identity) {
        file.connection.get('pragma wal_checkpoint(truncate)')
      }
    } catch {
      // what was answered is in the log
    }
    close(id)
  }

  function evict(id: string): void {
    closeInOrder(id)
    evicted++
  }

  function close(id: string): void {
    const file = files.get(id)
    files.delete(id)
    tell(id)
    try {
      file?.connection.close()
    } catch {
      // a close that fails has nothing left to give back; what was answered is in the log
    }
  }

  function distrust(id: string): void {
    close(id)
    distrusted.add(id)
  }

  /** Lets go of a file that others have changed, or that is not in its place: then its log must not stay there either. */
  function abandon(id: string, path: string, file: OpenFile, foundInode: string | undefined): void {
    distrust(id)
    if (file.inode !== foundInode) setLogAside(path, file.inode)
  }

  async function rest(now: number): Promise<boolean> {
    if (closeUnneeded(now)) return true
    let due: { id: string; file: OpenFile } | undefined
    for (const [id, file] of files) {
      if (isQuiet(file, now) && !(due && due.file.stepped <= file.stepped)) due = { id, file }
    }
    if (!due) return false
    due.file.stepped = ++steps
    await settle(due.id, due.file, now)
    return true
  }

  /** The one unused longest, if it has been for long, or is at rest where many are open. Whether there was one. */
  function closeUnneeded(now: number): boolean {
    const [oldest] = files
    if (oldest && now - oldest[1].usedAt >= closeAfter) {
      closeInOrder(oldest[0]) // also one that is gone: its space is given back
      return true
    }
    const isFull = files.size > limit * fullness
    const [settled] = isFull ? (files.entries().find(([, file]) => isSettled(file)) ?? []) : []
    if (settled !== undefined) evict(settled)
    return settled !== undefined
  }

  function isQuiet(file: OpenFile, now: number): boolean {
    return !isSettled(file) && now - Math.max(file.usedAt, file.restedAt) >= restAfter
  }

  async function settle(id: string, file: OpenFile, now: number): Promise<void> {
    if (isIndexed(file.backlog)) return moveLog(id, file, now)
    try {
      if (identify(tenantFile(directory, id))?.identity !== file.identity) return moveLog(id, file, now)
      file.hasLog = true // whatever becomes of it
      await indexSome(file.backlog, file.connection, resources)
      leave(id, file)
    } catch (error) {
      if (!(error instanceof Unavailable) || error.isSuspect) return distrust(id)
      file.restedAt = now // a stranger has locked it
    }
    if (isIndexed(file.backlog)) moveLog(id, file, now)
  }

  function moveLog(id: string, file: OpenFile, now: number): void {
    const path = tenantFile(directory, id)
    try {
      const found = identify(path)
      if (found?.identity !== file.identity) {
        abandon(id, path, file, found?.inode)
        return
      }
      const result = file.connection.get('pragma wal_checkpoint(truncate)')!
      file.connection.exec('pragma shrink_memory') // what it has read is in the system's memory anyway
      leave(id, file)
      file.restedAt = now
      file.hasLog = result.busy !== 0 // a reader of another process is still at the log
    } catch {
      distrust(id)
    }
  }

  function voucher(id: string): Voucher | null {
    const file = files.get(id)
    return file ? { identity: file.identity, opening: file.opening } : null
  }

  function count(): { open: number; evicted: number } {
    const counted = { open: files.size, evicted }
    evicted = 0
    return counted
  }

  const closeAll = () => [...files.keys()].forEach(closeInOrder)
  return { open, voucher, leave, wrote, keepUp, close, distrust, rest, count, closeAll }
}

/** Whether it is the whole tenant as it is, and can be closed for next to nothing. */
function isSettled(file: OpenFile): boolean {
  return !file.hasLog && isIndexed(file.backlog)
}
