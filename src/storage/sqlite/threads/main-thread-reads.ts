// Reads on the main thread. To find one record in a file that is open takes a few microseconds, less than to wake a thread and to
// be woken by it; so it is done here for the tenants that read most (docs/decisions/0017). Whatever could hold up the main thread
// is left to the readers: lists, more than a few files, a disk that is slow.

import { Unavailable } from '../../../database/database.ts'
import type { Resources } from '../../../resources/resource.ts'
import { mostNearFiles } from '../../descriptors.ts'
import { operations } from '../../operations.ts'
import { type FileVersion, vouchedFiles } from '../reader/read-only-files.ts'
import { type Reply, runTask } from '../writer/group-commit.ts'
import { type PendingTask, resolveTask } from './thread.ts'

export type MainThreadReads = {
  /** Whether it is read here, in this turn of the event loop. */
  take(waiting: PendingTask): boolean
  close(): void
}

export type NearReadsSettings = {
  directory: string
  resources: Resources
  /** So many files may be open here at most; never more than a few. */
  openFiles: number
  /** What the writer says of the tenant's file at this moment. */
  voucherOf(tenant: string): FileVersion | undefined
  /** For a file that is not as its writer has left it. */
  toWriter(waiting: PendingTask, isSuspect: boolean): void
}

/** What a tenant has asked for in this period, and when last. */
type Reading = { reads: number; milliseconds: number; last: number }

/** Reads are counted for so long. Milliseconds. */
const period = 200
/** A file is opened for a tenant that reads so many records in a period. */
const worthOpening = 8
/** Who has not read for so long is answered at once; the others together, which costs less, when this turn of the event loop is
 *  over. Milliseconds. */
const quiet = 1
/** Opening takes about a millisecond, so it is done at most so often. Milliseconds. */
const openEvery = 100
/** A tenant whose reads in a period have taken so long, and on average so long, is read elsewhere for a while: its pages have to
 *  come from a disk. Milliseconds. */
const slow = { together: 20, each: 0.25 }
const slowFor = 10_000

export function openNearReads(settings: NearReadsSettings): MainThreadReads {
  const { directory, resources, voucherOf, toWriter } = settings
  const files = vouchedFiles(directory, Math.min(mostNearFiles, settings.openFiles))
  const slowUntil = new Map<string, number>()
  const waiting = new Map<string, PendingTask[]>()
  let reading = new Map<string, Reading>() // in this period, by tenant
  let openedAt = -openEvery
  let resting: NodeJS.Timeout | undefined

  function take(read: PendingTask): boolean {
    const { tenant, name } = read.task
    if ('isLong' in operations[name]) return false
    resting ??= setInterval(rest, period).unref()
    const own = reading.get(tenant) ?? { reads: 0, milliseconds: 0, last: -Infinity }
    if (own.reads++ === 0) reading.set(tenant, own)
    const now = performance.now()
    const isQuiet = now - own.last >= quiet
    own.last = now
    if (!files.has(tenant) && !mayOpen(tenant, own, now)) return false
    if (isQuiet) void answer(tenant, [read])
    else wait(tenant, read)
    return true
  }

  function wait(tenant: string, read: PendingTask): void {
    const others = waiting.get(tenant)
    if (others) others.push(read)
    else if (waiting.set(tenant, [read]).size === 1) setImmediate(answerAll)
  }

  function mayOpen(tenant: string, { reads }: Reading, now: number): boolean {
    if (waiting.has(tenant)) return true
    if (reads < worthOpening || now - openedAt < openEvery || now < (slowUntil.get(tenant) ?? 0)) return false
    openedAt = now
    return true
  }

  async function answerAll(): Promise<void> {
    const turns = [...waiting]
    waiting.clear()
    for (const [tenant, reads] of turns) await answer(tenant, reads)
  }

  async function answer(tenant: string, reads: PendingTask[]): Promise<void> {
    const voucher = voucherOf(tenant)
    const replies: Reply[] = []
    try {
      if (!voucher) throw new Unavailable('the file is not open')
      const begun = performance.now() // to open it counts as well: a slow disk shows there first
      const connection = files.open(tenant, voucher)
      for (const { task } of reads) replies.push(await runTask(connection, resources, task))
      account(tenant, performance.now() - begun)
    } catch (error) {
      files.close(tenant)
      const isSuspect = !(error instanceof Unavailable) || error.mayBeCorrupt
      for (const each of reads.slice(replies.length)) toWriter(each, isSuspect)
    }
    for (const [at, reply] of replies.entries()) resolveTask(reads[at]!, reply)
  }

  function account(tenant: string, milliseconds: number): void {
    const own = reading.get(tenant)
    if (!own) return
    own.milliseconds += milliseconds
    if (own.milliseconds < slow.together || own.milliseconds < slow.each * own.reads) return
    files.close(tenant)
    slowUntil.set(tenant, performance.now() + slowFor)
  }

  function rest(): void {
    const now = performance.now()
    reading = new Map()
    files.rest(now)
    for (const [tenant, until] of slowUntil) if (until <= now) slowUntil.delete(tenant)
  }

  function close(): void {
    clearInterval(resting)
    for (const each of [...waiting.values()].flat()) toWriter(each, false)
    waiting.clear()
    files.closeAll()
  }

  return { take, close }
}
