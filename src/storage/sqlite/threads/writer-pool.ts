// The writer threads. Each tenant belongs to one of them, so each file has one writer.

import { createBackoff } from '../../../lib/backoff.ts'
import type { StorageMetrics } from '../../metrics.ts'
import type { FileVersion, Reply, ThreadMessage } from './messages.ts'
import {
  enqueue,
  type PendingTask,
  rejectLate,
  stopThread,
  type ThreadStarter,
  takePending,
  threadIndexFor,
  type WorkerThread,
} from './thread.ts'

export type WriterPoolOptions = {
  count: number
  startThread: ThreadStarter
  metrics: StorageMetrics
  onReply(pending: PendingTask, reply: Reply): void
}

export class WriterPool {
  readonly #options: WriterPoolOptions
  readonly #threads: WorkerThread[]
  readonly #fileVersions = new Map<string, FileVersion>()
  readonly #backoff = createBackoff()
  #isClosing = false

  constructor(options: WriterPoolOptions) {
    this.#options = options
    this.#threads = Array.from({ length: options.count }, (_, index) => this.#start(index))
  }

  add(pending: PendingTask): void {
    enqueue(this.#threads[threadIndexFor(pending.task.tenant, this.#options.count)]!, pending)
  }

  /** The current version of the tenant's file, if its writer has it open. */
  fileVersionOf(tenant: string): FileVersion | undefined {
    return this.#fileVersions.get(tenant)
  }

  /** Rejects tasks that were queued before this time and have not started. */
  rejectLate(queuedBefore: number): void {
    for (const thread of this.#threads) rejectLate(thread, queuedBefore)
  }

  /** The writers checkpoint their files. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(this.#threads.map(stopThread))
  }

  #start(index: number): WorkerThread {
    return this.#options.startThread({
      onMessage: (thread, message) => this.#receive(index, thread, message),
      onExit: () => this.#replace(index),
    })
  }

  #replace(index: number): void {
    const { metrics, count } = this.#options
    metrics.opened(index, 0)
    for (const tenant of [...this.#fileVersions.keys()])
      if (threadIndexFor(tenant, count) === index) this.#fileVersions.delete(tenant)
    const start = () => this.#isClosing || this.#threads.splice(index, 1, this.#start(index))
    setTimeout(start, this.#backoff.next()).unref()
  }

  /** Applies file versions before it passes on replies: a caller may read again immediately. */
  #receive(index: number, thread: WorkerThread, { replies, fileVersions = [], files, commit }: ThreadMessage): void {
    const { metrics, onReply } = this.#options
    this.#backoff.reset()
    if (files) metrics.opened(index, files.open)
    if (files?.evicted) metrics.evicted(files.evicted)
    if (commit) metrics.committed(commit.operations, commit.milliseconds)
    for (const [tenant, fileVersion] of fileVersions) {
      if (fileVersion) this.#fileVersions.set(tenant, fileVersion)
      else this.#fileVersions.delete(tenant)
    }
    for (const reply of replies) onReply(takePending(thread, reply), reply)
  }
}
