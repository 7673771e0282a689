// The sum of a field over all records that match a list.

import type { Database } from '../../database/database.ts'
import type { Resource, Resources } from '../resource.ts'
import { choosePlan } from './choose-plan.ts'
import { budgetCheck, whereOf } from './page.ts'
import type { ListQuery } from './query.ts'

/** SQLite's `sum` fails if the sum does not fit in 64 bits. */
const sumOf = { sqlite: 'total', postgres: 'sum' } as const

/** Returns 0 if no record has a value. Throws TooSlow. */
export async function sumMatches(
  database: Database,
  resource: Resource,
  resources: Resources,
  { field, query }: { field: string; query: ListQuery },
): Promise<number> {
  if (resource.fields[field]?.kind !== 'integer') throw new Error(`${resource.name}.${field} cannot be summed up`)
  database.setBudget(query.timeoutMs)
  const { countClauses } = await choosePlan(database, resource, resources, query)
  const where = whereOf([...budgetCheck(database), ...countClauses])
  const row = await database.get(
    `select coalesce(${sumOf[database.engine]}(${field}), 0) as sum from ${resource.name} ${where.sql}`,
    where.values,
  )
  return Number(row!.sum)
}
