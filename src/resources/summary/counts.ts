// Counts over whole tables, by statements that need only indexes of large tables.

import { type Database, limitClause, rowsPerCheck } from '../../database/database.ts'

/** The number of records for each value of a field. */
export async function countByValue(database: Database, table: string, field: string): Promise<Record<string, number>> {
  const where = budgetCheck(database, 'id')
  const rows = await database.all(
    `select ${field} as value, count(*) as records from ${table} where ${where} group by ${field} order by ${field}`,
  )
  return Object.fromEntries(rows.map(({ value, records }) => [value as string, Number(records)]))
}

/** Without storage locations, which are places. */
export async function countPeople(database: Database): Promise<number> {
  const where = budgetCheck(database, 'id')
  const row = await database.get(`select count(*) as people from employees where ${where} and kind = 'person'`)
  return Number(row!.people)
}

/** In minor units. */
export async function totalCost(database: Database): Promise<number> {
  const where = budgetCheck(database, 'id')
  const row = await database.get(
    `select cast(coalesce(sum(purchase_cost), 0) as bigint) as cost from hardware where ${where}`,
  )
  return Number(row!.cost)
}

/** A branch and the number of assets there: with its people, and in its stock. */
export type BranchCount = { id: number; name: string; assets: number }

const mostBranches = 8

/** The branches with the most assets. Counting by holder first joins each person instead of each asset: PostgreSQL then needs
 *  about a third less time. */
export async function countByBranch(database: Database): Promise<BranchCount[]> {
  const where = budgetCheck(database, 'id')
  const largest = await database.all(
    `select e.customer_id as id, cast(sum(held.assets) as bigint) as assets
     from (select employee_id, count(*) as assets from hardware where ${where} group by employee_id) held
     join employees e on e.id = held.employee_id
     group by e.customer_id order by sum(held.assets) desc, e.customer_id ${limitClause}`,
    [mostBranches],
  )
  if (largest.length === 0) return []
  const ids = largest.map(({ id }) => id!)
  const named = await database.all(`select id, name from customers where id in (${ids.map(() => '?').join(', ')})`, ids)
  const names = new Map(named.map(({ id, name }) => [id, name as string]))
  return largest.map(({ id, assets }) => ({ id: Number(id), name: names.get(id!) ?? '', assets: Number(assets) }))
}

/** Checks the time budget every few rows on SQLite; PostgreSQL does it by itself. */
function budgetCheck({ engine }: Database, id: string): string {
  return engine === 'sqlite' ? `case when ${id} & ${rowsPerCheck - 1} then 1 else within_budget() end` : 'true'
}
