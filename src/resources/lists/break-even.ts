// When walking a sort index costs as much as fetching and sorting all matches.

import type { ListQuery } from './query.ts'

/** The cost of a row of a walk, relative to fetching a match, which takes 1 µs to 2.5 µs on both engines. A walk by id reads
 *  the table sequentially, any other walk jumps around in it. */
const rowCost = { byId: 0.2, byField: 1 }

/** `matches`: the number of matches at which both cost the same. `rows`: the number of rows that such a walk examines. */
export type BreakEven = { matches: number; rows: number }

/** A walk examines `(limit + 1) * records / matches` rows until the page is full. So it costs as much as fetching if
 *  `rowCost * (limit + 1) * records / matches = matches`.
 *
 *  For example, a page of 50 by name of 300,000 records: 3,912 matches, for which a walk examines 3,912 rows. */
export function breakEvenOf({ limit, sort }: Pick<ListQuery, 'limit' | 'sort'>, records: number): BreakEven {
  const cost = sort.field === 'id' ? rowCost.byId : rowCost.byField
  const matches = Math.sqrt(cost * (limit + 1) * Math.max(records, 1))
  return { matches: Math.ceil(matches), rows: Math.ceil(matches / cost) }
}
