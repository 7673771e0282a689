// How PostgreSQL finds a page's records. PostgreSQL's planner makes the choice, except for searches. For searches, this
// file chooses, because the planner would multiply the frequencies of a word's trigrams as if the trigrams were
// independent.

import { deferUntilRows } from '../../schema/derived.ts'
import { searchOnPostgres } from '../../search/postgres.ts'
import { sortKeys } from '../order.ts'
import type { List, ListPlan, ListQuery } from '../query.ts'
import { columnConditions, textConditions, textsOf } from './conditions.ts'

/** If there are no statistics, a walk examines this many rows before it falls back. */
const unknownWalkRows = 1500

/** Prevents walks for the rest of the transaction. PostgreSQL would otherwise choose a walk, because it assumes that
 *  trigrams without statistics are frequent. */
const disableWalksSql = `select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`

/** Without a search, PostgreSQL chooses the indexes: for `status=lost` by name, it fetches the matches and sorts them.
 *  A search with many matches, such as `q=laptop` by `-purchase_date` with one match in twelve records, fills the page
 *  after a walk of about 612 rows. In any other search, such as `q=nowhere`, the search index finds candidates, which are
 *  then tested and sorted. */
export async function choosePostgresPlan(list: List): Promise<ListPlan> {
  const { database, resource, query } = list
  const search = await searchOnPostgres(database, resource, textsOf(query))
  const exact = [...columnConditions(list).map(({ byIndex }) => byIndex), ...textConditions(list)]
  const order = sortKeys('postgres', resource, query.sort.field)
  if (!search) return { strategy: 'all conditions', clauses: exact, order, countClauses: exact }
  const clauses = [search.candidates, ...exact]
  const plan = { strategy: 'search', clauses, order, countClauses: clauses }
  const { expected } = search
  if (!expected) return { ...plan, clauses: exact, fallback: { afterRows: unknownWalkRows, plan } }
  const { fraction, records } = expected
  if (fraction * records > breakEven(query, records)) {
    const afterRows = Math.ceil((2 * (query.limit + 1)) / fraction)
    return { ...plan, clauses: exact, fallback: { afterRows, plan } }
  }
  if (records >= deferUntilRows) database.runDeferred(disableWalksSql) // the table has a search index
  return plan
}

/** The cost of examining one row in a walk, relative to the cost of fetching one match, which takes about 2.5 µs. A
 *  walk by id reads the table sequentially; any other walk reads it in random order. */
const rowCosts = { byId: 0.2, byField: 1 }

/** The number of matches at which walking the sort index costs as much as fetching all matches through another index. A
 *  walk examines `(limit + 1) * records / matches` rows until the page is full, so both cost the same if `rowCost *
 *  (limit + 1) * records / matches = matches`. For example, for a page of 50 out of 300,000 records sorted by name:
 *  3,912 matches. */
function breakEven({ limit, sort }: ListQuery, records: number): number {
  const rowCost = sort.field === 'id' ? rowCosts.byId : rowCosts.byField
  return Math.ceil(Math.sqrt(rowCost * (limit + 1) * Math.max(records, 1)))
}
