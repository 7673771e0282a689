// A cache of tenant files opened read-only, each in the version that its writer announced.

import { Unavailable } from '../../../database/database.ts'
import { type Connection, connect } from '../../../database/sqlite/connection.ts'
import { fileStamp } from '../../../database/sqlite/file-stamp.ts'
import { tenantFile } from '../tenant-files.ts'
import type { FileVersion } from '../threads/messages.ts'

export type ReadOnlyFileCache = {
  /** Returns the tenant's connection for one turn's reads. Throws Unavailable when the file is not in this version. */
  open(tenant: string, fileVersion: FileVersion): Connection
  has(tenant: string): boolean
  close(tenant: string): void
  /** Closes files that are unused, and files that were deleted so that their disk space is freed. `now`: from a
   *  monotonic clock. */
  closeUnused(now: number): void
  closeAll(): void
}

type OpenFile = { connection: Connection; inode: string; generation: string; usedAt: number }

/** A file that has been unused this long is closed. */
const closeAfterMs = 10_000

/** At most `limit` files are open at the same time. */
export function openReadOnlyFiles(directory: string, limit: number): ReadOnlyFileCache {
  const files = new Map<string, OpenFile>() // least recently used first

  function open(tenant: string, { stamp, generation }: FileVersion): Connection {
    const path = tenantFile(directory, tenant)
    if (fileStamp(path)?.stamp !== stamp)
      throw new Unavailable('the file is not in the version that its writer announced')
    const known = files.get(tenant)
    if (known?.generation === generation) return touch(tenant, known)
    close(tenant)
    if (files.size >= limit) close(files.keys().next().value!)
    const connection = connect(path, 0, 'read')
    const found = fileStamp(path)
    if (found?.stamp !== stamp) {
      connection.close()
      throw new Unavailable('the file was changed while it was opened')
    }
    return touch(tenant, { connection, inode: found.inode, generation, usedAt: 0 })
  }

  function touch(tenant: string, file: OpenFile): Connection {
    files.delete(tenant)
    files.set(tenant, file)
    file.usedAt = performance.now()
    return file.connection
  }

  function close(tenant: string): void {
    const file = files.get(tenant)
    files.delete(tenant)
    try {
      file?.connection.close()
    } catch {
      // nothing to clean up if close fails
    }
  }

  function closeUnused(now: number): void {
    for (const [tenant, file] of files) {
      const isInPlace = fileStamp(tenantFile(directory, tenant))?.inode === file.inode
      if (!isInPlace || now - file.usedAt >= closeAfterMs) close(tenant)
    }
  }

  const closeAll = () => [...files.keys()].forEach(close)
  return { open, has: (tenant) => files.has(tenant), close, closeUnused, closeAll }
}
