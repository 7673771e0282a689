// How SQLite finds a page's records. SQLite has no useful statistics, so the matches of each condition are counted, up
// to the number that matters for the choice. The times below are processor time for a page of 50 in 100,000 hardware
// records (docs/decisions/0010).

import { type Clause, type Database, limitClause } from '../../../engine/database/database.ts'
import { hasDeferredIndexes } from '../../schema/derived.ts'
import { isFoundBy, searchCandidates } from '../../search/index.ts'
import { firstIndexedColumn, sortKeys } from '../order.ts'
import type { List, ListPlan } from '../query.ts'
import { type ColumnCondition, columnConditions, textConditions, textsOf } from './conditions.ts'

/** The maximum number of conditions whose matches are counted. A count takes up to 0.2 ms, or up to 9 ms for a search
 *  with several frequent words. */
const maxCounts = 6

/** If there are fewer matches than this, they are fetched and sorted, which takes about 2.5 µs per match. */
const fewMatches = 1500

/** A walk gives up when it has examined this many rows, which takes up to 4 ms. */
const maxWalkedRows = 1500

/** A condition whose matches can be counted. `counted`: a query with a row for each match, apart from records that are
 *  not in the search index yet. `condition`: the column's condition; absent for a search. */
type Countable = { byIndex: Clause; ids: Clause; counted: Clause; condition?: ColumnCondition }

/** Chooses one of three strategies, which all find the same records: leaves the choice to SQLite for a small table,
 *  which has no indexes to choose from; fetches few matches and sorts them; otherwise walks the sort index. */
export async function chooseSqlitePlan(list: List): Promise<ListPlan> {
  const { database, resource, query } = list
  const [conditions, texts] = [columnConditions(list), textConditions(list)]
  const order = sortKeys('sqlite', resource, query.sort.field)
  const exact = [...conditions.map(({ byIndex }) => byIndex), ...texts]
  if (exact.length === 0 || !(await hasDeferredIndexes(database, resource))) {
    return { strategy: 'scan', clauses: exact, order, countClauses: exact }
  }
  const sortedColumn = firstIndexedColumn(resource, query.sort.field)
  const candidates = searchCandidates(resource, textsOf(query))
  const countable = [
    ...conditions.filter(({ column }) => column !== sortedColumn).flatMap(toCountable),
    ...(candidates ? [{ byIndex: isFoundBy(candidates.all), ids: candidates.all, counted: candidates.indexed }] : []),
  ]
  const { rarest, matches } = await findRarest(database, countable)
  const others = conditions.filter((condition) => condition !== rarest?.condition)
  const fetched = rarest ? [rarest.byIndex, ...others.map(({ byRow }) => byRow), ...texts] : exact
  if (matches < fewMatches) {
    // The sort keys are written so that SQLite cannot walk the sort index instead.
    const sorted = order.map((key) => `+${key}`)
    return { strategy: 'fetch and sort', clauses: fetched, order: sorted, countClauses: fetched }
  }
  const walkClauses = walked(conditions, sortedColumn, texts)
  const counted = isBestByRange(list, conditions, sortedColumn) ? walkClauses : exact
  const countClauses = [...(candidates ? [isFoundBy(candidates.all)] : []), ...counted]
  const walk = { strategy: 'walk', clauses: walkClauses, order, countClauses }
  if (!rarest) return walk
  // In a list by id, an index lists the matches in id order. In any other list, the ids of the matches are collected,
  // and the walk skips all other rows without reading them.
  const clauses =
    query.sort.field === 'id' ? fetched : [isFoundBy(rarest.ids, '+id'), ...walked(others, sortedColumn, texts)]
  const onlyMatches = { strategy: 'walk only the matches', clauses, order, countClauses }
  return { ...walk, fallback: { afterRows: maxWalkedRows, plan: onlyMatches } }
}

function toCountable(condition: ColumnCondition): Countable[] {
  const { byIndex, ids } = condition
  return ids ? [{ byIndex, ids, counted: ids, condition }] : []
}

/** Returns conditions in a form that allows only the sort field's index to be used. */
function walked(conditions: readonly ColumnCondition[], sortedColumn: string | undefined, texts: Clause[]): Clause[] {
  return [...conditions.map(({ column, byIndex, byRow }) => (column === sortedColumn ? byIndex : byRow)), ...texts]
}

/** Whether all matches are best counted by the index of the sort field: a list by warranty_end with `status[in]=` (four
 *  of six values), `warranty_end[gte]=` and `warranty_end[lte]=` is counted in 5 ms, but SQLite prefers the index of
 *  the values, which takes 60 ms. */
function isBestByRange({ query }: List, conditions: readonly ColumnCondition[], sortedColumn?: string): boolean {
  const hasEquality = query.conditions.some(({ operator }) => operator === 'eq')
  return !hasEquality && conditions.some(({ column }) => column === sortedColumn)
}

/** Returns the condition with the fewest matches, and their number up to `fewMatches`. */
async function findRarest(
  database: Database,
  countable: readonly Countable[],
): Promise<{ rarest: Countable | undefined; matches: number }> {
  let [rarest, matches] = [countable[0], fewMatches]
  for (const condition of countable.slice(0, maxCounts)) {
    const { sql, values } = condition.counted
    const count = `select count(*) as count from (${sql} ${limitClause})`
    const row = await database.get<{ count: number }>(count, [...values, matches])
    if (row!.count < matches) [rarest, matches] = [condition, row!.count]
  }
  return { rarest, matches }
}
