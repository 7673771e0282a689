// The main thread's side of the embedded engine: one writer thread per tenant, with reader threads beside the
// writers.

import { availableParallelism } from 'node:os'
import { Unavailable } from '../../database/database.ts'
import { createBackoff } from '../../lib/backoff.ts'
import type { Resources } from '../../resources/resource.ts'
import { filesPerThread, type Threads } from '../descriptors.ts'
import { defaultQueueTimeoutMs } from '../in-flight-limit.ts'
import { noMetrics, type StorageMetrics } from '../metrics.ts'
import { type OnMigrated, openMigrations } from '../migration-queue.ts'
import type { Input, OperationName, Output } from '../operations.ts'
import type { Storage, TenantLocation } from '../storage.ts'
import { openMainThreadReads } from './threads/main-thread-reads.ts'
import type { FileVersion, Task, ThreadMessage, WorkerSettings } from './threads/messages.ts'
import { openReaders } from './threads/reader-pool.ts'
import { isWrite } from './threads/run-task.ts'
import {
  enqueue,
  type PendingTask,
  readersFor,
  rejectAsBusy,
  rejectLate,
  resolveTask,
  startThread,
  stopThread,
  type ThreadListeners,
  takePending,
  threadIndexFor,
  type WorkerThread,
  writersFor,
} from './threads/thread.ts'

export type SqliteSettings = {
  directory: string
  resources: Resources
  /** Number of writer threads, and of reader threads. Default: see writersFor and readersFor. */
  workers?: number
  /** How many tenant files the writers keep open in total. Each takes about 0.4 MB. */
  openFiles?: number
  onMigration?: OnMigrated
  metrics?: StorageMetrics
  /** An operation that has waited this long in the queue is rejected with Busy. */
  queueTimeoutMs?: number
  /** Called when a thread crashes. A replacement thread then serves its tenants. */
  onCrash?: (error: Error) => void
}

/** Number of writer and reader threads; by default it depends on the number of cores. */
export function countThreads(workers?: number): Threads {
  const cores = availableParallelism()
  return { writers: workers ?? writersFor(cores), readers: workers ?? readersFor(cores) }
}

/** Starts the embedded engine on the tenant files of a data directory. */
export function sqliteStorage(settings: SqliteSettings): Storage & { close(): Promise<void> } {
  const { directory, resources, workers, metrics = noMetrics, queueTimeoutMs = defaultQueueTimeoutMs } = settings
  const counts = countThreads(workers)
  const files = filesPerThread(settings.openFiles ?? 256, counts)
  const writerSettings: WorkerSettings = { directory, resources, openFiles: files.writer }
  const readerSettings: WorkerSettings = { directory, resources, openFiles: files.reader }
  const onCrash = (error: Error) => settings.onCrash?.(error)
  const fileVersions = new Map<string, FileVersion>()
  const backoff = createBackoff()
  const writers = Array.from({ length: counts.writers }, (_, at) => startWriter(at))
  const fileVersionOf = (tenant: string) => fileVersions.get(tenant)
  const mainThreadReads = openMainThreadReads({ ...readerSettings, fileVersionOf, toWriter })
  const readers = openReaders({
    count: counts.readers,
    startThread: (listeners) =>
      startThread(new URL('./reader/reader.ts', import.meta.url), readerSettings, { ...listeners, onCrash }),
    fileVersionOf,
    toWriter,
  })
  const migrations = openMigrations(migrate, settings.onMigration)
  const timeoutTimer = setInterval(rejectLateTasks, queueTimeoutMs / 20).unref()
  let lastTaskId = 0
  let isClosing = false

  function startWriter(at: number): WorkerThread {
    const listeners: ThreadListeners = {
      onMessage: (thread, message) => receive(at, thread, message),
      onCrash,
      onExit() {
        metrics.opened(at, 0)
        for (const id of [...fileVersions.keys()])
          if (threadIndexFor(id, counts.writers) === at) fileVersions.delete(id)
        const replace = () => isClosing || writers.splice(at, 1, startWriter(at))
        setTimeout(replace, backoff.next()).unref()
      },
    }
    return startThread(new URL('./writer/worker.ts', import.meta.url), writerSettings, listeners)
  }

  /** Applies file versions before resolving replies: a resolved caller may read again immediately. */
  function receive(at: number, thread: WorkerThread, message: ThreadMessage): void {
    const { replies, fileVersions: changes = [], files, commit } = message
    backoff.reset()
    if (files) metrics.opened(at, files.open)
    if (files?.evicted) metrics.evicted(files.evicted)
    if (commit) metrics.committed(commit.operations, commit.milliseconds)
    for (const [tenant, fileVersion] of changes) {
      if (fileVersion) fileVersions.set(tenant, fileVersion)
      else fileVersions.delete(tenant)
    }
    for (const reply of replies) {
      const pending = takePending(thread, reply)
      if ('needsMigration' in reply) afterMigration(pending)
      else if ('forReader' in reply) readers.add(pending)
      else resolveTask(pending, reply)
    }
  }

  function run<Name extends OperationName>(
    tenant: TenantLocation,
    name: Name,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    if (isClosing) return Promise.reject(new Unavailable('the workers end'))
    const task: Task = { taskId: ++lastTaskId, tenant: tenant.id, name, input }
    return new Promise((resolve, reject) => {
      const pending = { task, queuedAt: performance.now(), resolve: resolve as (output: unknown) => void, reject }
      if (migrations.isUnderWay(tenant.id)) afterMigration(pending)
      else if (!isWrite(task) && fileVersions.has(tenant.id)) mainThreadReads.tryRead(pending) || readers.add(pending)
      else enqueue(writerOf(tenant.id), pending)
    })
  }

  /** On a reader thread. `queuedAt`: a migration may wait longer than an operation. */
  function migrate(tenant: string): Promise<void> {
    const task: Task = { taskId: ++lastTaskId, tenant, name: 'migrate', input: null }
    return new Promise((resolve, reject) => readers.add({ task, queuedAt: Infinity, resolve: () => resolve(), reject }))
  }

  function toWriter(pending: PendingTask, mayBeCorrupt: boolean): void {
    const task = { ...pending.task, isForWriter: true, mayBeCorrupt }
    enqueue(writerOf(task.tenant), { ...pending, task })
  }

  function rejectLateTasks(): void {
    const queuedBefore = performance.now() - queueTimeoutMs
    for (const pending of readers.removeLate(queuedBefore)) rejectAsBusy(pending)
    for (const thread of [...writers, ...readers.threads()]) rejectLate(thread, queuedBefore)
  }

  function afterMigration(pending: PendingTask): void {
    const { tenant } = pending.task
    migrations.await(tenant).then(() => enqueue(writerOf(tenant), pending), pending.reject)
  }

  function writerOf(id: string): WorkerThread {
    return writers[threadIndexFor(id, counts.writers)]!
  }

  async function close(): Promise<void> {
    isClosing = true
    mainThreadReads.close()
    await readers.close()
    await Promise.all(writers.map(stopThread)) // last: on close, the writers checkpoint their files
    clearInterval(timeoutTimer)
  }

  return { run, migrate: ({ id }) => migrations.migrate(id), close }
}
