// Reads an export page by page. Every page shows the state at which the export began, although nothing is held in between: the
// position names the last change that counts, and what has changed since is reconstructed (docs/decisions/0032).

import { type Database, Unavailable } from '../../database/database.ts'
import { positionAfter } from '../history/as-of.ts'
import { listAsOf } from '../history/as-of-lists.ts'
import { listRecords } from '../lists/page.ts'
import type { ListQuery, Page } from '../lists/query.ts'
import type { Resource, Resources } from '../resource.ts'

/** Like listRecords, for a list whose pages all show the same state. All reads must see the same snapshot. Throws TooSlow. */
export async function readExportPage(
  database: Database,
  resource: Resource,
  resources: Resources,
  query: ListQuery,
): Promise<Page> {
  if (query.asOf) return listAsOf(database, resource, resources, query)
  const { since: latest } = await positionAfter(database, 0)
  const seq = query.after?.seq ?? latest
  if (seq > latest) throw new Unavailable('the history was replaced by an older one during an export')
  if (seq < latest) return listAsOf(database, resource, resources, query)
  const page = await listRecords(database, resource, resources, query)
  return { ...page, next: page.next && { ...page.next, seq } }
}
