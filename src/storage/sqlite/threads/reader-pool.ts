// The reader threads. Any idle thread takes the next turn from the read queue. The first thread starts with the first
// read; more start when reads have to wait.

import { Unavailable } from '../../../database/database.ts'
import { createBackoff } from '../../../lib/backoff.ts'
import type { FileVersion, ReadTask, Reply } from './messages.ts'
import { createReadQueue, kindOf, type Turn } from './read-queue.ts'
import {
  enqueue,
  type PendingTask,
  resolveTask,
  send,
  stopThread,
  type ThreadListeners,
  takePending,
  type WorkerThread,
} from './thread.ts'

export type Readers = {
  /** Queues a task for a reader thread, or falls back to the writer if none is available. */
  add(pending: PendingTask): void
  /** Removes and returns the tasks queued before this time. */
  removeLate(queuedBefore: number): PendingTask[]
  /** The running threads. */
  threads(): WorkerThread[]
  /** Ends running migrations, which rolls them back. The next process to open such a file migrates it. */
  close(): Promise<void>
}

export type ReadersOptions = {
  count: number
  startThread(listeners: Omit<ThreadListeners, 'onCrash'>): WorkerThread
  /** The current version of the tenant's file, if its writer has it open. */
  fileVersionOf(tenant: string): FileVersion | undefined
  /** Hands over reads that no reader thread can run. */
  toWriter(pending: PendingTask, mayBeCorrupt: boolean): void
}

/** One reader thread. `thread` is undefined while a crashed thread waits for its restart. `notStarted`: tasks of this
 *  turn that the thread returned when its time slice was over. */
type Slot = { thread?: WorkerThread; turn?: Turn; notStarted: PendingTask[] }

/** Another thread starts when reads have waited this long. A node with little load has one thread instead of three,
 *  which saves 50 MiB with 10,000 tenants (docs/decisions/0015). */
const startAnotherAfterMs = 15

export function openReaders({ count, startThread, fileVersionOf, toWriter }: ReadersOptions): Readers {
  const queue = createReadQueue(count)
  const slots: Slot[] = [] // that have been started
  const backoff = createBackoff()
  let isDispatchPlanned = false
  let isClosing = false
  let startTimer: NodeJS.Timeout | undefined

  function add(pending: PendingTask): void {
    if (!isClosing && slots.length === 0) start({ notStarted: [] })
    const isShort = kindOf(pending) === 'short'
    if (isClosing || !slots.some(isShort ? canServeShortReads : ({ thread }) => thread)) {
      fallBack(pending)
      return
    }
    queue.add(pending)
    if (!isDispatchPlanned) setImmediate(dispatchAll) // once per tick of the event loop
    isDispatchPlanned = true
  }

  function fallBack(pending: PendingTask): void {
    if (pending.task.name === 'migrate') pending.reject(new Unavailable('no thread can migrate it'))
    else toWriter(pending, false)
  }

  function start(slot: Slot): void {
    if (!slots.includes(slot)) slots.push(slot)
    slot.thread = startThread({
      onMessage: (thread, { replies }) => receive(slot, thread, replies),
      onExit() {
        slot.thread = undefined
        endTurn(slot, [])
        for (const pending of slot.notStarted.splice(0)) fallBack(pending)
        if (!slots.some(({ thread }) => thread)) queue.clear().forEach(fallBack)
        if (!isClosing) setTimeout(() => isClosing || start(slot), backoff.next()).unref()
      },
    })
  }

  /** Gives the thread its next turn before the results of the last one go to clients, so that it works meanwhile. */
  function receive(slot: Slot, thread: WorkerThread, replies: Reply[]): void {
    backoff.reset()
    const results: [PendingTask, Reply][] = []
    for (const reply of replies) {
      const pending = takePending(thread, reply)
      if ('forWriter' in reply) toWriter(pending, reply.forWriter.mayBeCorrupt)
      else if ('notStarted' in reply) slot.notStarted.push(pending)
      else results.push([pending, reply])
    }
    if (thread.pending.size === 0) {
      endTurn(slot, slot.notStarted.splice(0))
      dispatchAll()
      send(thread)
    }
    for (const [pending, reply] of results) resolveTask(pending, reply)
  }

  function endTurn(slot: Slot, notStarted: PendingTask[]): void {
    if (slot.turn) queue.endTurn(slot.turn, notStarted)
    slot.turn = undefined
  }

  function dispatchAll(): void {
    isDispatchPlanned = false
    for (const slot of slots) while (isIdle(slot) && dispatch(slot)) {}
    if (queue.isEmpty() || slots.length === count) {
      clearTimeout(startTimer)
      startTimer = undefined
    } else startTimer ??= setTimeout(startNext, startAnotherAfterMs)
  }

  /** Starts one thread at a time: the last one may be enough. */
  function startNext(): void {
    startTimer = undefined
    if (slots.every(({ thread }) => thread?.isReady)) start({ notStarted: [] })
    dispatchAll()
  }

  /** Starts a turn; false if there is none. Each read uses the current file version, which covers every write
   *  acknowledged so far. Reads of a file without one go to the writer, so the thread may stay idle. */
  function dispatch(slot: Slot): boolean {
    slot.turn = queue.startTurn()
    for (const pending of slot.turn?.tasks ?? []) {
      const fileVersion = fileVersionOf(pending.task.tenant)
      if (fileVersion || pending.task.name === 'migrate')
        enqueue(slot.thread!, { ...pending, task: { ...pending.task, fileVersion } as ReadTask })
      else toWriter(pending, false)
    }
    const hasTurn = slot.turn !== undefined
    if (isIdle(slot)) endTurn(slot, [])
    return hasTurn
  }

  async function close(): Promise<void> {
    isClosing = true
    clearTimeout(startTimer)
    for (const pending of [...slots.flatMap(({ notStarted }) => notStarted.splice(0)), ...queue.clear()])
      fallBack(pending)
    const end = ({ thread, turn }: Slot) =>
      thread && (turn?.kind === 'migration' ? thread.worker.terminate() : stopThread(thread))
    await Promise.all(slots.map(end))
  }

  const threads = () => slots.flatMap(({ thread }) => thread ?? [])
  return { add, removeLate: queue.removeLate, threads, close }
}

function isIdle({ thread }: Slot): boolean {
  return thread?.isReady === true && thread.pending.size === 0
}

/** A short read does not wait for a thread that runs long reads or a migration. */
function canServeShortReads({ thread, turn }: Slot): boolean {
  return thread?.isReady === true && (turn === undefined || turn.kind === 'short')
}
