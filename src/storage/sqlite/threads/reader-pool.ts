// The reader threads. Any idle thread takes the next turn from the read queue. The first thread starts with the first
// read; more start when reads have to wait.

import { Unavailable } from '../../../database/database.ts'
import { createBackoff } from '../../../lib/backoff.ts'
import type { FileVersion, ReadTask, Reply } from './messages.ts'
import { kindOf, ReadQueue, type Turn } from './read-queue.ts'
import { isFileWork } from './run-task.ts'
import {
  enqueue,
  type PendingTask,
  rejectAsBusy,
  rejectLate,
  resolveTask,
  send,
  stopThread,
  type ThreadStarter,
  takePending,
  type WorkerThread,
} from './thread.ts'

export type ReaderPoolOptions = {
  count: number
  startThread: ThreadStarter
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

export class ReaderPool {
  readonly #options: ReaderPoolOptions
  readonly #queue: ReadQueue
  readonly #slots: Slot[] = [] // that have been started
  readonly #backoff = createBackoff()
  #isDispatchPlanned = false
  #isClosing = false
  #startTimer: NodeJS.Timeout | undefined

  constructor(options: ReaderPoolOptions) {
    this.#options = options
    this.#queue = new ReadQueue(options.count)
  }

  /** Queues a task for a reader thread, or falls back to the writer if none is available. */
  add(pending: PendingTask): void {
    if (!this.#isClosing && this.#slots.length === 0) this.#start({ notStarted: [] })
    const canServe = kindOf(pending) === 'short' ? canServeShortReads : ({ thread }: Slot) => thread !== undefined
    if (this.#isClosing || !this.#slots.some(canServe)) {
      this.#fallBack(pending)
      return
    }
    this.#queue.add(pending)
    if (!this.#isDispatchPlanned) setImmediate(() => this.#dispatchAll()) // once per tick of the event loop
    this.#isDispatchPlanned = true
  }

  /** Rejects tasks that were queued before this time and have not started. */
  rejectLate(queuedBefore: number): void {
    for (const pending of this.#queue.removeLate(queuedBefore)) rejectAsBusy(pending)
    for (const { thread } of this.#slots) if (thread) rejectLate(thread, queuedBefore)
  }

  /** Ends running work on files, which rolls it back. The next process to open a file that needs a migration migrates it. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#startTimer)
    const notStarted = this.#slots.flatMap((slot) => slot.notStarted.splice(0))
    for (const pending of [...notStarted, ...this.#queue.clear()]) this.#fallBack(pending)
    const stop = ({ thread, turn }: Slot) =>
      thread && (turn?.kind === 'fileWork' ? thread.worker.terminate() : stopThread(thread))
    await Promise.all(this.#slots.map(stop))
  }

  #fallBack(pending: PendingTask): void {
    if (isFileWork(pending.task)) pending.reject(new Unavailable('no thread is available for it'))
    else this.#options.toWriter(pending, false)
  }

  #start(slot: Slot): void {
    if (!this.#slots.includes(slot)) this.#slots.push(slot)
    slot.thread = this.#options.startThread({
      onMessage: (thread, { replies }) => this.#receive(slot, thread, replies),
      onExit: () => this.#replace(slot),
    })
  }

  #replace(slot: Slot): void {
    slot.thread = undefined
    this.#endTurn(slot, [])
    const isLast = !this.#slots.some(({ thread }) => thread)
    for (const pending of [...slot.notStarted.splice(0), ...(isLast ? this.#queue.clear() : [])])
      this.#fallBack(pending)
    if (!this.#isClosing) setTimeout(() => this.#isClosing || this.#start(slot), this.#backoff.next()).unref()
  }

  /** Gives the thread its next turn before the results of the last one go to clients, so that it works meanwhile. */
  #receive(slot: Slot, thread: WorkerThread, replies: Reply[]): void {
    this.#backoff.reset()
    const results: [PendingTask, Reply][] = []
    for (const reply of replies) {
      const pending = takePending(thread, reply)
      if ('forWriter' in reply) this.#options.toWriter(pending, reply.forWriter.mayBeCorrupt)
      else if ('notStarted' in reply) slot.notStarted.push(pending)
      else results.push([pending, reply])
    }
    if (thread.pending.size === 0) {
      this.#endTurn(slot, slot.notStarted.splice(0))
      this.#dispatchAll()
      send(thread)
    }
    for (const [pending, reply] of results) resolveTask(pending, reply)
  }

  #endTurn(slot: Slot, notStarted: PendingTask[]): void {
    if (slot.turn) this.#queue.endTurn(slot.turn, notStarted)
    slot.turn = undefined
  }

  #dispatchAll(): void {
    this.#isDispatchPlanned = false
    for (const slot of this.#slots) while (isIdle(slot) && this.#dispatch(slot)) {}
    if (!this.#queue.isEmpty() && this.#slots.length < this.#options.count) {
      this.#startTimer ??= setTimeout(() => this.#startNext(), startAnotherAfterMs)
    } else {
      clearTimeout(this.#startTimer)
      this.#startTimer = undefined
    }
  }

  /** Starts one thread at a time: the last one may be enough. */
  #startNext(): void {
    this.#startTimer = undefined
    if (this.#slots.every(({ thread }) => thread?.isReady)) this.#start({ notStarted: [] })
    this.#dispatchAll()
  }

  /** Starts a turn; false if there is none. Each read uses the current file version, which covers every write
   *  acknowledged so far. Reads of a file without one go to the writer, so the thread may stay idle. */
  #dispatch(slot: Slot): boolean {
    const turn = this.#queue.startTurn()
    slot.turn = turn
    for (const pending of turn?.tasks ?? []) {
      const fileVersion = this.#options.fileVersionOf(pending.task.tenant)
      if (fileVersion || turn?.kind === 'fileWork')
        enqueue(slot.thread!, { ...pending, task: { ...pending.task, fileVersion } as ReadTask })
      else this.#options.toWriter(pending, false)
    }
    if (isIdle(slot)) this.#endTurn(slot, [])
    return turn !== undefined
  }
}

function isIdle({ thread }: Slot): boolean {
  return thread?.isReady === true && thread.pending.size === 0
}

/** A short read does not wait for a thread that runs scans or works on a file. */
function canServeShortReads({ thread, turn }: Slot): boolean {
  return thread?.isReady === true && (turn === undefined || turn.kind === 'short')
}
