// Sums a field over all records that match a list's filters.

import type { Database } from '../../engine/database/database.ts'
import type { List } from './list.ts'
import { budgetCheck, whereOf } from './page.ts'
import { choosePlan } from './plans/choose-plan.ts'

/** SQL for the sum of a column; 0 if there are no values. Convert the result with Number: on PostgreSQL it has the type
 *  `numeric`. On SQLite, `total` returns a floating-point number, which is exact up to 2^53; `sum` would fail beyond 64
 *  bits, and node:sqlite cannot read integers above 2^53. */
export function sumOf(engine: Database['engine'], column: string): string {
  return engine === 'sqlite' ? `total(${column})` : `coalesce(sum(${column}), 0)`
}

/** Returns 0 if no record has a value. Throws TooSlow. */
export async function sumMatches(list: List, field: string): Promise<number> {
  const { database, resource, query } = list
  if (resource.fields[field]?.kind !== 'integer') throw new Error(`${resource.name}.${field} cannot be summed`)
  database.setBudget(query.timeoutMs)
  const { countClauses } = await choosePlan(list)
  const where = whereOf([...budgetCheck(database), ...countClauses])
  const row = await database.get(
    `select ${sumOf(database.engine, field)} as sum from ${resource.name} ${where.sql}`,
    where.values,
  )
  return Number(row!.sum)
}
