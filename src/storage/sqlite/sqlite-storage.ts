// The main thread's side of the embedded engine: a writer thread for each tenant, readers beside them.

import { availableParallelism } from 'node:os'
import { Unavailable } from '../../database/database.ts'
import type { Resources } from '../../resources/resource.ts'
import { filesPerThread, type Threads } from '../descriptors.ts'
import { defaultQueueTimeoutMs } from '../in-flight-limit.ts'
import { noMetrics, type StorageMetrics } from '../metrics.ts'
import { type OnMigrated, openMigrations } from '../migration-queue.ts'
import { type Input, type OperationName, type Output, operations } from '../operations.ts'
import type { Storage, TenantLocation } from '../storage.ts'
import { openMigrators } from './migration/migrator-threads.ts'
import type { FileVersion } from './reader/read-only-files.ts'
import { openNearReads } from './threads/main-thread-reads.ts'
import { openReaders } from './threads/reader-pool.ts'
import {
  ask,
  createBackoff,
  end,
  type PendingTask,
  readersFor,
  refuse,
  refuseLate,
  resolveTask,
  startThread,
  type ThreadListeners,
  takePending,
  threadIndexFor,
  type WorkerThread,
  writersFor,
} from './threads/thread.ts'
import type { ThreadMessage, WorkerSettings } from './writer/worker.ts'

export type SqliteSettings = {
  directory: string
  resources: Resources
  /** Threads that write, and as many that read. Default: see lanes.ts. */
  workers?: number
  /** Files of tenants that writers keep open together. Each takes some 0.4 MB. */
  openFiles?: number
  onMigration?: OnMigrated
  metrics?: StorageMetrics
  /** An operation that has waited for so long to be begun is refused with Busy. */
  queueTimeoutMs?: number
  /** Told when a worker died of a bug; its tenants are served again by its successor. */
  onCrash?: (error: Error) => void
}

/** How many threads write and read, on this machine unless said otherwise. */
export function threadsOf(workers?: number): Threads {
  const cores = availableParallelism()
  return { writers: workers ?? writersFor(cores), readers: workers ?? readersFor(cores) }
}

/** Starts the embedded engine on the tenant files of a data directory. */
export function sqliteStorage(settings: SqliteSettings): Storage & { close(): Promise<void> } {
  const {
    directory,
    resources,
    workers,
    metrics: figures = noMetrics,
    queueTimeoutMs = defaultQueueTimeoutMs,
  } = settings
  const counts = threadsOf(workers)
  const files = filesPerThread(settings.openFiles ?? 256, counts)
  const ofWriter: WorkerSettings = { directory, resources, openFiles: files.writer }
  const ofReader: WorkerSettings = { directory, resources, openFiles: files.reader }
  const crashed = (error: Error) => settings.onCrash?.(error)
  const vouchers = new Map<string, FileVersion>()
  const pause = createBackoff()
  const writers = Array.from({ length: counts.writers }, (_, at) => startWriter(at))
  const voucherOf = (tenant: string) => vouchers.get(tenant)
  const near = openNearReads({ ...ofReader, voucherOf, toWriter })
  const readers = openReaders({
    count: counts.readers,
    startThread: (ears) => startThread(new URL('./reader/reader.ts', import.meta.url), ofReader, { ...ears, crashed }),
    voucherOf,
    toWriter,
  })
  const migrators = openMigrators(ofWriter)
  const migrations = openMigrations(migrators.migrate, settings.onMigration)
  const refusing = setInterval(refuseAllLate, queueTimeoutMs / 20).unref()
  let lastTicket = 0
  let isClosing = false

  function startWriter(at: number): WorkerThread {
    const ears: ThreadListeners = {
      onMessage: (lane, message) => hear(at, lane, message),
      crashed,
      ended() {
        figures.opened(at, 0)
        for (const id of [...vouchers.keys()]) if (threadIndexFor(id, counts.writers) === at) vouchers.delete(id)
        const succeed = () => isClosing || writers.splice(at, 1, startWriter(at))
        setTimeout(succeed, pause.next()).unref()
      },
    }
    return startThread(new URL('./writer/worker.ts', import.meta.url), ofWriter, ears)
  }

  /** Vouchers first: those who are answered may ask again at once. */
  function hear(at: number, lane: WorkerThread, message: ThreadMessage): void {
    const { replies, vouchers: changes = [], migrated = [], files, commit } = message
    pause.reset()
    if (files) figures.opened(at, files.open)
    if (files?.evicted) figures.evicted(files.evicted)
    if (commit) figures.committed(commit.operations, commit.milliseconds)
    for (const [tenant, failure] of migrated) settings.onMigration?.(tenant, failure)
    for (const [tenant, voucher] of changes) {
      if (voucher) vouchers.set(tenant, voucher)
      else vouchers.delete(tenant)
    }
    for (const reply of replies) {
      const waiting = takePending(lane, reply)
      if ('behind' in reply) afterMigration(waiting)
      else if ('forReader' in reply) readers.read(waiting)
      else resolveTask(waiting, reply)
    }
  }

  function run<Name extends OperationName>(
    tenant: TenantLocation,
    name: Name,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    if (isClosing) return Promise.reject(new Unavailable('the workers end'))
    const task = { ticket: ++lastTicket, tenant: tenant.id, name, input }
    return new Promise((resolve, reject) => {
      const waiting = { task, queuedAt: performance.now(), resolve: resolve as (output: unknown) => void, reject }
      if (migrations.isUnderWay(tenant.id)) afterMigration(waiting)
      else if (!operations[name].writes && vouchers.has(tenant.id)) near.take(waiting) || readers.read(waiting)
      else ask(writerOf(tenant.id), waiting)
    })
  }

  function toWriter(waiting: PendingTask, isSuspect: boolean): void {
    const task = { ...waiting.task, isReturned: true, isSuspect }
    ask(writerOf(task.tenant), { ...waiting, task })
  }

  function refuseAllLate(): void {
    const queuedBefore = performance.now() - queueTimeoutMs
    for (const waiting of readers.removeLate(queuedBefore)) refuse(waiting)
    for (const lane of [...writers, ...readers.lanes()]) refuseLate(lane, queuedBefore)
  }

  function afterMigration(waiting: PendingTask): void {
    const { tenant } = waiting.task
    migrations.await(tenant).then(() => ask(writerOf(tenant), waiting), waiting.reject)
  }

  function writerOf(id: string): WorkerThread {
    return writers[threadIndexFor(id, counts.writers)]!
  }

  async function close(): Promise<void> {
    isClosing = true
    await migrators.close()
    near.close()
    await readers.close()
    await Promise.all(writers.map(end)) // last, so that they move the logs into the files
    clearInterval(refusing)
  }

  return { run, migrate: ({ id }) => migrations.migrate(id), close }
}
