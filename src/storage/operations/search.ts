// The operation that finds what people mean by a few words, among the records of several resources.

import type { Database } from '../../database/database.ts'
import { findMatches } from '../../resources/find/find.ts'
import { listRecords } from '../../resources/lists/page.ts'
import type { Condition } from '../../resources/lists/query.ts'
import type { Includes } from '../../resources/records/json.ts'
import { type Resource, type Resources, resourceNamed } from '../../resources/resource.ts'
import type { Operations } from './operation.ts'

/** What to return of a resource: `limit` matches from `offset` on. `conditions`: which records may be found. */
export type SearchGroup = { resource: string; limit: number; offset?: number; conditions?: readonly Condition[] }

/** `data`: the records as JSON, separated by commas, each with those that it refers to. `total`: how many match. `hasMore`: more than
 *  `total` match, and are not counted. `exact`: the ids of the records with a code or address that is exactly the text. */
export type SearchResult = { resource: string; data: string; total: number; hasMore: boolean; exact: number[] }

export const searchOperations = {
  search: { writes: false, isScan: true, run: search },
} as const satisfies Operations

async function search(
  database: Database,
  resources: Resources,
  { text, groups, timeoutMs }: { text: string; groups: readonly SearchGroup[]; timeoutMs: number },
): Promise<SearchResult[]> {
  const results: SearchResult[] = []
  for (const { resource: name, limit, offset = 0, conditions = [] } of groups) {
    const resource = resourceNamed(resources, name)
    const { ids, exact, hasMore } = await findMatches(database, resource, resources, { text, conditions, timeoutMs })
    const shown = ids.slice(offset, offset + limit)
    const data = await readInOrder(database, resource, resources, shown, timeoutMs)
    results.push({ resource: name, data, total: ids.length, hasMore, exact })
  }
  return results
}

async function readInOrder(
  database: Database,
  resource: Resource,
  resources: Resources,
  ids: number[],
  timeoutMs: number,
): Promise<string> {
  if (ids.length === 0) return ''
  const { records } = await listRecords(database, resource, resources, {
    limit: ids.length,
    sort: { field: 'id', isDescending: false },
    conditions: [{ filter: 'id', operator: 'in', values: ids }],
    words: [],
    includes: everyReference(resource, resources),
    after: null,
    withTotal: false,
    timeoutMs,
  })
  const places = new Map(ids.map((id, at) => [id, at]))
  const inOrder = records.toSorted((one, other) => places.get(idOf(one))! - places.get(idOf(other))!)
  return inOrder.join(',')
}

function idOf(json: string): number {
  return JSON.parse(json).id
}

function everyReference({ fields }: Resource, resources: Resources): Includes {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.kind === 'reference' ? [[name, everyReference(resourceNamed(resources, field.to), resources)]] : [],
    ),
  )
}
