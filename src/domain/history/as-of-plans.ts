// How a list of a past state finds its records: one plan for the records that have changed since that state, and one
// for the records that have not.

import type { Clause } from '../../engine/database/database.ts'
import { sortKeys } from '../lists/order.ts'
import { choosePlan } from '../lists/page.ts'
import { clauseOf, filterColumn, textsOf } from '../lists/plans/conditions.ts'
import type { Condition, List, ListPlan } from '../lists/query.ts'
import { type Filter, filtersOf } from '../lists/request/options.ts'
import { unchangedSince } from './as-of.ts'

/** Plans the search for records that have changed since the past state. The plan uses no index and no search text,
 *  because reconstructed records have neither. */
export function planChanged({ database: { engine }, resource, resources, query }: List): ListPlan {
  const { conditions, sort } = query
  const { filters } = filtersOf(resource, resources)
  const onColumns = conditions.filter(({ operator }) => operator !== 'contains')
  const clauses = onColumns.map((condition) => {
    const filter = filters.find(({ name }) => name === condition.filter)!
    return engine === 'postgres' && filter.via
      ? relatedClause(filter, filter.via, condition)
      : clauseOf(filter, condition, { column: filterColumn(filter), table: resource.name })
  })
  const order = sortKeys(engine, resource, sort.field)
  return { strategy: 'read all', clauses, order, countClauses: clauses }
}

type Through = NonNullable<Filter['via']>

/** Uses an array, because PostgreSQL evaluates an array only once. PostgreSQL might run a plain subquery for every
 *  record, and reconstruct all related records each time. */
function relatedClause(
  { via: _, ...filter }: Filter,
  { reference, to, column }: Through,
  condition: Condition,
): Clause {
  const { sql, values } = clauseOf(filter, condition, { column, table: to })
  return { sql: `${reference} = any(array(select id from ${to} where ${sql}))`, values }
}

/** Plans the search for records that have not changed since change `seq`. */
export async function planUnchanged(list: List, seq: number): Promise<ListPlan> {
  const isPlain = list.database.engine === 'postgres' && textsOf(list.query).length === 0
  const plan = isPlain ? planChanged(list) : await choosePlan(list)
  return restrictPlan(plan, [unchangedSince(list.resource, seq)])
}

/** The same plan with additional conditions. */
export function restrictPlan({ fallback, ...plan }: ListPlan, clauses: Clause[]): ListPlan {
  return {
    ...plan,
    clauses: [...plan.clauses, ...clauses],
    countClauses: [...plan.countClauses, ...clauses],
    ...(fallback && { fallback: { ...fallback, plan: restrictPlan(fallback.plan, clauses) } }),
  }
}
