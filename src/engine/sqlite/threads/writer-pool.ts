// The writer threads. Each tenant belongs to one of them, so each file has one writer.

import type { EngineMetrics } from '../../measurements.ts'
import type { FileVersion, Reply, ThreadMessage } from './messages.ts'
import type { PendingTask, Thread, ThreadStarter } from './thread.ts'

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
