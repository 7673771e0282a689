// The stock of a branch: an employee of kind `storage` that holds what nobody uses (contract §14).

import type { Database } from '../../database/database.ts'
import { padded, places } from '../../database/value-list.ts'
import { Problem } from '../../problem.ts'
import { customers } from '../declarations/customers.ts'
import { employees } from '../declarations/employees.ts'
import { erasedEmail } from '../erasure/personal-fields.ts'
import { type ChangeContext, newChangeSet } from '../records/changes.ts'
import { createRecord } from '../records/records.ts'
import { findTarget, noPrecondition } from '../records/target.ts'
import { byId } from '../resource.ts'
import { validateNew } from '../validate.ts'

/** Email addresses are required, and nobody can receive mail at this one. */
const emailOf = (branch: number) => `stock+${branch}@tenantdesk.invalid`

/** The stock of each of these branches that has one: its oldest active storage location, by the id of the branch. One whose name was
 *  erased does not count: nobody would know where that is. */
export async function findStocks(database: Database, branches: readonly number[]): Promise<Map<number, number>> {
  const ids = [...new Set(branches)]
  if (ids.length === 0) return new Map()
  const sql = `
    select id as branch, (
      select id from employees
      where customer_id = customers.id and kind = 'storage' and is_active = ? and email not like ?
      order by id limit 1
    ) as stock
    from customers where id in (${places(ids)})`
  const rows = await database.all(sql, [true, erasedEmail('%'), ...padded(ids)])
  return new Map(rows.flatMap(({ branch, stock }) => (stock === null ? [] : [[Number(branch), Number(stock)]])))
}

/** Finds the stock of a branch. The first time, it is created with the branch's name, in a change set of its own: undoing the
 *  first return must not fail because other things are in stock by then. A tenant's writes run one after another, so of two
 *  that need it at once, the second one finds it. Throws `invalid_customer`. */
export async function findOrCreateStock(database: Database, branch: number, context: ChangeContext): Promise<number> {
  const id = (await findStocks(database, [branch])).get(branch)
  if (id !== undefined) return id
  const { record } = await findTarget(database, {
    resource: customers,
    key: byId(branch),
    precondition: noPrecondition,
  })
  if (!record) throw new Problem('invalid_customer')
  const values = { customer_id: branch, email: emailOf(branch), name: record.name, kind: 'storage' }
  const ownSet = { ...context, changeSet: newChangeSet(new Date(context.now)) }
  const creation = { resource: employees, context: ownSet, precondition: noPrecondition }
  return (await createRecord(database, { ...creation, ...validateNew(employees, values) })).id
}
