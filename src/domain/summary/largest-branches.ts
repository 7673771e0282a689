// Finds the branches with the most assets, and their names.

import type { Database } from '../../engine/database/database.ts'
import { isOneOf } from '../lists/plans/conditions.ts'

/** A branch, and the number of assets that its people hold or that are in its stock. */
export type BranchCount = { id: number; name: string; assets: number }

const maxBranches = 8

/** `counts`: the number of assets by branch id. */
export async function largestBranches(database: Database, counts: Record<string, number>): Promise<BranchCount[]> {
  const branches = Object.entries(counts).map(([id, assets]) => ({ id: Number(id), assets }))
  const largest = branches
    .toSorted((one, other) => other.assets - one.assets || one.id - other.id)
    .slice(0, maxBranches)
  if (largest.length === 0) return []
  const { sql, values } = isOneOf(
    database.engine,
    'id',
    largest.map(({ id }) => id),
  )
  type Branch = { id: number; name: string }
  const rows = await database.all<Branch>(`select id, name from customers where ${sql}`, values)
  const names = new Map(rows.map(({ id, name }) => [Number(id), name]))
  return largest.map(({ id, assets }) => ({ id, name: names.get(id) ?? '', assets }))
}
