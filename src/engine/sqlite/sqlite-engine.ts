// The main thread's part of the embedded engine. Each tenant belongs to one writer thread; reader threads serve all
// tenants.

import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Unavailable } from '../database/database.ts'
import { filesPerThread, maxOpenFiles, type Threads } from '../descriptors.ts'
import { closedMessage, defaultQueueTimeoutMs, type Engine, type EngineOptions } from '../engine.ts'
import { type EngineMetrics, measureOperation, noMetrics } from '../measurements.ts'
import { type Migrations, openMigrations } from '../migration-queue.ts'
import type { Operation } from '../operation.ts'
import type { Product } from '../product.ts'
import type { TenantLocation } from '../tenant-databases.ts'
import { type FileWork, noSlot, type Reply, type Task } from './threads/messages.ts'
import { ReaderPool, WriterPool } from './threads/pools.ts'
import { MainThreadReads } from './threads/read-only-files.ts'
import {
  type PendingTask,
  readersFor,
  resolveTask,
  Thread,
  type ThreadStarter,
  writersFor,
  youngGenerationMb,
} from './threads/thread.ts'

export type SqliteSettings = EngineOptions & {
  directory: string
  product: Product
  /** Number of writer threads, and of reader threads. Default: see writersFor and readersFor. */
  workers?: number | undefined
  /** Maximum number of tenant files that the writers keep open in total. Each takes about 0.4 MB. */
  openFiles?: number | undefined
  metrics?: EngineMetrics
  /** Called when a thread crashes. A replacement thread then serves its tenants. */
  onCrash?: (error: Error) => void
}

/** Returns the numbers of writer and reader threads. By default, they depend on the number of cores. */
export function countThreads(workers?: number): Threads {
  const cores = availableParallelism()
  return { writers: workers ?? writersFor(cores), readers: workers ?? readersFor(cores) }
}

/** The embedded engine, which runs operations on the tenant files in a data directory. */
export class SqliteEngine implements Engine {
  readonly #operations: Product['operations']
  readonly #queueTimeoutMs: number
  readonly #writers: WriterPool
  readonly #readers: ReaderPool
  readonly #mainThreadReads: MainThreadReads
  readonly #migrations: Migrations
  readonly #compactions: Migrations
  readonly #timer: NodeJS.Timeout
  #lastTaskId = 0
  #isClosing = false

  constructor(settings: SqliteSettings) {
    const { workers, metrics = noMetrics, queueTimeoutMs = defaultQueueTimeoutMs } = settings
    const { writers, readers } = countThreads(workers)
    const files = filesPerThread(settings.openFiles ?? maxOpenFiles, { writers, readers })
    const startWriter = threadStarter('./writer/worker', settings, files.writer, youngGenerationMb.writer)
    const startReader = threadStarter('./reader/reader', settings, files.reader, youngGenerationMb.reader)
    const onReply = (pending: PendingTask, reply: Reply) => this.#receive(pending, reply)
    const toWriter = (pending: PendingTask, mayBeCorrupt: boolean) =>
      this.#writers.add({ ...pending, task: { ...pending.task, isForWriter: true, mayBeCorrupt } })
    this.#writers = new WriterPool({ count: writers, startThread: startWriter, metrics, onReply })
    this.#readers = new ReaderPool({ count: readers, startThread: startReader, writers: this.#writers, toWriter })
    this.#mainThreadReads = new MainThreadReads({
      ...settings,
      openFiles: files.reader,
      writers: this.#writers,
      toWriter,
    })
    this.#migrations = openMigrations((tenant) => this.#workOnFile(tenant, 'migrate'), {
      onMigrated: settings.onMigrated,
      timeoutMs: settings.migrationTimeoutMs,
    })
    this.#compactions = openMigrations((tenant) => this.#compact(tenant))
    this.#operations = settings.product.operations
    this.#queueTimeoutMs = queueTimeoutMs
    this.#timer = setInterval(() => this.#rejectLate(), queueTimeoutMs / 20).unref()
  }

  run<Input, Output>(
    { id: tenant }: TenantLocation,
    operation: Operation<Input, Output>,
    input: Input,
  ): Promise<Output> {
    if (this.#isClosing) return Promise.reject(new Unavailable(closedMessage))
    if (this.#operations.get(operation.name) !== operation)
      return Promise.reject(new Error(`the product does not contain the operation ${operation.name}`))
    return new Promise((resolve, reject) => {
      const task: Task = { taskId: ++this.#lastTaskId, slot: noSlot, tenant, name: operation.name, input }
      const endMeasurement = measureOperation()
      this.#route({
        task,
        operation,
        queuedAt: performance.now(),
        endMeasurement,
        resolve: resolve as (output: unknown) => void,
        reject,
      })
    })
  }

  migrate({ id }: TenantLocation): Promise<void> {
    return this.#migrations.migrate(id)
  }

  compact({ id }: TenantLocation): Promise<void> {
    return this.#compactions.migrate(id)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#mainThreadReads.close()
    await this.#readers.close()
    await this.#writers.close() // last, since reads that no reader could run go to the writers
    clearInterval(this.#timer)
  }

  /** Writes go to the tenant's writer, and so do reads while the writer has not opened the tenant's file. Other reads
   *  run on the main thread or a reader thread. */
  #route(pending: PendingTask): void {
    const { task, operation } = pending
    const isWrite = operation?.writes
    if (this.#migrations.isUnderWay(task.tenant)) this.#routeAfter(this.#migrations, pending)
    else if (isWrite && this.#compactions.isUnderWay(task.tenant)) this.#routeAfter(this.#compactions, pending)
    else if (isWrite || !this.#writers.fileVersionOf(task.tenant)) this.#writers.add(pending)
    else if (!this.#mainThreadReads.tryRead(pending)) this.#readers.add(pending)
  }

  #receive(pending: PendingTask, reply: Reply): void {
    if ('needsMigration' in reply) this.#routeAfter(this.#migrations, pending)
    else if ('forReader' in reply) this.#readers.add(pending)
    else resolveTask(pending, reply)
  }

  #routeAfter(fileChanges: Migrations, pending: PendingTask): void {
    fileChanges.await(pending.task.tenant).then(() => this.#writers.add(pending), pending.reject)
  }

  async #compact(tenant: string): Promise<void> {
    await this.#workOnFile(tenant, 'compact')
    await this.#workOnFile(tenant, 'reopen', this.#writers)
  }

  /** This work may wait longer than an operation may. An infinite `queuedAt` therefore prevents it from being rejected
   *  as late. */
  async #workOnFile(tenant: string, name: FileWork, pool: ReaderPool | WriterPool = this.#readers): Promise<void> {
    const task: Task = { taskId: ++this.#lastTaskId, slot: noSlot, tenant, name, input: null }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    pool.add({ task, queuedAt: Infinity, resolve, reject })
    await promise
  }

  #rejectLate(): void {
    const queuedBefore = performance.now() - this.#queueTimeoutMs
    this.#readers.rejectLate(queuedBefore)
    this.#writers.rejectLate(queuedBefore)
  }
}

function threadStarter(
  path: string,
  settings: SqliteSettings,
  openFiles: number,
  youngGenerationMb: number,
): ThreadStarter {
  const { directory, product, onCrash = () => {} } = settings
  const script = new URL(`${path}${extname(import.meta.filename)}`, import.meta.url) // .ts, or .js in the npm package
  const { module, resources } = product // the rest cannot be sent to another thread
  const workerSettings = { directory, product: { module, resources }, openFiles }
  return (listeners) => new Thread({ script, settings: workerSettings, youngGenerationMb, onCrash, ...listeners })
}
