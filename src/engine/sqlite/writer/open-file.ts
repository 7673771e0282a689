// An open tenant file, and how a writer opens one: checks its owner, its integrity if in doubt, and its schema version.

import { threadId } from 'node:worker_threads'
import { errorMessageOf } from '../../../lib/errors.ts'
import { Damaged, Unavailable } from '../../database/database.ts'
import { type Connection, connect } from '../../database/sqlite/connection.ts'
import { fileStampOf, type WalStamp, walStamp } from '../../database/sqlite/files.ts'
import type { Product } from '../../product.ts'
import { findDamage, isBehind, requireInitialized, requireOwnedBy } from '../whole-file.ts'

export type OpenFile = {
  tenant: string
  path: string
  connection: Connection
  /** Unique each time the file is opened. */
  generation: string
  /** `inode` identifies the file; `stamp` and `wal` describe the file and its WAL after this writer's last access. */
  inode: string
  stamp: string
  wal: WalStamp
  usedAt: number
  /** When the file's idle maintenance last ended or failed. */
  maintainedAt: number
  /** Whether a long operation has a transaction open, during which the file is neither maintained nor closed. */
  isInTransaction: boolean
  pending: PendingMaintenance
}

export type PendingMaintenance = {
  /** The number of changes that are not in the search index; an estimate between two batches. */
  unindexed: number
  /** Whether index segments remain to be merged. */
  isUnmerged: boolean
  /** Whether the WAL may contain changes that are not in the file. */
  hasWal: boolean
  /** How many steps may still run between operations before the next commit. */
  stepsLeft: number
}

/** The file needs a migration. A reader thread runs the migration, because it takes seconds for a large file and the
 *  writer's other tenants would have to wait. */
export class MigrationRequired extends Unavailable {}

/** How long a turn waits for another process's lock. During this time, the writer's other tenants wait too. */
const lockTimeoutMs = 50

let generations = 0

/** Opens and verifies a tenant's file. `isSuspect`: first checks every page for damage. Throws Unavailable. */
export async function openFile(path: string, tenant: string, product: Product, isSuspect: boolean): Promise<OpenFile> {
  const connection = connect(path, lockTimeoutMs)
  try {
    requireInitialized(connection)
    const damage = isSuspect ? findDamage(connection) : null
    if (damage) throw new Damaged(damage)
    requireOwnedBy(connection, tenant)
    if (isBehind(connection, product.schema))
      throw new MigrationRequired('the file is not at the current schema version yet')
    // The file may contain changes that were not indexed before it was last closed, either by an earlier process or by
    // this one. With many tenants, a file may be opened and closed for each change.
    const unindexed = await product.searchIndex.countPending(connection)
    const { inode, walInode } = connection
    return {
      ...{ tenant, path, connection, inode, generation: `${threadId}-${++generations}` },
      stamp: fileStampOf(path, inode),
      wal: { inode: walInode, size: walStamp(path).size },
      ...{ usedAt: 0, maintainedAt: 0, isInTransaction: false },
      pending: { unindexed, isUnmerged: false, hasWal: true, stepsLeft: 0 },
    }
  } catch (error) {
    connection.close()
    throw error instanceof Unavailable ? error : new Unavailable(errorMessageOf(error))
  }
}

export function isIndexed({ pending }: OpenFile): boolean {
  return pending.unindexed === 0 && !pending.isUnmerged
}

/** Whether all changes are indexed and checkpointed, so that closing the file takes almost no time. */
export function isMaintained(file: OpenFile): boolean {
  return !file.isInTransaction && !file.pending.hasWal && isIndexed(file)
}
