// The branches with the most assets, by name.

import type { Database } from '../../database/database.ts'
import { isOneOf } from '../lists/clauses.ts'

/** A branch and the number of assets there: with its people, and in its stock. */
export type BranchCount = { id: number; name: string; assets: number }

const mostBranches = 8

/** `counts`: the number of assets by the id of the branch. */
export async function largestBranches(database: Database, counts: Record<string, number>): Promise<BranchCount[]> {
  const all = Object.entries(counts).map(([id, assets]) => ({ id: Number(id), assets }))
  const largest = all.toSorted((one, other) => other.assets - one.assets || one.id - other.id).slice(0, mostBranches)
  if (largest.length === 0) return []
  const { sql, values } = isOneOf(
    database.engine,
    'id',
    largest.map(({ id }) => id),
  )
  const rows = await database.all(`select id, name from customers where ${sql}`, values)
  const names = new Map(rows.map(({ id, name }) => [Number(id), name as string]))
  return largest.map((each) => ({ ...each, name: names.get(each.id) ?? '' }))
}
