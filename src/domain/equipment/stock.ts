// Finds the stock that equipment returns to, and creates the stock of a branch that has none.

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/statements.ts'
import { Problem } from '../../problem.ts'
import { hardware } from '../declarations/hardware.ts'
import { byId } from '../declarations/resource.ts'
import { erasedEmail } from '../fields/personal-fields.ts'
import { formerHolder } from '../history/assignments.ts'
import type { ChangeContext, StoredRecord } from '../records/changes.ts'
import { createStock } from '../records/create-stock.ts'
import { findStock } from '../records/stock.ts'

/** Finds a branch's stock, or creates it with the branch's name. The stock is created in a separate change set, because
 *  otherwise undoing the first return would fail as soon as other equipment is in stock. A tenant's writes run one
 *  after another, so the second of two concurrent writes finds the stock. Throws `invalid_customer`. */
export async function findOrCreateStock(database: Database, branch: number, context: ChangeContext): Promise<number> {
  const stock = await findStock(database, hardware.fields.employee_id.stock, byId(branch))
  if (stock instanceof Problem) throw new Problem('invalid_customer')
  return typeof stock === 'number' ? stock : createStock(database, { context, stockCreation: 'separate' }, stock)
}

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
  const values = [true, erasedEmail('%'), ...padValues(ids), true]
  const rows = await database.all<LoanOrigin & { item: number }>(sql, values)
  return new Map(rows.map(({ item, ...origin }) => [item, origin]))
}
