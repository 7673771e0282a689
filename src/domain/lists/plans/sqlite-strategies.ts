// How SQLite finds a page's records. SQLite has no useful statistics, so this file counts the matches of each
// condition, up to the number that matters for the choice. Unless stated otherwise, the times below are processor time
// for a page of 50 in 300,000 hardware records (docs/decisions/0010).

import { type Database, limitClause } from '../../../engine/database/database.ts'
import type { Resource } from '../../declarations/resource.ts'
import { hasDeferredIndexes } from '../../schema/deferred-indexes.ts'
import { type Candidates, type CandidatesInIdOrder, type Clause, searchCandidates } from '../../search/index.ts'
import type { List } from '../list.ts'
import type { ListQuery } from '../query.ts'
import { firstIndexedColumn, sortKeys } from '../sort-keys.ts'
import { type BreakEven, breakEvenOf } from './break-even.ts'
import { type ColumnCondition, columnConditions, textConditions, textsOf } from './conditions.ts'
import type { Plan } from './plan.ts'

/** The maximum number of conditions whose matches are counted. A count takes up to 0.2 ms, or up to 9 ms for a search
 *  with several frequent words. */
const maxCounts = 6

/** If there are fewer matches than this, they are fetched and sorted, which takes about 2.5 µs per match. */
const fewMatches = 1500

/** The facts on which the choice depends. `sortedColumn`: the column that the sort index begins with. `rarest`: the
 *  counted condition with the fewest matches, and the number of its matches; null if no condition was counted.
 *  `candidates`: the candidates of a search, if the search index returns them in list order. `breakEven`: above this
 *  number of matches, a walk may be cheaper than finding all matches. */
type Facts = {
  query: ListQuery
  keys: string[]
  sortedColumn: string | undefined
  conditions: ColumnCondition[]
  texts: Clause[]
  countClauses: Clause[]
  isSmall: boolean
  rarest: { condition: ColumnCondition; matches: number } | null
  candidates: CandidatesInIdOrder | undefined
  breakEven: BreakEven
}

type Strategy = {
  name: string
  when: (facts: Facts) => boolean
  plan: (facts: Facts) => Pick<Plan, 'clauses'> & Partial<Plan>
}

/** The strategies, in order of preference. */
const strategies: Strategy[] = [
  { name: 'scan the small table', when: ({ isSmall }) => isSmall, plan: scanTable },
  { name: 'follow the index of an equal value', when: isByIdWithEqualValue, plan: followEqualValue },
  { name: 'fetch the few matches and sort them', when: hasFewMatches, plan: fetchAndSort },
  { name: 'follow the search index', when: ({ candidates }) => candidates !== undefined, plan: followSearchIndex },
  { name: 'walk the sort index', when: ({ rarest }) => rarest === null, plan: walk },
  { name: 'walk only the matches', when: hasFewerThanBreakEven, plan: walkOnlyMatches },
  { name: 'walk the sort index, then only the matches', when: () => true, plan: walkThenOnlyMatches },
]

export async function chooseSqlitePlan(list: List): Promise<Plan> {
  const facts = await factsOf(list)
  const { name, plan } = strategies.find(({ when }) => when(facts))!
  const { keys: order, countClauses } = facts
  return { strategy: name, order, countClauses, ...plan(facts) }
}

async function factsOf(list: List): Promise<Facts> {
  const { database, resource, query } = list
  const conditions = columnConditions(list)
  const texts = textConditions(list)
  const keys = sortKeys(database.engine, resource, query.sort.field)
  const sortedColumn = firstIndexedColumn(resource, query.sort.field)
  const declared = { query, keys, sortedColumn, conditions, texts, candidates: undefined }
  const uncounted = { rarest: null, breakEven: { matches: 0, rows: 0 } }
  if (conditions.length + texts.length === 0) return { ...declared, ...uncounted, countClauses: [], isSmall: false }
  if (!(await hasDeferredIndexes(database, resource))) {
    const countClauses = [...conditions.map(({ byIndex }) => byIndex), ...texts]
    return { ...declared, ...uncounted, countClauses, isSmall: true }
  }
  const found = searchCandidates(resource, textsOf(query))
  const candidates = query.sort.field === 'id' ? found?.inIdOrder : undefined
  const breakEven = breakEvenOf('sqlite', query, await countAtMost(database, resource))
  const countable = found && !candidates ? [...conditions, searchCondition(found)] : conditions
  const maxMatches = Math.max(breakEven.matches, fewMatches)
  const rarest = await rarestCondition(list, countable, maxMatches)
  const isRare = rarest !== null && rarest.matches < maxMatches
  const countClauses = [...countConditions(sortedColumn, conditions, isRare ? rarest.condition : null), ...texts]
  if (found) countClauses.unshift(found.condition)
  return { ...declared, countClauses, isSmall: false, rarest, candidates, breakEven }
}

/** The conditions for counting all matches. If a condition is rare, only this condition may use an index. If no
 *  condition is rare and none is an equality, only conditions on the sort field may use an index: for a condition with
 *  a list of values, SQLite would otherwise prefer that column's index. In all other cases, SQLite chooses.
 *
 *  For example, a list by warranty_end with `status[in]=` (four of six values), `warranty_end[gte]=` and
 *  `warranty_end[lte]=` has 1,700 matches in 100,000 records. The count takes 1 ms, or 40 ms with the `status`
 *  index. */
function countConditions(
  sortedColumn: string | undefined,
  conditions: ColumnCondition[],
  rare: ColumnCondition | null,
): Clause[] {
  const leading = conditions.filter((condition) => (rare ? condition === rare : condition.column === sortedColumn))
  if (leading.length === 0 || (!rare && conditions.some(({ isEquality }) => isEquality)))
    return conditions.map(({ byIndex }) => byIndex)
  return conditions.map((condition) => (leading.includes(condition) ? condition.byIndex : condition.byRow))
}

/** The highest id, which is an upper bound for the number of records. */
async function countAtMost(database: Database, { name }: Resource): Promise<number> {
  return ((await database.get(`select max(id) as id from ${name}`))!.id as number | null) ?? 0
}

/** The search index as a condition: its candidates include every match. */
function searchCondition({ condition, probe }: Candidates): ColumnCondition {
  const byIds = { sql: `+${condition.sql}`, values: condition.values }
  return { column: '', byIndex: condition, byRow: condition, byIds, countable: probe, isEquality: false }
}

async function rarestCondition(
  { database, resource, query: { sort } }: List,
  conditions: ColumnCondition[],
  maxMatches: number,
): Promise<Facts['rarest']> {
  let rarest: Facts['rarest'] = null
  const countable = conditions.filter(
    ({ countable, column }) => countable && column !== firstIndexedColumn(resource, sort.field),
  )
  for (const condition of countable.slice(0, maxCounts)) {
    const { sql, values } = condition.countable!
    const limit = rarest?.matches ?? maxMatches
    const row = await database.get(`select count(*) as count from (${sql} ${limitClause})`, [...values, limit])
    const matches = row!.count as number
    if (!rarest || matches < rarest.matches) rarest = { condition, matches }
  }
  return rarest
}

/** A table whose ids are all below 2,000 has no deferred indexes.
 *
 *  `status=lost` by name: all rows are tested, and the matches are sorted. 0.1 ms to 0.5 ms in 1,900 records. */
function scanTable({ conditions, texts }: Facts) {
  return { clauses: [...conditions.map(({ byIndex }) => byIndex), ...texts] }
}

/** A list by id with an equality condition can use the index on the condition's column, whose entries for one value are
 *  in id order.
 *
 *  `status=spare` by `-id`: the first 51 entries for `spare` from the end of the `status` index. 0.1 ms. */
function followEqualValue(facts: Facts) {
  const equal = equalValue(facts)!
  return { clauses: [equal.byIndex, ...walkClauses(facts, equal)] }
}

function isByIdWithEqualValue(facts: Facts): boolean {
  const equal = equalValue(facts)
  return equal !== undefined && (!hasFewMatches(facts) || facts.rarest!.condition === equal)
}

function equalValue({ query, conditions }: Facts): ColumnCondition | undefined {
  return query.sort.field === 'id' ? conditions.find(({ isEquality, countable }) => isEquality && countable) : undefined
}

/** The rarest condition's index finds its matches. Those that meet the other conditions are sorted.
 *
 *  `status=lost&manufacturer=Dell` by name: the `status` index finds 300 records, of which 75 are from Dell. 0.2 ms.
 *  With 1,500 matches spread over the table: 4 ms. */
function fetchAndSort({ conditions, texts, keys, rarest }: Facts) {
  const others = conditions.filter((condition) => condition !== rarest!.condition).map(({ byRow }) => byRow)
  const order = keys.map((key) => `+${key}`) // otherwise SQLite might walk the sort index instead
  return { clauses: [rarest!.condition.byIndex, ...others, ...texts], order }
}

function hasFewMatches({ rarest }: Facts): boolean {
  return rarest !== null && rarest.matches < fewMatches
}

/** The search index returns candidates in id order, so a list by id reads them until the page is full.
 *
 *  `q=lenovo laptop bought` by id: 0.9 ms; 20 ms if the candidates were counted, fetched and sorted. */
function followSearchIndex({ candidates, conditions, texts }: Facts) {
  return { clauses: [...conditions.map(({ byRow }) => byRow), ...texts], candidates: candidates! }
}

/** The sort index is read from the page's position until the page is full, and each row is tested.
 *
 *  `name[gte]=m` by name: the first 51 entries of the `name` index from `m`. 0.05 ms. */
function walk(facts: Facts) {
  return { clauses: walkClauses(facts) }
}

/** The ids that match the rarest condition are collected, and a walk along the sort index skips all other rows without
 *  reading them.
 *
 *  `model[in]=…` with 4,000 matches by name: 2 ms; 12 ms if they were fetched and sorted. */
function walkOnlyMatches(facts: Facts) {
  const { condition } = facts.rarest!
  return { clauses: [condition.byIds, ...walkClauses(facts, condition)] }
}

function hasFewerThanBreakEven({ rarest, breakEven }: Facts): boolean {
  return rarest!.matches < breakEven.matches
}

/** If matches are frequent, a walk fills the page soon. If it does not, because the matches are at the other end of the
 *  list, only the matches are walked.
 *
 *  `manufacturer=Dell` by name: one record in four matches, so about 204 rows are examined. 0.3 ms.
 *  `type=laptop` by name: all laptop names begin with `laptop`, so the first walk gives up after 1,750 rows. 13 ms; 40
 *  ms if the 25,000 laptops were fetched and sorted. */
function walkThenOnlyMatches(facts: Facts) {
  const { keys: order, countClauses, breakEven } = facts
  const plan = { strategy: 'walk only the matches', order, countClauses, ...walkOnlyMatches(facts) }
  return { clauses: walkClauses(facts), fallback: { afterRows: breakEven.rows, plan } }
}

/** Returns a walk's conditions, other than `except`, in a form that allows only the sort field's index to be used. */
function walkClauses({ sortedColumn, conditions, texts }: Facts, except?: ColumnCondition): Clause[] {
  const others = conditions.filter((condition) => condition !== except)
  return [...others.map(({ column, byIndex, byRow }) => (column === sortedColumn ? byIndex : byRow)), ...texts]
}
