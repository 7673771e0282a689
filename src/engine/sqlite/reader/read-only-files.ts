// A cache of tenant files opened read-only, each in the version that its writer announced.

import { Unavailable } from '../../database/database.ts'
import { type Connection, connect } from '../../database/sqlite/connection.ts'
import { fileStamp } from '../../database/sqlite/files.ts'
import { tenantFile } from '../tenant-files.ts'
import type { FileVersion } from '../threads/messages.ts'

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
