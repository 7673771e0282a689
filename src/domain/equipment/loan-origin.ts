// Where a loan came from: the stock location that held the item last, read from the item's history.

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/value-list.ts'
import { formerHolder } from '../history/assignments.ts'
import { erasedEmail } from '../people-data/personal-fields.ts'
import type { StoredRecord } from '../records/target.ts'

/** `branch`: the id of the branch that lent the item. `stock`: the stock location; null if it is no longer in use, so
 *  that the branch's present stock takes its place. */
export type LoanOrigin = { branch: number; stock: number | null }

/** Returns the origins of those items that are on loan, by item id. A loan is an item with a return date. There is no
 *  origin if no stock held the item, if that part of its history was removed, or if the branch has closed. */
export async function findLoanOrigins(
  database: Database,
  items: readonly StoredRecord[],
): Promise<Map<number, LoanOrigin>> {
  const ids = items.filter(({ due_back: dueBack }) => dueBack !== null).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const sql = `
    select changes.record_id as item, customers.id as branch,
      case when employees.is_active = ? and employees.email not like ? then employees.id end as stock
    from changes
    join employees on employees.id = cast(${formerHolder(database.engine)} as bigint)
    join customers on customers.id = employees.customer_id
    where changes.resource = 'hardware' and changes.record_id in (${placeholders(ids)})
      and employees.kind = 'storage' and customers.is_active = ?
    order by changes.seq`
  const rows = await database.all(sql, [true, erasedEmail('%'), ...padValues(ids), true])
  const toOrigin = (stock: unknown, branch: unknown) => ({
    branch: Number(branch),
    stock: stock === null ? null : Number(stock),
  })
  return new Map(rows.map(({ item, stock, branch }) => [Number(item), toOrigin(stock, branch)]))
}
