// An LRU cache of the tenant files that a writer has open. The cache detects changes made by other processes.

import { Unavailable } from '../../database/database.ts'
import { Locked } from '../../database/sqlite/errors.ts'
import { checkpoint, fileStamp, fileStampOf, isWalIntact, rescueWal, walStamp } from '../../database/sqlite/files.ts'
import type { Product } from '../../product.ts'
import { tenantFile } from '../tenant-files.ts'
import type { FileVersion } from '../threads/messages.ts'
import { isMaintained, MigrationRequired, type OpenFile, openFile } from './open-file.ts'

/** Why a writer stops using a file. After 'suspect' and 'changedByOthers' (another process has changed, moved or
 *  replaced the file) every page is checked for damage before the next use. */
export type ReleaseReason = 'reopen' | 'suspect' | 'changedByOthers'

/** Minimum time between two attempts to open a file that failed to open and has not changed since. Each attempt takes
 *  milliseconds, and the writer's other tenants wait for it. */
const retryAfterMs = 1000

export type FileCacheOptions = {
  directory: string
  product: Product
  limit: number
  /** Called for every tenant whose file version may have changed. */
  onVersionChange: (tenant: string) => void
}

export class FileCache {
  readonly #options: FileCacheOptions
  readonly #files = new Map<string, OpenFile>() // least recently used first
  readonly #suspects = new Set<string>()
  readonly #failures = new Map<string, { stamp: string; failedAt: number; error: Unavailable }>()
  #evicted = 0

  constructor(options: FileCacheOptions) {
    this.#options = options
  }

  /** Returns the open files, least recently used first. */
  files(): OpenFile[] {
    return [...this.#files.values()]
  }

  /** Returns the tenant's file for one turn, and opens it if necessary. Throws Unavailable if the file is missing,
   *  damaged, or owned by another tenant. `now`: from a monotonic clock. */
  async acquire(tenant: string, now: number): Promise<OpenFile> {
    const path = tenantFile(this.#options.directory, tenant)
    const current = fileStamp(path)
    const file = this.#files.get(tenant)
    if (file && file.stamp === current?.stamp && isWalIntact(path, file.wal)) return this.#touch(file, now)
    if (file) this.release(tenant, 'changedByOthers')
    if (!current) throw new Unavailable(`no file at ${path}`)
    const failure = this.#failures.get(tenant)
    if (failure?.stamp === current.stamp && now - failure.failedAt < retryAfterMs) throw failure.error
    return this.#open(tenant, path, current.stamp, now)
  }

  /** Records the file's state after this writer's change, so that only changes by other processes are detected. */
  recordChange(file: OpenFile): void {
    file.stamp = fileStampOf(file.path, file.inode) // empty if the file was replaced; the next use detects it
    file.wal.size = walStamp(file.path).size
    this.#options.onVersionChange(file.tenant)
  }

  /** Closes a tenant's file. If another process has changed the file and closing it would lose its WAL, keeps the
   *  file open and throws Unavailable. */
  release(tenant: string, reason: ReleaseReason): void {
    const file = this.#files.get(tenant)
    if (reason === 'changedByOthers' && file) rescueWal(file)
    if (reason !== 'reopen') this.#suspects.add(tenant)
    if (file) this.#drop(file)
  }

  /** Closes a file, and checkpoints it first if no other process has changed it: closing the connection does not
   *  checkpoint while a reader has the file open. */
  close(file: OpenFile): void {
    ignoreErrors(() => {
      const isUnchanged = fileStamp(file.path)?.stamp === file.stamp
      if (file.pending.hasWal && isUnchanged) checkpoint(file.connection, 'truncate')
    })
    this.#drop(file)
  }

  /** Returns the version that readers may open, or null while the tenant's file is closed. */
  fileVersion(tenant: string): FileVersion | null {
    const file = this.#files.get(tenant)
    return file ? { stamp: file.stamp, generation: file.generation } : null
  }

  /** Returns how many files are open now, and how many were evicted since the last call. */
  count(): { open: number; evicted: number } {
    const evicted = this.#evicted
    this.#evicted = 0
    return { open: this.#files.size, evicted }
  }

  async #open(tenant: string, path: string, stamp: string, now: number): Promise<OpenFile> {
    if (this.#files.size >= this.#options.limit) this.#evictOne()
    try {
      const file = await openFile(path, tenant, this.#options.product, this.#suspects.has(tenant))
      this.#suspects.delete(tenant)
      this.#failures.delete(tenant)
      this.#options.onVersionChange(tenant)
      return this.#touch(file, now)
    } catch (error) {
      if (error instanceof MigrationRequired || error instanceof Locked) throw error
      this.#suspects.add(tenant)
      this.#failures.set(tenant, { stamp, failedAt: now, error: error as Unavailable })
      throw error
    }
  }

  /** Closes the least recently used file that does not need maintenance, since a request is waiting. If all files need
   *  maintenance, closes the least recently used file that has no open transaction, if there is such a file. */
  #evictOne(): void {
    const files = this.files()
    const file = files.find(isMaintained) ?? files.find(({ isInTransaction }) => !isInTransaction)
    if (!file) return
    this.close(file)
    this.#evicted++
  }

  #touch(file: OpenFile, now: number): OpenFile {
    this.#files.delete(file.tenant)
    this.#files.set(file.tenant, file)
    file.usedAt = now
    return file
  }

  #drop(file: OpenFile): void {
    this.#files.delete(file.tenant)
    this.#options.onVersionChange(file.tenant)
    ignoreErrors(() => rescueWal(file))
    ignoreErrors(() => file.connection.close())
  }
}

/** Ignores errors while a file is being closed: its WAL contains every acknowledged change, so nothing can be lost. */
function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // checked the next time the file is opened
  }
}
