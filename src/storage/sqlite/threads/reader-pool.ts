// The reader threads. Reads wait in one fair queue over all tenants, and whichever thread is idle takes the next tenant's turn.
// One thread is kept free of the long reads of heavy tenants. The first thread starts with the first read, another when reads
// have to wait.

import { createFairQueue } from '../../../lib/fair-queue.ts'
import { operations } from '../../operations.ts'
import type { FileVersion } from '../reader/read-only-files.ts'
import type { ReadTask } from '../reader/reader.ts'
import type { Reply } from '../writer/group-commit.ts'
import {
  ask,
  createBackoff,
  end,
  type PendingTask,
  resolveTask,
  send,
  type ThreadListeners,
  takePending,
  type WorkerThread,
} from './thread.ts'

/** `lane` is missing while the thread waits to be started again. `longReadsOf`: the tenant whose long reads it is at, since
 *  `begun`. `unbegun`: the reads of its turn that it has given back. */
type Thread = { lane?: WorkerThread; longReadsOf?: string; begun: number; unbegun: PendingTask[]; isLongNext: boolean }

export type Readers = {
  /** Queues a read for a reader thread, or falls back to the writer where none is available. */
  read(waiting: PendingTask): void
  /** Takes the reads out of the queue that were queued before this time. */
  removeLate(queuedBefore: number): PendingTask[]
  /** The threads at work, each with what it was asked. */
  lanes(): WorkerThread[]
  close(): Promise<void>
}

export type ReadersSettings = {
  count: number
  startThread(ears: Omit<ThreadListeners, 'crashed'>): WorkerThread
  /** What the writer says of the tenant's file at this moment. */
  voucherOf(tenant: string): FileVersion | undefined
  /** For what no reader can answer. */
  toWriter(waiting: PendingTask, isSuspect: boolean): void
}

/** Reads that have waited for so long are worth another thread. Milliseconds. */
const startAnotherAfter = 15

/** Operations in a turn at most. A turn of short reads is shared by tenants, since each takes microseconds. */
const longAtOnce = 32
const shortAtOnce = 64
const shortOfOneTenant = 16

/** A thread ends its turn after 5 ms and the read in hand. A tenant whose turn takes longer than this has reads that others
 *  would wait for: it is heavy, and stays so beyond the time that its next reads may wait in the queue. Milliseconds. */
const heavyTurn = 50
const heavyFor = 10_000

export function openReaders({ count, startThread, voucherOf, toWriter }: ReadersSettings): Readers {
  const [short, long] = [createFairQueue<PendingTask>(), createFairQueue<PendingTask>()]
  const threads: Thread[] = [] // that were started
  const heavyUntil = new Map<string, number>()
  const pause = createBackoff()
  const mostLong = Math.max(1, count - 1)
  const mostLongOfOneTenant = Math.ceil(mostLong / 2)
  let isPlanned = false
  let isClosing = false
  let startAnother: NodeJS.Timeout | undefined

  function read(waiting: PendingTask): void {
    if (!isClosing && threads.length === 0) start()
    const canWait = isLong(waiting) ? threads.some(({ lane }) => lane) : threads.some(isFreeOfLongReads)
    if (isClosing || !canWait) {
      toWriter(waiting, false)
      return
    }
    queueOf(waiting).add(waiting.task.tenant, waiting)
    if (isPlanned) return
    isPlanned = true
    setImmediate(giveTurns) // once for all that is asked in a turn of the event loop
  }

  const queueOf = (waiting: PendingTask) => (isLong(waiting) ? long : short)

  function start(): void {
    const thread: Thread = { begun: 0, unbegun: [], isLongNext: false }
    threads.push(thread)
    startLane(thread)
  }

  function startLane(thread: Thread): void {
    thread.lane = startThread({
      onMessage: (lane, { replies }) => hear(thread, lane, replies),
      ended() {
        thread.lane = thread.longReadsOf = undefined
        for (const waiting of thread.unbegun.splice(0)) toWriter(waiting, false)
        if (!threads.some(({ lane }) => lane)) leaveToWriters()
        if (!isClosing) setTimeout(() => isClosing || startLane(thread), pause.next()).unref()
      },
    })
  }

  function hear(thread: Thread, lane: WorkerThread, replies: Reply[]): void {
    pause.reset()
    const settled: [PendingTask, Reply][] = []
    for (const reply of replies) {
      const waiting = takePending(lane, reply)
      if ('forWriter' in reply) toWriter(waiting, reply.forWriter.isSuspect)
      else if ('forReader' in reply) thread.unbegun.push(waiting)
      else settled.push([waiting, reply])
    }
    if (lane.waiting.size === 0) endTurn(thread, lane)
    for (const [waiting, reply] of settled) resolveTask(waiting, reply)
  }

  /** The thread gets its next turn before the answers of the last go to clients: it works meanwhile. */
  function endTurn(thread: Thread, lane: WorkerThread): void {
    const now = performance.now()
    if (thread.longReadsOf && now - thread.begun > heavyTurn) heavyUntil.set(thread.longReadsOf, now + heavyFor)
    thread.longReadsOf = undefined
    const groups = Map.groupBy(thread.unbegun.splice(0), ({ task }) => task.tenant)
    for (const [tenant, all] of groups) {
      long.putBack(tenant, all.filter(isLong))
      short.putBack(
        tenant,
        all.filter((each) => !isLong(each)),
      )
    }
    giveTurns()
    send(lane)
  }

  function giveTurns(): void {
    isPlanned = false
    for (const thread of threads) if (isIdle(thread)) giveTurn(thread)
    if (isDone() || threads.length === count) {
      clearTimeout(startAnother)
      startAnother = undefined
    } else {
      startAnother ??= setTimeout(startNext, startAnotherAfter)
    }
  }

  /** One after another: the last that was started may be enough. */
  function startNext(): void {
    startAnother = undefined
    if (threads.every(({ lane }) => lane?.isReady)) start()
    giveTurns()
  }

  const isDone = () => short.isEmpty() && long.isEmpty()

  /** Short and long reads by turns. Until the thread has something: reads without a voucher go to their writer instead. */
  function giveTurn(thread: Thread): void {
    const kinds = thread.isLongNext ? [giveLong, giveShort] : [giveShort, giveLong]
    thread.isLongNext = !thread.isLongNext
    for (const give of kinds) while (isIdle(thread) && give(thread)) {}
  }

  /** Whether there were any that the thread may be given; giveLong likewise. */
  function giveShort(thread: Thread): boolean {
    let count = 0
    while (count < shortAtOnce) {
      const next = short.take(Math.min(shortAtOnce - count, shortOfOneTenant))
      if (!next) break
      give(thread, next)
      count += next.items.length
    }
    return count > 0
  }

  function giveLong(thread: Thread): boolean {
    const now = performance.now()
    const atLong = threads.filter(({ longReadsOf }) => longReadsOf)
    const next = long.take(longAtOnce, (tenant) => {
      if (atLong.length >= mostLong && isHeavy(tenant, now)) return false
      return atLong.filter(({ longReadsOf }) => longReadsOf === tenant).length < mostLongOfOneTenant
    })
    if (!next) return false
    give(thread, next)
    if (!isIdle(thread)) Object.assign(thread, { longReadsOf: next.tenant, begun: now })
    return true
  }

  function isHeavy(tenant: string, now: number): boolean {
    const until = heavyUntil.get(tenant)
    if (until === undefined || until > now) return until !== undefined
    heavyUntil.delete(tenant)
    return false
  }

  /** The voucher is that of the moment: it covers all that was answered before. */
  function give(thread: Thread, { tenant, items }: { tenant: string; items: PendingTask[] }): void {
    const voucher = voucherOf(tenant)
    for (const waiting of items) {
      if (voucher) ask(thread.lane!, { ...waiting, task: { ...waiting.task, voucher } as ReadTask })
      else toWriter(waiting, false)
    }
  }

  function leaveToWriters(): void {
    for (const waiting of [...short.clear(), ...long.clear()]) toWriter(waiting, false)
  }

  function removeLate(queuedBefore: number): PendingTask[] {
    const isLate = ({ queuedAt }: PendingTask) => queuedAt < queuedBefore
    return [...short.remove(isLate), ...long.remove(isLate)]
  }

  async function close(): Promise<void> {
    isClosing = true
    clearTimeout(startAnother)
    for (const { unbegun } of threads) for (const waiting of unbegun.splice(0)) toWriter(waiting, false)
    leaveToWriters()
    await Promise.all(threads.map(({ lane }) => lane && end(lane)))
  }

  return { read, removeLate, lanes: () => threads.flatMap(({ lane }) => lane ?? []), close }
}

function isLong({ task }: PendingTask): boolean {
  return 'isLong' in operations[task.name]
}

function isIdle({ lane }: Thread): boolean {
  return lane?.isReady === true && lane.waiting.size === 0
}

function isFreeOfLongReads({ lane, longReadsOf }: Thread): boolean {
  return lane?.isReady === true && !longReadsOf
}
