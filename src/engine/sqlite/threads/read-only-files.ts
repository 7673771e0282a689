// Tenant files opened read-only, each in the version that its writer announced, and the reads that the main thread runs on
// them. Finding one record in an open file takes a few microseconds, which is less than a round trip to another thread.
// The tenants that read most are therefore served on the main thread: without this, the read rate would be halved, and a
// read would take 1.2 times the processor time (docs/decisions/0015). Anything that could block the main thread goes to
// the reader threads: scans, more than a few files, slow disks.

import { mayBeCorrupt, Unavailable } from '../../database/database.ts'
import { type Connection, connect } from '../../database/sqlite/connection.ts'
import { fileStamp } from '../../database/sqlite/files.ts'
import { maxMainThreadFiles } from '../../descriptors.ts'
import type { Product } from '../../product.ts'
import { tenantFile } from '../tenant-files.ts'
import type { FileVersion, Reply } from './messages.ts'
import type { WriterPool } from './pools.ts'
import { runTask } from './run-task.ts'
import { type PendingTask, resolveTask } from './thread.ts'

type OpenFile = { connection: Connection; inode: string; generation: string; usedAt: number }

/** A file that has been unused for this long is closed, which releases 113 kB of memory. Opening it takes a
 *  millisecond. */
const closeReadOnlyFileAfterMs = 10_000

export class ReadOnlyFiles {
  readonly #directory: string
  readonly #limit: number
  readonly #files = new Map<string, OpenFile>() // least recently used first

  /** At most `limit` files are open at the same time. */
  constructor(directory: string, limit: number) {
    this.#directory = directory
    this.#limit = limit
  }

  /** Returns the tenant's connection for one turn's reads. Throws Unavailable when the file is not in this version, or
   *  its writer does not have it open. */
  open(tenant: string, version: FileVersion | undefined): Connection {
    if (!version) throw new Unavailable('the writer does not have the file open')
    const { stamp, generation } = version
    const path = tenantFile(this.#directory, tenant)
    if (fileStamp(path)?.stamp !== stamp)
      throw new Unavailable('the file does not have the version that its writer announced')
    const file = this.#files.get(tenant)
    if (file?.generation === generation) return this.#touch(tenant, file)
    this.close(tenant)
    if (this.#files.size >= this.#limit) this.close(this.#files.keys().next().value!)
    const connection = connect(path, 0, 'read')
    const current = fileStamp(path)
    if (current?.stamp !== stamp) {
      connection.close()
      throw new Unavailable('the file was changed while it was opened')
    }
    return this.#touch(tenant, { connection, inode: current.inode, generation, usedAt: 0 })
  }

  has(tenant: string): boolean {
    return this.#files.has(tenant)
  }

  close(tenant: string): void {
    const file = this.#files.get(tenant)
    this.#files.delete(tenant)
    try {
      file?.connection.close()
    } catch {
      // nothing to clean up if close fails
    }
  }

  /** Closes unused files, and deleted or replaced ones, which frees their disk space. `now`: from a monotonic clock. */
  closeUnused(now: number): void {
    for (const [tenant, file] of this.#files) {
      const isInPlace = fileStamp(tenantFile(this.#directory, tenant))?.inode === file.inode
      if (!isInPlace || now - file.usedAt >= closeReadOnlyFileAfterMs) this.close(tenant)
    }
  }

  closeAll(): void {
    for (const tenant of [...this.#files.keys()]) this.close(tenant)
  }

  #touch(tenant: string, file: OpenFile): Connection {
    this.#files.delete(tenant)
    this.#files.set(tenant, file)
    file.usedAt = performance.now()
    return file.connection
  }
}

export type MainThreadReadsOptions = {
  directory: string
  product: Product
  /** Maximum number of files open on the main thread, capped at maxMainThreadFiles. */
  openFiles: number
  writers: Pick<WriterPool, 'fileVersionOf'>
  /** Passes a read that has failed on the main thread to the tenant's writer. */
  toWriter(read: PendingTask, mayBeCorrupt: boolean): void
}

/** A tenant's reads in the current period. */
type Activity = { reads: number; milliseconds: number }

/** Reads are counted per period of this length. */
const periodMs = 200
/** A tenant's file is opened here after this many reads in a single period. */
const openAfterReads = 8
/** Opening a file takes about a millisecond, so at most one is opened per interval. */
const openIntervalMs = 100
/** If a tenant's reads exceed both limits, reader threads serve the tenant for the rest of the period, because the
 *  tenant's pages apparently come from a slow disk. */
const slowLimits = { totalMs: 20, averageMs: 0.25 }

export class MainThreadReads {
  readonly #options: MainThreadReadsOptions
  readonly #files: ReadOnlyFiles
  readonly #activity = new Map<string, Activity>() // by tenant
  readonly #batches = new Map<string, PendingTask[]>() // by tenant
  readonly #timer: NodeJS.Timeout
  #openedAt = -openIntervalMs

  constructor(options: MainThreadReadsOptions) {
    this.#options = options
    this.#files = new ReadOnlyFiles(options.directory, Math.min(maxMainThreadFiles, options.openFiles))
    this.#timer = setInterval(() => this.#endPeriod(), periodMs).unref()
  }

  /** Starts the read on the main thread, or returns false. */
  tryRead(read: PendingTask): boolean {
    const { tenant } = read.task
    if (!this.#options.writers.fileVersionOf(tenant) || read.operation?.isScan) return false
    const activity = this.#activity.get(tenant) ?? { reads: 0, milliseconds: 0 }
    if (activity.reads++ === 0) this.#activity.set(tenant, activity)
    const batch = this.#batches.get(tenant)
    if (batch) {
      batch.push(read)
      return true
    }
    const isSlow =
      activity.milliseconds > slowLimits.totalMs && activity.milliseconds > slowLimits.averageMs * activity.reads
    if (isSlow) this.#files.close(tenant)
    if (isSlow || !(this.#files.has(tenant) || this.#mayOpen(activity))) return false
    this.#batches.set(tenant, [read])
    queueMicrotask(() => this.#answerBatch(tenant, activity))
    return true
  }

  close(): void {
    clearInterval(this.#timer)
    this.#files.closeAll()
  }

  #mayOpen({ reads }: Activity): boolean {
    const now = performance.now()
    if (reads < openAfterReads || now - this.#openedAt < openIntervalMs) return false
    this.#openedAt = now
    return true
  }

  /** Answers the tenant's reads that have arrived in this tick of the event loop. They resume together, because they
   *  have waited for the same query of the catalog's version. Resolves no read before the last one has run: the time
   *  would include the responses. */
  async #answerBatch(tenant: string, activity: Activity): Promise<void> {
    const reads = this.#batches.get(tenant)!
    this.#batches.delete(tenant)
    const startedAt = performance.now() // includes opening the file, where a slow disk shows first
    const replies: Reply[] = []
    try {
      const connection = this.#files.open(tenant, this.#options.writers.fileVersionOf(tenant))
      for (const { task } of reads) replies.push(await runTask(connection, this.#options.product, task))
      activity.milliseconds += performance.now() - startedAt
    } catch (error) {
      this.#files.close(tenant)
      for (const read of reads.slice(replies.length)) this.#options.toWriter(read, mayBeCorrupt(error))
    }
    for (const [index, reply] of replies.entries()) resolveTask(reads[index]!, reply)
  }

  #endPeriod(): void {
    this.#activity.clear()
    this.#files.closeUnused(performance.now())
  }
}
