// Summarizes what a person or storage location holds: the number of assets, and the sum of their purchase costs.

import type { Database } from '../../engine/database/database.ts'
import { sumOf } from '../lists/counts.ts'

export type HolderSummary = { assets: number; cost: number }

/** Reads only the holder's assets. Throws TooSlow. */
export async function summarizeHolder(
  database: Database,
  { id, timeoutMs }: { id: number; timeoutMs: number },
): Promise<HolderSummary> {
  database.setBudget(timeoutMs)
  const sql = `select count(*) as assets, ${sumOf(database.engine, 'purchase_cost')} as cost
    from hardware where employee_id = ?`
  const row = await database.get(sql, [id])
  return { assets: Number(row!.assets), cost: Number(row!.cost) }
}
