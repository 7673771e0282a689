// Point reads on the main thread. Finding one record in an open file takes a few microseconds, less than waking a
// thread and being woken by it. So the tenants that read most are served here (docs/decisions/0017). Anything that
// could block the main thread goes to the reader threads: lists, more than a few files, slow disks.

import { Unavailable } from '../../../database/database.ts'
import type { Resources } from '../../../resources/resource.ts'
import { maxMainThreadFiles } from '../../descriptors.ts'
import { openReadOnlyFiles } from '../reader/read-only-files.ts'
import type { FileVersion, Reply } from './messages.ts'
import { isScan, runTask } from './run-task.ts'
import { type PendingTask, resolveTask } from './thread.ts'

export type MainThreadReads = {
  /** Runs the read here, in this tick of the event loop, or returns false. */
  tryRead(read: PendingTask): boolean
  close(): void
}

export type MainThreadReadsSettings = {
  directory: string
  resources: Resources
  /** Maximum number of files open here, capped at maxMainThreadFiles. */
  openFiles: number
  /** The current version of the tenant's file, if its writer has it open. */
  fileVersionOf(tenant: string): FileVersion | undefined
  /** Hands over reads of a file that is not in the announced version. */
  toWriter(read: PendingTask, mayBeCorrupt: boolean): void
}

/** A tenant's reads in the current period, and when it read last. */
type Activity = { reads: number; milliseconds: number; lastReadAt: number }

/** Reads are counted per period of this length. */
const periodMs = 200
/** A tenant's file is opened here after this many reads in one period. */
const openAfterReads = 8
/** A tenant idle for at least this long is answered immediately. Reads of busier tenants are batched until the end of
 *  the tick, which is cheaper. */
const idleMs = 1
/** Opening a file takes about a millisecond, so at most one is opened per interval. */
const openIntervalMs = 100
/** A tenant whose reads exceed both limits in a period is served by reader threads for a while: its pages apparently
 *  come from disk. */
const slowLimits = { totalMs: 20, averageMs: 0.25 }
const slowForMs = 10_000

export function openMainThreadReads(settings: MainThreadReadsSettings): MainThreadReads {
  const { directory, resources, fileVersionOf, toWriter } = settings
  const files = openReadOnlyFiles(directory, Math.min(maxMainThreadFiles, settings.openFiles))
  const slowUntil = new Map<string, number>()
  const batched = new Map<string, PendingTask[]>()
  let activity = new Map<string, Activity>() // by tenant, in the current period
  let openedAt = -openIntervalMs
  let timer: NodeJS.Timeout | undefined

  function tryRead(read: PendingTask): boolean {
    const { tenant } = read.task
    if (isScan(read.task)) return false
    timer ??= setInterval(endPeriod, periodMs).unref()
    const own = activity.get(tenant) ?? { reads: 0, milliseconds: 0, lastReadAt: -Infinity }
    if (own.reads++ === 0) activity.set(tenant, own)
    const now = performance.now()
    const isIdle = now - own.lastReadAt >= idleMs
    own.lastReadAt = now
    if (!files.has(tenant) && !canOpen(tenant, own, now)) return false
    if (isIdle) void answer(tenant, [read])
    else addToBatch(tenant, read)
    return true
  }

  function addToBatch(tenant: string, read: PendingTask): void {
    const others = batched.get(tenant)
    if (others) others.push(read)
    else if (batched.set(tenant, [read]).size === 1) setImmediate(answerAll)
  }

  function canOpen(tenant: string, { reads }: Activity, now: number): boolean {
    if (batched.has(tenant)) return true
    if (reads < openAfterReads || now - openedAt < openIntervalMs || now < (slowUntil.get(tenant) ?? 0)) return false
    openedAt = now
    return true
  }

  async function answerAll(): Promise<void> {
    const turns = [...batched]
    batched.clear()
    for (const [tenant, reads] of turns) await answer(tenant, reads)
  }

  async function answer(tenant: string, reads: PendingTask[]): Promise<void> {
    const fileVersion = fileVersionOf(tenant)
    const replies: Reply[] = []
    try {
      if (!fileVersion) throw new Unavailable('the file is not open')
      const startedAt = performance.now() // includes opening the file, where a slow disk shows first
      const connection = files.open(tenant, fileVersion)
      for (const { task } of reads) replies.push(await runTask(connection, resources, task))
      recordDuration(tenant, performance.now() - startedAt)
    } catch (error) {
      files.close(tenant)
      const mayBeCorrupt = !(error instanceof Unavailable) || error.mayBeCorrupt
      for (const each of reads.slice(replies.length)) toWriter(each, mayBeCorrupt)
    }
    for (const [at, reply] of replies.entries()) resolveTask(reads[at]!, reply)
  }

  function recordDuration(tenant: string, milliseconds: number): void {
    const own = activity.get(tenant)
    if (!own) return
    own.milliseconds += milliseconds
    if (own.milliseconds < slowLimits.totalMs || own.milliseconds < slowLimits.averageMs * own.reads) return
    files.close(tenant)
    slowUntil.set(tenant, performance.now() + slowForMs)
  }

  function endPeriod(): void {
    const now = performance.now()
    activity = new Map()
    files.closeUnused(now)
    for (const [tenant, until] of slowUntil) if (until <= now) slowUntil.delete(tenant)
  }

  function close(): void {
    clearInterval(timer)
    for (const each of [...batched.values()].flat()) toWriter(each, false)
    batched.clear()
    files.closeAll()
  }

  return { tryRead, close }
}
