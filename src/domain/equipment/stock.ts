// A branch's stock: an employee of kind `storage` that holds the equipment that is not in use (contract §14).

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/statements.ts'
import { Problem } from '../../problem.ts'
import { customers } from '../declarations/customers.ts'
import { employees } from '../declarations/employees.ts'
import { byId } from '../declarations/resource.ts'
import { erasedEmail } from '../fields/personal-fields.ts'
import { validateNew } from '../fields/validate.ts'
import { formerHolder } from '../history/assignments.ts'
import { type ChangeContext, newChangeSet } from '../records/changes.ts'
import { createRecord } from '../records/records.ts'
import { findTarget, type StoredRecord } from '../records/target.ts'

/** Every employee must have an email address, so a stock location gets one that cannot receive mail. */
const emailOf = (branch: number) => `stock+${branch}@tenantdesk.invalid`

/** Whether this is the address of a stock location that was created for a branch. */
export function isStockEmail(email: unknown): boolean {
  return typeof email === 'string' && /^stock\+\d+@tenantdesk\.invalid$/.test(email)
}

/** Finds the stock of each of these branches, keyed by branch id. A branch's stock is its oldest active storage
 *  location. Locations whose name was erased are skipped, because nobody would know where they are. */
export async function findStocks(database: Database, branches: readonly number[]): Promise<Map<number, number>> {
  const ids = [...new Set(branches)]
  if (ids.length === 0) return new Map()
  const sql = `
    select id as branch, (
      select id from employees
      where customer_id = customers.id and kind = 'storage' and is_active = ? and email not like ?
      order by id limit 1
    ) as stock
    from customers where id in (${placeholders(ids)})`
  const rows = await database.all(sql, [true, erasedEmail('%'), ...padValues(ids)])
  return new Map(rows.flatMap(({ branch, stock }) => (stock === null ? [] : [[Number(branch), Number(stock)]])))
}

/** Finds a branch's stock, or creates it with the branch's name. The stock is created in a separate change set, because
 *  otherwise undoing the first return would fail as soon as other equipment is in stock. A tenant's writes run one
 *  after another, so the second of two concurrent writes finds the stock. Throws `invalid_customer`. */
export async function findOrCreateStock(database: Database, branch: number, context: ChangeContext): Promise<number> {
  const id = (await findStocks(database, [branch])).get(branch)
  if (id !== undefined) return id
  const { record } = await findTarget(database, { resource: customers, key: byId(branch) })
  if (!record) throw new Problem('invalid_customer')
  const values = { customer_id: branch, email: emailOf(branch), name: record.name, kind: 'storage' }
  const separateSet = { ...context, changeSet: newChangeSet(new Date(context.now)) }
  const creation = { resource: employees, context: separateSet }
  return (await createRecord(database, { ...creation, ...validateNew(employees, values) })).id
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
  const rows = await database.all(sql, [true, erasedEmail('%'), ...padValues(ids), true])
  const toOrigin = (stock: unknown, branch: unknown) => ({
    branch: Number(branch),
    stock: stock === null ? null : Number(stock),
  })
  return new Map(rows.map(({ item, stock, branch }) => [Number(item), toOrigin(stock, branch)]))
}
