// Computes the number of matches at which walking a sort index costs as much as finding all matches through a different
// index.

import type { Database } from '../../../engine/database/database.ts'
import type { ListQuery } from '../query.ts'

/** The cost of examining one row in a walk, relative to the cost of one match. A match costs about 2.5 µs on
 *  PostgreSQL, which fetches it, and about 0.45 µs on SQLite, which collects its id. A walk by id reads the table
 *  sequentially; any other walk reads it in random order. */
const rowCosts = {
  sqlite: { byId: 0.7, byField: 5 },
  postgres: { byId: 0.2, byField: 1 },
} as const

/** `matches`: the number of matches at which both methods cost the same. `rows`: the number of rows that the walk
 *  examines in that case. */
export type BreakEven = { matches: number; rows: number }

/** A walk examines `(limit + 1) * records / matches` rows until the page is full. So the two methods cost the same if
 *  `rowCost * (limit + 1) * records / matches = matches`.
 *
 *  For example, for a page of 50 out of 300,000 records sorted by name, SQLite breaks even at 8,747 matches. A walk
 *  then examines 1,750 rows. */
export function breakEvenOf(
  engine: Database['engine'],
  { limit, sort }: Pick<ListQuery, 'limit' | 'sort'>,
  records: number,
): BreakEven {
  const { byId, byField } = rowCosts[engine]
  const cost = sort.field === 'id' ? byId : byField
  const matches = Math.sqrt(cost * (limit + 1) * Math.max(records, 1))
  return { matches: Math.ceil(matches), rows: Math.ceil(matches / cost) }
}
