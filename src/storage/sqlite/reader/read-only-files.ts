// Files as their writer has left them, opened for reading.

import { Unavailable } from '../../../database/database.ts'
import { type Connection, connect } from '../../../database/sqlite/connection.ts'
import { fileStamp } from '../../../database/sqlite/file-stamp.ts'
import { tenantFile } from '../tenant-files.ts'

/** What a writer says of a file: what it can be told by, and which opening of it the writer is at. */
export type FileVersion = { identity: string; opening: string }

export type ReadOnlyFileCache = {
  /** The tenant's file, for one turn's reads. Throws Unavailable when it is not as its writer has left it. */
  open(tenant: string, voucher: FileVersion): Connection
  has(tenant: string): boolean
  close(tenant: string): void
  /** Closes what is not used, and what is gone: its space is given back. `now`: milliseconds of no time of day. */
  rest(now: number): void
  closeAll(): void
}

type OpenFile = { connection: Connection; inode: string; opening: string; usedAt: number }

/** A file unused for so long is closed. Milliseconds. */
const closeAfter = 10_000

/** At most `limit` files are open together. */
export function vouchedFiles(directory: string, limit: number): ReadOnlyFileCache {
  const files = new Map<string, OpenFile>() // least recently used first

  function open(tenant: string, { identity, opening }: FileVersion): Connection {
    const path = tenantFile(directory, tenant)
    if (fileStamp(path)?.identity !== identity) throw new Unavailable('the file is not the one vouched for')
    const known = files.get(tenant)
    if (known?.opening === opening) return touch(tenant, known)
    close(tenant)
    if (files.size >= limit) close(files.keys().next().value!)
    const connection = connect(path, 0, 'read')
    const found = fileStamp(path)
    if (found?.identity !== identity) {
      connection.close()
      throw new Unavailable('the file was changed while it was opened')
    }
    return touch(tenant, { connection, inode: found.inode, opening, usedAt: 0 })
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
      // a close that fails has nothing left to give back
    }
  }

  function rest(now: number): void {
    for (const [tenant, file] of files) {
      const isThere = fileStamp(tenantFile(directory, tenant))?.inode === file.inode
      if (!isThere || now - file.usedAt >= closeAfter) close(tenant)
    }
  }

  const closeAll = () => [...files.keys()].forEach(close)
  return { open, has: (tenant) => files.has(tenant), close, rest, closeAll }
}
