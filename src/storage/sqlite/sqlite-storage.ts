// The main thread's side of the embedded engine: one writer thread per tenant, with reader threads beside the
// writers.

import { availableParallelism } from 'node:os'
import { Unavailable } from '../../database/database.ts'
import type { Resources } from '../../resources/resource.ts'
import { filesPerThread, type Threads } from '../descriptors.ts'
import { defaultQueueTimeoutMs } from '../in-flight-limit.ts'
import { noMetrics, type StorageMetrics } from '../metrics.ts'
import { type OnMigrated, openMigrations } from '../migration-queue.ts'
import type { Input, OperationName, Output } from '../operations.ts'
import type { Storage, TenantLocation } from '../storage.ts'
import { MainThreadReads } from './threads/main-thread-reads.ts'
import type { Reply, Task, WorkerSettings } from './threads/messages.ts'
import { ReaderPool } from './threads/reader-pool.ts'
import { isWrite } from './threads/run-task.ts'
import {
  type PendingTask,
  readersFor,
  resolveTask,
  startThread,
  type ThreadStarter,
  writersFor,
} from './threads/thread.ts'
import { WriterPool } from './threads/writer-pool.ts'

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
  const { workers, metrics = noMetrics, queueTimeoutMs = defaultQueueTimeoutMs } = settings
  const counts = countThreads(workers)
  const files = filesPerThread(settings.openFiles ?? 256, counts)
  const readerSettings = threadSettings(settings, files.reader)
  const startWriter = threadStarter('./writer/worker.ts', threadSettings(settings, files.writer), settings)
  const startReader = threadStarter('./reader/reader.ts', readerSettings, settings)
  const writers = new WriterPool({ count: counts.writers, startThread: startWriter, metrics, onReply })
  const fileVersionOf = (tenant: string) => writers.fileVersionOf(tenant)
  const mainThreadReads = new MainThreadReads({ ...readerSettings, fileVersionOf, toWriter })
  const readers = new ReaderPool({ count: counts.readers, startThread: startReader, fileVersionOf, toWriter })
  const migrations = openMigrations(migrate, settings.onMigration)
  const timeoutTimer = setInterval(rejectLateTasks, queueTimeoutMs / 20).unref()
  let lastTaskId = 0
  let isClosing = false

  function run<Name extends OperationName>({ id: tenant }: TenantLocation, name: Name, input: Input<Name>) {
    if (isClosing) return Promise.reject(new Unavailable('the server is closing'))
    return new Promise<Output<Name>>((resolve, reject) => {
      const task: Task = { taskId: ++lastTaskId, tenant, name, input }
      route({ task, queuedAt: performance.now(), resolve: resolve as (output: unknown) => void, reject })
    })
  }

  /** Writes go to the tenant's writer, and so do reads of a file that it has not opened yet. */
  function route(pending: PendingTask): void {
    const { task } = pending
    if (migrations.isUnderWay(task.tenant)) routeAfterMigration(pending)
    else if (isWrite(task) || !fileVersionOf(task.tenant)) writers.add(pending)
    else if (!mainThreadReads.tryRead(pending)) readers.add(pending)
  }

  function onReply(pending: PendingTask, reply: Reply): void {
    if ('needsMigration' in reply) routeAfterMigration(pending)
    else if ('forReader' in reply) readers.add(pending)
    else resolveTask(pending, reply)
  }

  function routeAfterMigration(pending: PendingTask): void {
    migrations.await(pending.task.tenant).then(() => writers.add(pending), pending.reject)
  }

  /** Runs on a reader thread. `queuedAt`: a migration may wait longer than an operation. */
  function migrate(tenant: string): Promise<void> {
    const task: Task = { taskId: ++lastTaskId, tenant, name: 'migrate', input: null }
    return new Promise((resolve, reject) => readers.add({ task, queuedAt: Infinity, resolve: () => resolve(), reject }))
  }

  function toWriter(pending: PendingTask, mayBeCorrupt: boolean): void {
    writers.add({ ...pending, task: { ...pending.task, isForWriter: true, mayBeCorrupt } })
  }

  function rejectLateTasks(): void {
    const queuedBefore = performance.now() - queueTimeoutMs
    readers.rejectLate(queuedBefore)
    writers.rejectLate(queuedBefore)
  }

  async function close(): Promise<void> {
    isClosing = true
    mainThreadReads.close()
    await readers.close()
    await writers.close() // last: what the readers could not run goes to the writers
    clearInterval(timeoutTimer)
  }

  return { run, migrate: ({ id }) => migrations.migrate(id), close }
}

function threadSettings({ directory, resources }: SqliteSettings, openFiles: number): WorkerSettings {
  return { directory, resources, openFiles }
}

function threadStarter(script: string, workerData: WorkerSettings, settings: SqliteSettings): ThreadStarter {
  const onCrash = (error: Error) => settings.onCrash?.(error)
  return (listeners) => startThread(new URL(script, import.meta.url), workerData, { ...listeners, onCrash })
}
