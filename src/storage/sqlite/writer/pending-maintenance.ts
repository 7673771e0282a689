// What a busy file owes: changes that its search index does not have yet, and a log that is still to be moved into it.

import { Unavailable } from '../../../database/database.ts'
import type { Connection } from '../../../database/sqlite/connection.ts'
import type { Resource, Resources } from '../../../resources/resource.ts'
import { grownOf } from '../../../resources/schema/deferred-indexes.ts'
import { countUnindexed, indexPending, mergeIndex } from '../../../resources/search/index.ts'

export type PendingMaintenance = {
  /** Changes that the search index does not have; an estimate between two lots. */
  unindexed: number
  /** Whether parts of the index are left to be merged. */
  isUnmerged: boolean
  /** Pages that the log holds, and those written since it was last moved into the file, or that was tried. */
  pages: number
  unmoved: number
  /** Steps that may be taken until the next commit. */
  steps: number
}

/** So many changes are brought into the search index at once: each query looks through those that are not yet in it. */
const indexAfter = 500
/** A log that has grown by so many pages is moved into the file, to be written over from its beginning. */
const moveAfter = 1000
/** Steps after a commit: enough to keep up with long texts, and the tenant's own requests do not wait for more. */
const stepsAtMost = 4

/** That of a file which was just opened: whoever had it before may have left something to be indexed, and a tenant among many
 *  may have its file opened for each of its changes. */
export async function newBacklog(connection: Connection, resources: Resources): Promise<PendingMaintenance> {
  const unindexed = await countAll(connection, await grownOf(connection, resources))
  return { unindexed, isUnmerged: false, pages: 0, unmoved: 0, steps: 0 }
}

/** Counts what a commit has added. */
export function addTo(backlog: PendingMaintenance, connection: Connection, changes: number): void {
  backlog.unindexed += changes
  backlog.steps = stepsAtMost
  try {
    const pages = connection.get('pragma wal_checkpoint(noop)')!.log as number
    backlog.unmoved += pages < backlog.pages ? pages : pages - backlog.pages // it begins anew when all of it was moved
    backlog.pages = pages
  } catch {
    // the changes are committed all the same, and if nobody else moves the log, a commit does
  }
}

/** One step of what has become too much. Whether there was one. What is left to be merged between two lots has a step after
 *  each commit. */
export async function runStep(
  backlog: PendingMaintenance,
  connection: Connection,
  resources: Resources,
): Promise<boolean> {
  const { unindexed, isUnmerged, unmoved: uncheckpointedPages, steps } = backlog
  const isLogDue = uncheckpointedPages >= moveAfter
  const isIndexDue = unindexed >= indexAfter || (isUnmerged && steps === stepsAtMost)
  if (steps === 0 || !(isLogDue || isIndexDue)) return false
  backlog.steps--
  if (isLogDue) moveSome(backlog, connection)
  else await indexSome(backlog, connection, resources)
  return true
}

/** Whether the search index has everything. */
export function isIndexed({ unindexed, isUnmerged }: PendingMaintenance): boolean {
  return unindexed === 0 && !isUnmerged
}

/** Brings some changes of every resource into the search index, once what the last lot has left to be merged is merged: a
 *  lot more each time would make so many parts that FTS5 merged all of them at one go. */
export async function indexSome(
  backlog: PendingMaintenance,
  connection: Connection,
  resources: Resources,
): Promise<void> {
  const grown = await grownOf(connection, resources)
  if (backlog.isUnmerged) {
    backlog.isUnmerged = await connection.transaction(() => some(grown, (each) => mergeIndex(connection, each)))
    return
  }
  const behind: Resource[] = []
  for (const each of grown) if ((await countUnindexed(connection, each)) > 0) behind.push(each)
  if (behind.length > 0) {
    const index = async () => {
      for (const each of behind) if (await indexPending(connection, each)) backlog.isUnmerged = true
    }
    await connection.transaction(index)
  }
  backlog.unindexed = await countAll(connection, behind)
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

/** What somebody reads at the moment stays in the log for the next time. */
function moveSome(backlog: PendingMaintenance, connection: Connection): void {
  backlog.unmoved = 0
  try {
    connection.get('pragma wal_checkpoint(passive)')
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error // what was answered is in the log
  }
}
