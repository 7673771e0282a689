// The writer threads, each of which has its own tenants, and the reader threads. Any idle reader takes the next turn from
// the read queue. The first reader starts with the first read; more start when reads have to wait.

import { Unavailable } from '../../database/database.ts'
import type { EngineMetrics } from '../../measurements.ts'
import type { FileVersion, Reply, ThreadMessage } from './messages.ts'
import { kindOf, ReadQueue, type Turn } from './read-queue.ts'
import { lateBefore, type PendingTask, rejectAsBusy, resolveTask, type Thread, type ThreadStarter } from './thread.ts'

export type WriterPoolOptions = {
  count: number
  startThread: ThreadStarter
  metrics: EngineMetrics
  onReply(pending: PendingTask, reply: Reply): void
}

/** `outbox`: tasks queued in this event-loop tick, which are sent as a single message at the end of the tick. */
type Writer = { thread: Thread; outbox: PendingTask[] }

/** A batch of this size is sent immediately, so that the thread starts while the main thread is still reading requests
 *  (docs/decisions/0015). */
const maxBatchSize = 16

/** Maps a tenant to the same thread for the lifetime of the process. */
export function threadIndexFor(id: string, count: number): number {
  let hash = 0
  for (let index = 0; index < id.length; index++) hash = (hash * 31 + id.charCodeAt(index)) >>> 0
  return hash % count
}

export class WriterPool {
  readonly #options: WriterPoolOptions
  readonly #writers: Writer[]
  readonly #fileVersions = new Map<string, FileVersion>()

  constructor(options: WriterPoolOptions) {
    this.#options = options
    this.#writers = Array.from({ length: options.count }, (_, index) => this.#start(index))
  }

  add(pending: PendingTask): void {
    const writer = this.#writers[threadIndexFor(pending.task.tenant, this.#options.count)]!
    const count = writer.outbox.push(pending)
    if (count === maxBatchSize) send(writer)
    else if (count === 1) setImmediate(send, writer)
  }

  /** Returns the current version of the tenant's file, if its writer has the file open. */
  fileVersionOf(tenant: string): FileVersion | undefined {
    return this.#fileVersions.get(tenant)
  }

  /** Rejects tasks that were queued before this time and have not started. */
  rejectLate(queuedBefore: number): void {
    for (const { thread } of this.#writers) thread.rejectLate(queuedBefore)
  }

  /** Stops the writers, which checkpoint their files. */
  async close(): Promise<void> {
    for (const writer of this.#writers) send(writer)
    await Promise.all(this.#writers.map(({ thread }) => thread.stop()))
  }

  #start(index: number): Writer {
    const thread: Thread = this.#options.startThread({
      onMessage: (message) => this.#receive(index, thread, message),
      onExit: () => this.#forgetFiles(index),
    })
    return { thread, outbox: [] }
  }

  #forgetFiles(index: number): void {
    const { metrics, count } = this.#options
    metrics.opened(index, 0)
    for (const tenant of [...this.#fileVersions.keys()])
      if (threadIndexFor(tenant, count) === index) this.#fileVersions.delete(tenant)
  }

  /** Stores the file versions before passing on the replies, because a caller may read immediately after its reply. */
  #receive(index: number, thread: Thread, { replies, fileVersions = [], files, commit }: ThreadMessage): void {
    const { metrics, onReply } = this.#options
    if (files) metrics.opened(index, files.open)
    if (files?.evicted) metrics.evicted(files.evicted)
    if (commit) metrics.committed(commit.operations, commit.milliseconds)
    for (const [tenant, fileVersion] of fileVersions) {
      if (fileVersion) this.#fileVersions.set(tenant, fileVersion)
      else this.#fileVersions.delete(tenant)
    }
    for (const reply of replies) onReply(thread.take(reply), reply)
  }
}

function send(writer: Writer): void {
  writer.thread.send(writer.outbox.splice(0))
}

export type ReaderPoolOptions = {
  count: number
  startThread: ThreadStarter
  writers: Pick<WriterPool, 'fileVersionOf'>
  /** Passes a read that no reader thread can run to the tenant's writer. */
  toWriter(pending: PendingTask, mayBeCorrupt: boolean): void
}

type Reader = { readonly thread: Thread; turn?: Turn | undefined }

/** Another thread starts when reads have waited this long. A node with little load has one thread instead of three,
 *  which saves 50 MiB with 10,000 tenants (docs/decisions/0015). */
const startAnotherAfterMs = 15

export class ReaderPool {
  readonly #options: ReaderPoolOptions
  readonly #queue: ReadQueue
  readonly #readers: Reader[] = [] // only started threads
  #isDispatchPlanned = false
  #isClosing = false
  #startTimer: NodeJS.Timeout | undefined

  constructor(options: ReaderPoolOptions) {
    this.#options = options
    this.#queue = new ReadQueue(options.count)
  }

  /** Queues a task for a reader thread. If no thread is available, a read goes to the writer, and work on a file is
   *  rejected. */
  add(pending: PendingTask): void {
    if (!this.#isClosing && this.#readers.length === 0) this.#start()
    const canServe = kindOf(pending) === 'short' ? canServeShortReads : ({ thread }: Reader) => thread.isRunning
    if (this.#isClosing || !this.#readers.some(canServe)) {
      this.#fallBack(pending)
      return
    }
    this.#queue.add(pending)
    if (!this.#isDispatchPlanned) setImmediate(() => this.#dispatchAll()) // once per event-loop tick
    this.#isDispatchPlanned = true
  }

  /** Rejects tasks that were queued before this time and have not started. */
  rejectLate(queuedBefore: number): void {
    // the thread that was ready first serves every queue
    const readyAt = Math.min(...this.#readers.map(({ thread }) => thread.readyAt))
    for (const pending of this.#queue.removeLate(lateBefore(queuedBefore, readyAt))) rejectAsBusy(pending)
    for (const { thread } of this.#readers) thread.rejectLate(queuedBefore)
  }

  /** Stops the threads. Aborts running work on files, which rolls it back. A file that still needs a migration is
   *  migrated when it is next opened. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#startTimer)
    for (const pending of this.#queue.clear()) this.#fallBack(pending)
    const stop = ({ thread, turn }: Reader) => (turn?.kind === 'fileWork' ? thread.terminate() : thread.stop())
    await Promise.all(this.#readers.map(stop))
  }

  #fallBack(pending: PendingTask): void {
    if (kindOf(pending) === 'fileWork') pending.reject(new Unavailable('no reader thread is available'))
    else this.#options.toWriter(pending, false)
  }

  #start(): void {
    const reader: Reader = {
      thread: this.#options.startThread({
        onMessage: (message) => this.#receive(reader, message),
        onExit: () => this.#recover(reader),
      }),
    }
    this.#readers.push(reader)
  }

  #recover(reader: Reader): void {
    this.#endTurn(reader, [])
    if (this.#readers.some(({ thread }) => thread.isRunning)) return
    for (const pending of this.#queue.clear()) this.#fallBack(pending)
  }

  /** Starts the thread's next turn before passing on the results of the last one, so that the thread is not idle. */
  #receive(reader: Reader, { replies, isTurnOver }: ThreadMessage): void {
    const results: [PendingTask, Reply][] = []
    for (const reply of replies) {
      const pending = reader.thread.take(reply)
      if ('forWriter' in reply) this.#options.toWriter(pending, reply.forWriter.mayBeCorrupt)
      else results.push([pending, reply])
    }
    if (isTurnOver) {
      this.#endTurn(reader, reader.thread.takeAll())
      this.#dispatchAll()
    }
    for (const [pending, reply] of results) resolveTask(pending, reply)
  }

  #endTurn(reader: Reader, notStarted: PendingTask[]): void {
    if (reader.turn) this.#queue.endTurn(reader.turn, this.#isClosing ? [] : notStarted)
    reader.turn = undefined
    if (this.#isClosing) for (const pending of notStarted) this.#fallBack(pending)
  }

  #dispatchAll(): void {
    this.#isDispatchPlanned = false
    for (const reader of this.#readers) if (isIdle(reader)) this.#dispatch(reader)
    if (!this.#queue.isEmpty() && this.#readers.length < this.#options.count) {
      this.#startTimer ??= setTimeout(() => this.#startNext(), startAnotherAfterMs)
    } else {
      clearTimeout(this.#startTimer)
      this.#startTimer = undefined
    }
  }

  /** Starts a thread only after the previous one is ready, because the previous one may be enough. */
  #startNext(): void {
    this.#startTimer = undefined
    if (this.#readers.every(({ thread }) => thread.isReady)) this.#start()
    this.#dispatchAll()
  }

  /** Starts the next turn, if there is one. Each read uses the current file version, which covers every write
   *  acknowledged so far. */
  #dispatch(reader: Reader): void {
    const turn = this.#queue.startTurn()
    if (!turn) return
    for (const { task } of turn.tasks) task.fileVersion = this.#options.writers.fileVersionOf(task.tenant)
    reader.turn = turn
    reader.thread.send(turn.tasks)
  }
}

/** Checks the turn as well as the thread, because a thread may have replied to all its tasks before its turn has
 *  ended. */
function isIdle({ thread, turn }: Reader): boolean {
  return thread.isReady && turn === undefined
}

/** Whether the thread can serve a short read soon, because it is idle or running a turn of short reads. */
function canServeShortReads({ thread, turn }: Reader): boolean {
  return thread.isReady && (turn === undefined || turn.kind === 'short')
}
