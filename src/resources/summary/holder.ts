// Summarizes what a person or storage location holds: the number of assets, and the sum of their purchase costs.

import type { Database } from '../../database/database.ts'

export type HolderSummary = { assets: number; cost: number }

/** Reads only the assets of the holder. Throws TooSlow. */
export async function summarizeHolder(
  database: Database,
  { id, timeoutMs }: { id: number; timeoutMs: number },
): Promise<HolderSummary> {
  database.setBudget(timeoutMs)
  const sql = `select count(*) as assets, cast(coalesce(sum(purchase_cost), 0) as bigint) as cost
    from hardware where employee_id = ?`
  const found = await database.get(sql, [id])
  return { assets: Number(found!.assets), cost: Number(found!.cost) }
}
