// Summarizes a branch: its people, and the assets that these people and the branch's storage locations hold.

import type { Database } from '../../engine/database/database.ts'
import { sumOf } from '../lists/counts.ts'

/** `people`: active people. `spare`: assets with the status `spare`. `warranties`: assets, except lost and retired
 *  ones, whose warranty ends in the requested period. `cost`: the sum of the purchase costs. */
export type BranchSummary = { people: number; assets: number; spare: number; warranties: number; cost: number }

export type BranchSummaryRequest = { id: number; warrantyFrom: string; warrantyTo: string; timeoutMs: number }

/** Reads only the branch's records, through the reference indexes. Throws TooSlow. */
export async function summarizeBranch(database: Database, request: BranchSummaryRequest): Promise<BranchSummary> {
  const { id, warrantyFrom, warrantyTo, timeoutMs } = request
  database.setBudget(timeoutMs)
  const people = await database.get(
    `select count(*) as people from employees where customer_id = ? and kind = 'person' and is_active = ?`,
    [id, true],
  )
  const sql = `
    select count(*) as assets, ${sumOf(database.engine, 'hardware.purchase_cost')} as cost,
      coalesce(sum(case when hardware.status = 'spare' then 1 else 0 end), 0) as spare,
      coalesce(sum(case when hardware.warranty_end between ? and ? and hardware.status not in ('lost', 'retired')
        then 1 else 0 end), 0) as warranties
    from employees join hardware on hardware.employee_id = employees.id
    where employees.customer_id = ?`
  const items = await database.get(sql, [warrantyFrom, warrantyTo, id])
  const { assets, spare, warranties, cost } = items!
  return {
    people: Number(people!.people),
    assets: Number(assets),
    spare: Number(spare),
    warranties: Number(warranties),
    cost: Number(cost),
  }
}
