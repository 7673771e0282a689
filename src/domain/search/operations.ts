// The operation that searches the records of several resources for a few words.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import { type Declared, type Resource, type Resources, referencesOf, resourceNamed } from '../declarations/resource.ts'
import { readByIds } from '../lists/page.ts'
import type { Condition } from '../lists/query.ts'
import type { Includes } from '../records/json.ts'
import { findMatches, newestFirst } from './find.ts'

/** What to return for one resource: at most `limit` matches after the first `offset`. `conditions`: which records may
 *  match. */
export type SearchGroup = { resource: string; limit: number; offset?: number; conditions?: readonly Condition[] }

/** `data`: the records as JSON, separated by commas, each including the records that it refers to. `total`: how many
 *  matches were found, up to a limit. `hasMore`: whether more records match than `total`. `exact`: the ids of the
 *  records in which a code or an email address equals the text. */
export type SearchResult = { resource: string; data: string; total: number; hasMore: boolean; exact: number[] }

export const searchOperations = defineOperations({
  search: { writes: false, isScan: true, run: search },
})

async function search(
  database: Database,
  { text, groups, timeoutMs }: { text: string; groups: readonly SearchGroup[]; timeoutMs: number },
  { resources }: Declared,
): Promise<SearchResult[]> {
  const results: SearchResult[] = []
  for (const { resource: name, limit, offset = 0, conditions = [] } of groups) {
    const resource = resourceNamed(resources, name)
    const { ids, exact, hasMore } = await findMatches(database, resource, resources, { text, conditions, timeoutMs })
    const page = ids.slice(offset, offset + limit)
    const query = { ...newestFirst([], timeoutMs), includes: everyReference(resource, resources) }
    const records = await readByIds({ database, resource, resources, query }, page)
    results.push({ resource: name, data: records.join(','), total: ids.length, hasMore, exact })
  }
  return results
}

function everyReference(resource: Resource, resources: Resources): Includes {
  return Object.fromEntries(
    referencesOf(resource).map(({ name, to }) => [name, everyReference(resourceNamed(resources, to), resources)]),
  )
}
