// A branch's stock: an employee of kind `storage` that holds the equipment that is not in use (contract §14).

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/statements.ts'
import type { Problem } from '../../problem.ts'
import { externalReferenceOf, type RecordKey, type Stock } from '../declarations/resource.ts'
import { erasedEmail } from '../fields/personal-fields.ts'
import type { Values } from '../fields/validate.ts'
import { noSuchReference } from './constraints.ts'
import { findByKey } from './stored-forms.ts'

/** Every employee must have an email address, so a stock location gets one that cannot receive mail. */
const emailOf = (branch: number) => `stock+${branch}@tenantdesk.invalid`

/** Whether this is the address of a stock location that was created for a branch. */
export function isStockEmail(email: unknown): boolean {
  return typeof email === 'string' && /^stock\+\d+@tenantdesk\.invalid$/.test(email)
}

/** The values of a stock location that is created for a branch. */
export function stockValues(branch: number, name: Values[string]): Values {
  return { customer_id: branch, email: emailOf(branch), name, kind: 'storage' }
}

/** Selects a branch's stock: its oldest active storage location. Locations whose name was erased are skipped, because
 *  nobody would know where they are. */
const stockSql = `
  select id from employees
  where customer_id = customers.id and kind = 'storage' and is_active = ? and email not like ?
  order by id limit 1`

const stockOperands = [true, erasedEmail('%')]

/** Finds the stock of each of these branches, keyed by branch id. */
export async function findStocks(database: Database, branches: readonly number[]): Promise<Map<number, number>> {
  const ids = [...new Set(branches)]
  if (ids.length === 0) return new Map()
  const sql = `select id as branch, (${stockSql}) as stock from customers where id in (${placeholders(ids)})`
  const rows = await database.all(sql, [...stockOperands, ...padValues(ids)])
  return new Map(rows.flatMap(({ branch, stock }) => (stock === null ? [] : [[Number(branch), Number(stock)]])))
}

/** Finds the branches whose stocks these employees are, keyed by the id of the stock. */
export async function findBranchesOfStocks(
  database: Database,
  employees: readonly number[],
): Promise<Map<number, number>> {
  if (employees.length === 0) return new Map()
  const sql = `select customer_id from employees where id in (${placeholders(employees)})`
  const branches = (await database.all(sql, padValues([...employees]))).map(({ customer_id }) => Number(customer_id))
  return new Map([...(await findStocks(database, branches))].map(([branch, stock]) => [stock, branch]))
}

/** Finds the stock of the branch with this key. Returns the stock's id, the values of a stock location to create, or
 *  the Problem that there is no such branch. */
export async function findStock(
  database: Database,
  { member, missingCode }: Stock,
  key: RecordKey,
): Promise<number | Values | Problem> {
  const { column, value } = key
  const sql = `select id, name, (${stockSql}) as stock from customers where ${column} = ?`
  const row = await findByKey(key, (form) => database.get(sql, [...stockOperands, form]))
  if (!row) return noSuchReference({ missingCode }, column === 'id' ? member : externalReferenceOf(member), value)
  return row.stock === null ? stockValues(Number(row.id), row.name!) : Number(row.stock)
}
