// Pending maintenance of a busy file: changes that are not in the search index yet, and WAL pages not yet
// checkpointed.

import { Unavailable } from '../../../database/database.ts'
import type { Connection } from '../../../database/sqlite/connection.ts'
import type { Resource, Resources } from '../../../resources/resource.ts'
import { grownOf } from '../../../resources/schema/deferred-indexes.ts'
import { countUnindexed, indexPending, mergeIndex } from '../../../resources/search/index.ts'

export type PendingMaintenance = {
  /** Changes that are not in the search index; an estimate between two batches. */
  unindexed: number
  /** Whether index segments remain to be merged. */
  isUnmerged: boolean
  /** Pages in the WAL, and pages written to it since the last checkpoint or attempt at one. */
  walPages: number
  uncheckpointedPages: number
  /** Steps left until the next commit. */
  stepsLeft: number
}

/** Changes are indexed in batches of this size: every search scans the ones that are not indexed yet. */
const indexBatchSize = 500
/** The WAL is checkpointed when it has grown by this many pages; SQLite then reuses it from the start. */
const checkpointAfterPages = 1000
/** Maximum number of steps after a commit: enough to keep up with long texts, without making the tenant's own
 *  requests wait for more. */
const maxSteps = 4

/** For a file that was just opened. Counts unindexed changes: the previous process may have left some, and among many
 *  tenants a file may be opened anew for each change. */
export async function findPendingMaintenance(
  connection: Connection,
  resources: Resources,
): Promise<PendingMaintenance> {
  const unindexed = await countAll(connection, await grownOf(connection, resources))
  return { unindexed, isUnmerged: false, walPages: 0, uncheckpointedPages: 0, stepsLeft: 0 }
}

/** Adds the changes of a commit. */
export function countCommit(pending: PendingMaintenance, connection: Connection, changes: number): void {
  pending.unindexed += changes
  pending.stepsLeft = maxSteps
  try {
    const pages = connection.get('pragma wal_checkpoint(noop)')!.log as number
    pending.uncheckpointedPages += pages < pending.walPages ? pages : pages - pending.walPages // after a full checkpoint the WAL starts over
    pending.walPages = pages
  } catch {
    // the changes are committed; if no step checkpoints the WAL, a later commit does
  }
}

/** Runs one step if enough has accumulated, and returns whether it did. After each commit, one step may merge what
 *  the last batch left unmerged. */
export async function runStep(
  pending: PendingMaintenance,
  connection: Connection,
  resources: Resources,
): Promise<boolean> {
  const { unindexed, isUnmerged, uncheckpointedPages, stepsLeft } = pending
  const isCheckpointDue = uncheckpointedPages >= checkpointAfterPages
  const isIndexDue = unindexed >= indexBatchSize || (isUnmerged && stepsLeft === maxSteps)
  if (stepsLeft === 0 || !(isCheckpointDue || isIndexDue)) return false
  pending.stepsLeft--
  if (isCheckpointDue) checkpointPassively(pending, connection)
  else await indexBatch(pending, connection, resources)
  return true
}

export function isIndexed({ unindexed, isUnmerged }: PendingMaintenance): boolean {
  return unindexed === 0 && !isUnmerged
}

/** Indexes a batch of changes of every resource, after merging what the last batch left unmerged. Without that merge,
 *  segments would pile up until FTS5 merged all of them at once. */
export async function indexBatch(
  pending: PendingMaintenance,
  connection: Connection,
  resources: Resources,
): Promise<void> {
  const grown = await grownOf(connection, resources)
  if (pending.isUnmerged) {
    pending.isUnmerged = await connection.transaction(() => some(grown, (each) => mergeIndex(connection, each)))
    return
  }
  const unindexedResources: Resource[] = []
  for (const each of grown) if ((await countUnindexed(connection, each)) > 0) unindexedResources.push(each)
  if (unindexedResources.length > 0) {
    const index = async () => {
      for (const each of unindexedResources) if (await indexPending(connection, each)) pending.isUnmerged = true
    }
    await connection.transaction(index)
  }
  pending.unindexed = await countAll(connection, unindexedResources)
}

async function countAll(connection: Connection, resources: Resources): Promise<number> {
  let count = 0
  for (const each of resources) count += await countUnindexed(connection, each)
  return count
}

async function some<Item>(items: readonly Item[], work: (item: Item) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await work(item)) return true
  return false
}

/** Pages that a reader still uses stay in the WAL for the next checkpoint. */
function checkpointPassively(pending: PendingMaintenance, connection: Connection): void {
  pending.uncheckpointedPages = 0
  try {
    connection.get('pragma wal_checkpoint(passive)')
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error // every acknowledged change is in the WAL
  }
}
