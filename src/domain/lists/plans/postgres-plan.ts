// How PostgreSQL finds a page's records. PostgreSQL's planner makes the choice, except for searches. For searches, this
// file chooses, because the planner would multiply the frequencies of a word's trigrams as if the trigrams were
// independent.

import type { Clause } from '../../../engine/database/database.ts'
import { deferUntilRows } from '../../schema/deferred-indexes.ts'
import { type PostgresSearch, searchOnPostgres } from '../../search/postgres.ts'
import { sortKeys } from '../order.ts'
import type { List, ListPlan, ListQuery } from '../query.ts'
import { columnConditions, textConditions, textsOf } from './conditions.ts'

/** If there are no statistics, a walk examines this many rows before it falls back. */
const unknownWalkRows = 1500

/** The facts on which the choice depends. `exact`: all conditions, without the search index. */
type Facts = { query: ListQuery; keys: string[]; exact: Clause[]; search: PostgresSearch | undefined }

/** `setting`: a statement that runs before the list and applies to the rest of the transaction. */
type Strategy = {
  name: string
  when: (facts: Facts) => boolean
  plan: (facts: Facts) => Pick<ListPlan, 'clauses'> & Partial<ListPlan>
  setting?: string
}

/** Prevents walks. PostgreSQL would otherwise choose a walk, because it assumes that trigrams without statistics are
 *  frequent. */
const disableWalksSql = `select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`

/** The strategies, in order of preference. */
const strategies: Strategy[] = [
  { name: 'leave the choice to PostgreSQL', when: ({ search }) => !search, plan: allConditions },
  { name: 'walk the sort index, then search', when: mayHaveManyMatches, plan: walkThenSearch },
  { name: 'use the search index', when: isLarge, plan: allConditions, setting: disableWalksSql },
  { name: 'search the small table', when: () => true, plan: allConditions },
]

export async function choosePostgresPlan(list: List): Promise<ListPlan> {
  const { database, resource, query } = list
  const search = await searchOnPostgres(database, resource, textsOf(query))
  const onColumns = columnConditions(list).map(({ byIndex }) => byIndex)
  const exact = [...onColumns, ...textConditions(list)]
  const keys = sortKeys('postgres', resource, query.sort.field)
  const facts: Facts = { query, keys, exact, search }
  const { name, plan, setting } = strategies.find(({ when }) => when(facts))!
  if (setting) database.runDeferred(setting)
  return { strategy: name, order: keys, countClauses: allConditions(facts).clauses, ...plan(facts) }
}

/** PostgreSQL chooses the indexes. If a large table is searched, the search index finds candidates, which are then
 *  tested and sorted.
 *
 *  `status=lost` by name: PostgreSQL fetches the matches and sorts them.
 *  `q=nowhere` by name: the trigrams `now`, `whe` and `ere` have no record in common. */
function allConditions({ search, exact }: Facts) {
  return { clauses: search ? [search.candidates, ...exact] : exact }
}

/** If matches are frequent, a walk fills the page soon. If it does not, the search index finds all matches.
 *
 *  `q=laptop` by `-purchase_date`: one record in twelve matches, so about 612 rows are examined. */
function walkThenSearch(facts: Facts) {
  const { query, keys: order, exact, search } = facts
  const { expected } = search!
  const afterRows = expected ? Math.ceil((2 * (query.limit + 1)) / expected.fraction) : unknownWalkRows
  const { clauses } = allConditions(facts)
  return {
    clauses: exact,
    fallback: { afterRows, plan: { strategy: 'search', order, clauses, countClauses: clauses } },
  }
}

/** If there are no statistics, every record might contain the texts. */
function mayHaveManyMatches({ query, search }: Facts): boolean {
  const { expected } = search!
  return !expected || expected.fraction * expected.records > breakEven(query, expected.records)
}

/** Whether the table is large enough to have a search index. */
function isLarge({ search }: Facts): boolean {
  return search!.expected!.records >= deferUntilRows
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
