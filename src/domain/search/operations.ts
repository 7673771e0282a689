// The operation that searches the records of several resources for a few words.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import { type Declared, type Resource, type Resources, referencesOf, resourceNamed } from '../declarations/resource.ts'
import { listRecords } from '../lists/page.ts'
import type { Condition, List, ListQuery } from '../lists/query.ts'
import type { Includes } from '../records/json.ts'
import { findMatches } from './find.ts'

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
    const data = await readInOrder({ database, resource, resources }, page, timeoutMs)
    results.push({ resource: name, data, total: ids.length, hasMore, exact })
  }
  return results
}

async function readInOrder(list: Omit<List, 'query'>, ids: number[], timeoutMs: number): Promise<string> {
  if (ids.length === 0) return ''
  const query: ListQuery = {
    limit: ids.length,
    sort: { field: 'id', isDescending: false },
    conditions: [{ filter: 'id', operator: 'in', values: ids }],
    words: [],
    includes: everyReference(list.resource, list.resources),
    after: null,
    withTotal: false,
    timeoutMs,
  }
  const { records } = await listRecords({ ...list, query })
  const positions = new Map(ids.map((id, index) => [id, index]))
  const inOrder = records.toSorted((a, b) => positions.get(idOf(a))! - positions.get(idOf(b))!)
  return inOrder.join(',')
}

function idOf(json: string): number {
  return JSON.parse(json).id
}

function everyReference(resource: Resource, resources: Resources): Includes {
  return Object.fromEntries(
    referencesOf(resource).map(({ name, to }) => [name, everyReference(resourceNamed(resources, to), resources)]),
  )
}
