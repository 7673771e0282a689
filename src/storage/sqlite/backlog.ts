// What a busy file owes: changes that its search index does not have yet, and a log that is still to be moved into it.

import { Unavailable } from '../../database.ts'
import type { Resource, Resources } from '../../resources/resource.ts'
import { indexLately, isIndexBehind } from '../../resources/search-index.ts'
import type { Connection } from './connection.ts'

export type Backlog = {
  /** Changes since the search index was brought up to them; an estimate, never too low. */
  unindexed: number
  /** Pages that the log holds, and those written since it was last moved into the file, or that was tried. */
  pages: number
  unmoved: number
}

/** So many changes are brought into the search index at once: each query looks through those that are not yet in it. */
const indexAfter = 500
/** A log that has grown by so many pages is moved into the file, to be written over from its beginning. */
const moveAfter = 1000

/** That of a file which was just opened: whoever had it before may have left something to be indexed. */
export const unknownBacklog: Readonly<Backlog> = { unindexed: 1, pages: 0, unmoved: 0 }

/** Counts what a commit has added. */
export function addTo(backlog: Backlog, connection: Connection, changes: number): void {
  backlog.unindexed += changes
  try {
    const pages = connection.get('pragma wal_checkpoint(noop)')!.log as number
    backlog.unmoved += pages < backlog.pages ? pages : pages - backlog.pages // it begins anew when all of it was moved
    backlog.pages = pages
  } catch {
    // the changes are committed all the same, and if nobody else moves the log, a commit does
  }
}

/** One step of what has become too much. Whether there was one. */
export async function workOff(backlog: Backlog, connection: Connection, resources: Resources): Promise<boolean> {
  if (backlog.unindexed >= indexAfter) await indexSome(backlog, connection, resources)
  else if (backlog.unmoved >= moveAfter) moveSome(backlog, connection)
  else return false
  return true
}

/** Brings some changes of every resource into the search index. */
export async function indexSome(backlog: Backlog, connection: Connection, resources: Resources): Promise<void> {
  const behind: Resource[] = []
  for (const resource of resources) if (await isIndexBehind(connection, resource)) behind.push(resource)
  const index = async () => {
    let hasMore = false
    for (const resource of behind) hasMore = (await indexLately(connection, resource)) || hasMore
    return hasMore
  }
  const hasMore = behind.length > 0 && (await connection.transaction(index))
  backlog.unindexed = hasMore ? 1 : 0
}

/** What somebody reads at the moment stays in the log for the next time. */
function moveSome(backlog: Backlog, connection: Connection): void {
  backlog.unmoved = 0
  try {
    connection.get('pragma wal_checkpoint(passive)')
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error // what was answered is in the log
  }
}
