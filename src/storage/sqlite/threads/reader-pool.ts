// The reader threads. All tenants' reads wait in fair queues, and any idle thread takes the next tenant's turn. One
// thread is kept free of long reads by heavy tenants. The first thread starts with the first read; more start when
// reads have to wait.

import { createFairQueue } from '../../../lib/fair-queue.ts'
import { operations } from '../../operations.ts'
import type { FileVersion } from '../reader/read-only-files.ts'
import type { ReadTask } from '../reader/reader.ts'
import type { Reply } from '../writer/group-commit.ts'
import {
  createBackoff,
  enqueue,
  type PendingTask,
  resolveTask,
  send,
  stopThread,
  type ThreadListeners,
  takePending,
  type WorkerThread,
} from './thread.ts'

/** One reader thread and its current turn. `thread` is undefined while a crashed thread waits for its restart.
 *  `longReadsOf`: the tenant whose long reads it has been running since `startedAt`. `deferred`: reads of this turn
 *  that it returned without starting. */
type ReaderSlot = {
  thread?: WorkerThread
  longReadsOf?: string
  startedAt: number
  deferred: PendingTask[]
  isLongNext: boolean
}

export type Readers = {
  /** Queues a read for a reader thread, or falls back to the writer if none is available. */
  read(pending: PendingTask): void
  /** Removes and returns the reads queued before this time. */
  removeLate(queuedBefore: number): PendingTask[]
  /** The running threads. */
  threads(): WorkerThread[]
  close(): Promise<void>
}

export type ReadersSettings = {
  count: number
  startThread(listeners: Omit<ThreadListeners, 'onCrash'>): WorkerThread
  /** The current version of the tenant's file, if its writer has it open. */
  fileVersionOf(tenant: string): FileVersion | undefined
  /** Hands over reads that no reader thread can run. */
  toWriter(pending: PendingTask, isSuspect: boolean): void
}

/** Another thread starts when reads have waited this long. */
const startAnotherAfterMs = 15

/** Maximum number of operations per turn. Tenants share a turn of short reads, since each takes microseconds. */
const maxLongPerTurn = 32
const maxShortPerTurn = 64
const maxShortPerTenant = 16

/** A turn ends after 5 ms plus the read in progress. If a turn takes longer than `heavyTurnMs`, the tenant's long
 *  reads would block others: it counts as heavy for `heavyForMs`, which is longer than its next reads may wait in the
 *  queue. */
const heavyTurnMs = 50
const heavyForMs = 10_000

export function openReaders({ count, startThread, fileVersionOf, toWriter }: ReadersSettings): Readers {
  const [short, long] = [createFairQueue<PendingTask>(), createFairQueue<PendingTask>()]
  const slots: ReaderSlot[] = [] // that have been started
  const heavyUntil = new Map<string, number>()
  const backoff = createBackoff()
  const maxLong = Math.max(1, count - 1)
  const maxLongPerTenant = Math.ceil(maxLong / 2)
  let isDispatchPlanned = false
  let isClosing = false
  let startTimer: NodeJS.Timeout | undefined

  function read(pending: PendingTask): void {
    if (!isClosing && slots.length === 0) start()
    const canWait = isLong(pending) ? slots.some(({ thread }) => thread) : slots.some(canServeShortReads)
    if (isClosing || !canWait) {
      toWriter(pending, false)
      return
    }
    queueOf(pending).add(pending.task.tenant, pending)
    if (isDispatchPlanned) return
    isDispatchPlanned = true
    setImmediate(dispatchAll) // once per tick of the event loop
  }

  const queueOf = (pending: PendingTask) => (isLong(pending) ? long : short)

  function start(): void {
    const slot: ReaderSlot = { startedAt: 0, deferred: [], isLongNext: false }
    slots.push(slot)
    startSlotThread(slot)
  }

  function startSlotThread(slot: ReaderSlot): void {
    slot.thread = startThread({
      onMessage: (thread, { replies }) => receive(slot, thread, replies),
      onExit() {
        slot.thread = slot.longReadsOf = undefined
        for (const pending of slot.deferred.splice(0)) toWriter(pending, false)
        if (!slots.some(({ thread }) => thread)) sendAllToWriters()
        if (!isClosing) setTimeout(() => isClosing || startSlotThread(slot), backoff.next()).unref()
      },
    })
  }

  function receive(slot: ReaderSlot, thread: WorkerThread, replies: Reply[]): void {
    backoff.reset()
    const results: [PendingTask, Reply][] = []
    for (const reply of replies) {
      const pending = takePending(thread, reply)
      if ('forWriter' in reply) toWriter(pending, reply.forWriter.isSuspect)
      else if ('forReader' in reply) slot.deferred.push(pending)
      else results.push([pending, reply])
    }
    if (thread.pending.size === 0) endTurn(slot, thread)
    for (const [pending, reply] of results) resolveTask(pending, reply)
  }

  /** Gives the thread its next turn before the results of the last one go to clients, so that it works meanwhile. */
  function endTurn(slot: ReaderSlot, thread: WorkerThread): void {
    const now = performance.now()
    if (slot.longReadsOf && now - slot.startedAt > heavyTurnMs) heavyUntil.set(slot.longReadsOf, now + heavyForMs)
    slot.longReadsOf = undefined
    const groups = Map.groupBy(slot.deferred.splice(0), ({ task }) => task.tenant)
    for (const [tenant, all] of groups) {
      long.putBack(tenant, all.filter(isLong))
      short.putBack(
        tenant,
        all.filter((each) => !isLong(each)),
      )
    }
    dispatchAll()
    send(thread)
  }

  function dispatchAll(): void {
    isDispatchPlanned = false
    for (const slot of slots) if (isIdle(slot)) dispatch(slot)
    if (isEmpty() || slots.length === count) {
      clearTimeout(startTimer)
      startTimer = undefined
    } else {
      startTimer ??= setTimeout(startNext, startAnotherAfterMs)
    }
  }

  /** Starts one thread at a time: the last one may be enough. */
  function startNext(): void {
    startTimer = undefined
    if (slots.every(({ thread }) => thread?.isReady)) start()
    dispatchAll()
  }

  const isEmpty = () => short.isEmpty() && long.isEmpty()

  /** Alternates between short and long reads. Repeats until the thread has work, because reads of a file without a
   *  current version go to the writer instead. */
  function dispatch(slot: ReaderSlot): void {
    const kinds = slot.isLongNext ? [assignLong, assignShort] : [assignShort, assignLong]
    slot.isLongNext = !slot.isLongNext
    for (const assign of kinds) while (isIdle(slot) && assign(slot)) {}
  }

  /** Assigns short reads of several tenants; false if none were queued. assignLong does the same for long ones. */
  function assignShort(slot: ReaderSlot): boolean {
    let count = 0
    while (count < maxShortPerTurn) {
      const next = short.take(Math.min(maxShortPerTurn - count, maxShortPerTenant))
      if (!next) break
      assign(slot, next)
      count += next.items.length
    }
    return count > 0
  }

  function assignLong(slot: ReaderSlot): boolean {
    const now = performance.now()
    const running = slots.filter(({ longReadsOf }) => longReadsOf)
    const next = long.take(maxLongPerTurn, (tenant) => {
      if (running.length >= maxLong && isHeavy(tenant, now)) return false
      return running.filter(({ longReadsOf }) => longReadsOf === tenant).length < maxLongPerTenant
    })
    if (!next) return false
    assign(slot, next)
    if (!isIdle(slot)) Object.assign(slot, { longReadsOf: next.tenant, startedAt: now })
    return true
  }

  function isHeavy(tenant: string, now: number): boolean {
    const until = heavyUntil.get(tenant)
    if (until === undefined || until > now) return until !== undefined
    heavyUntil.delete(tenant)
    return false
  }

  /** Uses the current file version, which covers every write acknowledged so far. */
  function assign(slot: ReaderSlot, { tenant, items }: { tenant: string; items: PendingTask[] }): void {
    const fileVersion = fileVersionOf(tenant)
    for (const pending of items) {
      if (fileVersion) enqueue(slot.thread!, { ...pending, task: { ...pending.task, fileVersion } as ReadTask })
      else toWriter(pending, false)
    }
  }

  function sendAllToWriters(): void {
    for (const pending of [...short.clear(), ...long.clear()]) toWriter(pending, false)
  }

  function removeLate(queuedBefore: number): PendingTask[] {
    const isLate = ({ queuedAt }: PendingTask) => queuedAt < queuedBefore
    return [...short.remove(isLate), ...long.remove(isLate)]
  }

  async function close(): Promise<void> {
    isClosing = true
    clearTimeout(startTimer)
    for (const { deferred } of slots) for (const pending of deferred.splice(0)) toWriter(pending, false)
    sendAllToWriters()
    await Promise.all(slots.map(({ thread }) => thread && stopThread(thread)))
  }

  return { read, removeLate, threads: () => slots.flatMap(({ thread }) => thread ?? []), close }
}

function isLong({ task }: PendingTask): boolean {
  return operations[task.name].isScan === true
}

function isIdle({ thread }: ReaderSlot): boolean {
  return thread?.isReady === true && thread.pending.size === 0
}

function canServeShortReads({ thread, longReadsOf }: ReaderSlot): boolean {
  return thread?.isReady === true && !longReadsOf
}
