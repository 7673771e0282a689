// Maintenance of open files in small steps: indexes changes for search, merges the index, checkpoints and closes unused
// files. FTS5's automatic merges are off, because they would make a step in a table of a million records take up to 83
// ms instead of 25 ms (docs/decisions/0010). SQLite itself checkpoints the WAL of a busy file.

import { mayBeCorrupt } from '../../database/database.ts'
import { checkpoint, fileStamp } from '../../database/sqlite/files.ts'
import { largeStep, type Product, type StepSize, smallStep } from '../../product.ts'
import type { FileCache } from './file-cache.ts'
import { isIndexed, isMaintained, type OpenFile, type PendingMaintenance } from './open-file.ts'

/** The number of steps after a commit: usually one, so that the next requests wait only briefly. More steps run, and they
 *  are large, if at least this many changes are not indexed, because every search must scan those changes. This happens
 *  with long texts and during imports. */
const steps = { usual: 1, behind: 2 }
const behindThreshold = 1000

/** An unused file is indexed and checkpointed after this time, so that the file alone contains the whole tenant. The
 *  time is longer while the thread is busy. Otherwise, almost every change to a file in frequent use would be written
 *  twice, and a server with 1,000 tenants would do 28 to 30% fewer creates (docs/decisions/0015). */
const maintainFileAfterMs = { idle: 200, busy: 2000 }

/** A file that has been unused for this long is closed, which releases 0.4 MB of memory. */
const closeFileAfterMs = 60_000

/** If at least this many operations are pending, throughput matters more than the duration of a step. */
const manyPending = 24

export function stepSizeFor(pendingOperations: number, { pending }: OpenFile): StepSize {
  return pendingOperations < manyPending && pending.unindexed < behindThreshold ? smallStep : largeStep
}

/** Records that a commit has made this many changes. */
export function countCommit({ pending }: OpenFile, changes: number): void {
  pending.unindexed += changes
  pending.stepsLeft = pending.unindexed < behindThreshold ? steps.usual : steps.behind
  pending.hasWal = true
}

/** Runs the next step due on a file, and returns whether one was due. `use`: 'busy' between the tenant's own
 *  operations, 'idle' if the tenant has not used the file for a while. Throws Unavailable. */
export async function runStep(
  file: OpenFile,
  product: Product,
  use: 'busy' | 'idle',
  size = largeStep,
): Promise<boolean> {
  const { pending, connection } = file
  const due = use === 'busy' ? dueWhenBusy(pending, size) : dueWhenIdle(file)
  if (due === undefined) return false
  pending.stepsLeft--
  if (due === 'index') await indexBatch(file, product, size)
  else {
    pending.hasWal = !checkpoint(connection, 'truncate').isComplete // incomplete while another process reads the WAL
    connection.releasePageCache()
  }
  return true
}

function dueWhenBusy({ unindexed, isUnmerged, stepsLeft }: PendingMaintenance, { records }: StepSize) {
  return stepsLeft > 0 && (isUnmerged || unindexed >= records) ? 'index' : undefined
}

function dueWhenIdle(file: OpenFile) {
  if (!isIndexed(file)) return 'index'
  return file.pending.hasWal ? 'truncate' : undefined
}

/** Indexes a batch of changes, or merges segments if the last batch has left some unmerged. Without merging, segments
 *  would accumulate until FTS5 merged all of them in one step. */
async function indexBatch({ pending, connection }: OpenFile, { searchIndex }: Product, size: StepSize): Promise<void> {
  pending.hasWal = true // even if indexing fails
  if (pending.isUnmerged) {
    pending.isUnmerged = await connection.transaction(() => searchIndex.merge(connection, size))
    return
  }
  if ((await searchIndex.countPending(connection)) > 0)
    pending.isUnmerged = await connection.transaction(() => searchIndex.indexPending(connection, size))
  pending.unindexed = await searchIndex.countPending(connection)
}

/** Closes a file that has been unused for `closeFileAfterMs`, or runs one step on an unused file. Returns whether there
 *  was anything to do. `load`: whether the thread has other work. */
export type IdleMaintenance = (now: number, load: keyof typeof maintainFileAfterMs) => Promise<boolean>

export function createIdleMaintenance(cache: FileCache, product: Product): IdleMaintenance {
  let round: OpenFile[] = [] // files take turns: each runs one step per round

  return async (now, load) => {
    if (closeOverdue(cache, now)) return true
    const isDue = (file: OpenFile) =>
      !file.isInTransaction &&
      !isMaintained(file) &&
      Math.max(file.usedAt, file.maintainedAt) <= now - maintainFileAfterMs[load]
    const due = new Set(cache.files().filter(isDue))
    round = round.filter((file) => due.has(file))
    if (round.length === 0) round = [...due]
    const next = round.shift()
    if (!next) return false
    await maintain(cache, product, next, now)
    return true
  }
}

async function maintain(cache: FileCache, product: Product, file: OpenFile, now: number): Promise<void> {
  if (isIndexed(file)) file.maintainedAt = now // the last step; repeated later if another process still reads the WAL
  try {
    if (fileStamp(file.path)?.stamp !== file.stamp) return cache.release(file.tenant, 'changedByOthers')
    await runStep(file, product, 'idle')
    cache.recordChange(file)
  } catch (error) {
    if (mayBeCorrupt(error)) return cache.release(file.tenant, 'suspect')
    file.maintainedAt = now // another process holds a lock or reads the WAL, or the disk is full: retried later
  }
}

/** Closes the least recently used file if it has been unused for `closeFileAfterMs`, and returns whether it did. If the
 *  file has been deleted, this frees its disk space. */
function closeOverdue(cache: FileCache, now: number): boolean {
  const [oldest] = cache.files()
  if (!oldest || oldest.isInTransaction || now - oldest.usedAt < closeFileAfterMs) return false
  cache.close(oldest)
  return true
}
