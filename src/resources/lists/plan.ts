// Chooses how to find the records of a page. A small table is scanned. In a large table, if many records match, walking the
// sort index fills the page quickly; if few match, they are fetched and sorted. PostgreSQL decides by its statistics, except
// for searches, where this file reads the statistics and decides. SQLite has no statistics, so matches are counted up to the
// number from which on the choice no longer changes. A search sorted by id needs no count: SQLite's search index returns its
// matches in that order.

import { type Database, limitClause } from '../../database/database.ts'
import type { Resource, Resources } from '../resource.ts'
import { deferUntilRows, hasDeferredIndexes } from '../schema/deferred-indexes.ts'
import { type Clause, candidates, type InTurn, numberedCandidates } from '../search/index.ts'
import { oddsOf } from '../search/selectivity.ts'
import { clauseOf, columnOf, fieldHolds, holdsWord } from './clauses.ts'
import { type Filter, filtersOf } from './options.ts'
import type { Condition, ListQuery } from './query.ts'
import { isLong, sortKeys } from './sort-keys.ts'

/** `clauses`: the conditions of the `where`. `order`: the sort keys, the id last. `limitBeforeJson`: rows are sorted and
 *  limited before their JSON is built. `counted`: the conditions for counting all matches. `among`: records are read one by
 *  one in the order of the search index, by id. `fallback`: the plan to use after this one has examined `afterRows` rows
 *  without filling the page. */
export type Plan = {
  clauses: Clause[]
  order: string[]
  limitBeforeJson: boolean
  counted: Clause[]
  among?: InTurn
  fallback?: { afterRows: number; plan: Plan }
}

/** A condition that may have an index. `probe`: a query with one row per match. `members`: a condition that is true for the
 *  matches, evaluated on a list of their ids. */
type Part = {
  column: string
  clause: (column: string) => Clause
  probe: Clause | null
  members: Clause
  isEqual: boolean
}

/** Up to this many matches are fetched and sorted, at a few microseconds each. */
const fewMatches = 1500
/** Microseconds per row of a walk (`byId`, `byField`) and per match found by an index. A walk by id reads the table
 *  sequentially, any other walk jumps around in it. SQLite collects the ids of matches first and skips other rows unread. */
const costs = {
  sqlite: { byId: 0.3, byField: 2.2, match: 0.45 },
  postgres: { byId: 0.4, byField: 2.5, match: 2.5 },
} as const
/** Rows that a search walks if there are no statistics on its trigrams. */
const rowsUnknown = 1500
/** A search sorted by id reads the search index only if the page starts within this many ids of the start of the order: the
 *  search index has to skip all matches before the position, at a few microseconds per thousand. */
const nearIds = 50_000
/** The maximum number of conditions whose matches are counted; each count takes up to a millisecond. */
const maxProbes = 6

export async function choosePlan(
  database: Database,
  resource: Resource,
  resources: Resources,
  query: ListQuery,
): Promise<Plan> {
  const { field } = query.sort
  const [parts, texts] = [partsOf(resource, resources, query), textClauses(database.engine, resource, query)]
  const plain = [...parts.map((part) => part.clause(part.column)), ...texts]
  const order = sortKeys(resource, field)
  if (database.engine === 'postgres') return planOnPostgres(database, resource, query, plain, order)
  if (!(await hasDeferredIndexes(database, resource))) {
    return { clauses: plain, order, limitBeforeJson: field !== 'id', counted: plain }
  }
  const found = candidates(resource, textsOf(query))
  const search = found ? [searchPart(found)] : []
  const countClauses = [...search.map((part) => part.clause(part.column)), ...plain]
  const last = await lastId(database, resource)
  const candidateIds = found && field === 'id' && beginsNear(query, last) ? found.inTurn : undefined
  const probed = candidateIds ? parts : [...parts, ...search]
  const even = breakEvenFraction('sqlite', query, last)
  const many = Math.max(Math.ceil(even * last), fewMatches)
  const { part, count } = await mostSelectiveCondition(database, query, probed, many)
  const others = (but?: Part) => [...parts.filter((each) => each !== but).map((each) => walked(each, query)), ...texts]
  const walk: Plan = { clauses: others(), order, limitBeforeJson: false, counted: countClauses }
  const equal = field === 'id' && parts.find(({ isEqual, probe }) => isEqual && probe)
  if (equal && (!part || part === equal || count >= fewMatches)) {
    return { ...walk, clauses: [equal.clause(equal.column), ...others(equal)] } // this index is in id order
  }
  if (part && count < fewMatches) {
    const clauses = [part.clause(part.column), ...outOfOrder(parts, part), ...texts]
    return { ...walk, clauses, order: order.map((key) => `+${key}`) }
  }
  if (candidateIds) return { ...walk, among: candidateIds }
  if (!part) return walk
  const gathered = { ...walk, clauses: [part.members, ...others(part)] }
  if (count < many) return gathered
  return { ...walk, fallback: { afterRows: expectedRowsScanned(query, even), plan: gathered } }
}

/** A search walks the sort index if that should fill the page before the search index has found all matches. It falls back to
 *  the search index after twice the expected number of rows. Without a search, PostgreSQL's own planner decides. */
async function planOnPostgres(
  database: Database,
  resource: Resource,
  query: ListQuery,
  plain: Clause[],
  order: string[],
): Promise<Plan> {
  const odds = await oddsOf(database, resource, textsOf(query))
  const found = numberedCandidates(textsOf(query), odds)
  const counted = found ? [found, ...plain] : plain
  const plan: Plan = { clauses: counted, order, limitBeforeJson: true, counted }
  if (!found) return plan
  const walked = (afterRows: number): Plan => ({ ...plan, clauses: plain, fallback: { afterRows, plan } })
  if (!odds) return walked(rowsUnknown)
  if (odds.part > breakEvenFraction('postgres', query, odds.records))
    return walked(2 * expectedRowsScanned(query, odds.part))
  if (odds.records >= deferUntilRows) database.runDeferred(withoutWalks)
  return plan
}

/** Disables walks for the rest of the transaction: PostgreSQL assumes that unknown trigrams are frequent, and would walk. */
const withoutWalks = `select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`

/** The fraction of records that has to match for a walk to cost as much as fetching all matches by an index. */
function breakEvenFraction(engine: Database['engine'], query: ListQuery, records: number): number {
  const { match, ...rows } = costs[engine]
  const row = query.sort.field === 'id' ? rows.byId : rows.byField
  return Math.min(1, Math.sqrt(((query.limit + 1) * row) / (match * Math.max(records, 1))))
}

/** The number of rows that should contain a page of matches. */
function expectedRowsScanned({ limit }: ListQuery, part: number): number {
  return Math.ceil((limit + 1) / part)
}

/** The highest id, an upper bound of the number of records. */
async function lastId(database: Database, { name }: Resource): Promise<number> {
  return ((await database.get(`select max(id) as id from ${name}`))!.id as number | null) ?? 0
}

/** Whether a page starts near the start of its order. Unknown, and therefore false, if there is a condition on the id. */
function beginsNear({ sort, after, conditions }: ListQuery, last: number): boolean {
  if (conditions.some(({ filter }) => filter === 'id')) return false
  if (!after) return true
  return sort.isDescending ? last - after.id <= nearIds : after.id <= nearIds
}

function outOfOrder(parts: Part[], driver: Part): Clause[] {
  return parts.filter((part) => part !== driver).map((part) => part.clause(`+${part.column}`))
}

/** SQLite uses no index for `+column`. Only the index that is walked may be used. */
function walked(part: Part, { sort }: ListQuery): Clause {
  return part.clause(part.column === sort.field ? part.column : `+${part.column}`)
}

/** The condition with the fewest matches, counted up to `limit`; none if the sort index serves every condition. */
async function mostSelectiveCondition(
  database: Database,
  { sort }: ListQuery,
  parts: Part[],
  limit: number,
): Promise<{ part?: Part; count: number }> {
  let [best, fewest] = [undefined as Part | undefined, limit]
  for (const part of parts.filter(({ probe, column }) => probe && column !== sort.field).slice(0, maxProbes)) {
    const { sql, values } = part.probe!
    const row = await database.get(`select count(*) as count from (${sql} ${limitClause})`, [...values, fewest])
    const count = row!.count as number
    if (best === undefined || count < fewest) [best, fewest] = [part, count]
  }
  return { part: best, count: fewest }
}

function searchPart({ condition, probe }: { condition: Clause; probe: Clause }): Part {
  const members = { sql: `+${condition.sql}`, values: condition.values }
  return { column: '', clause: () => condition, probe, members, isEqual: false }
}

function partsOf(resource: Resource, resources: Resources, { conditions }: ListQuery): Part[] {
  const { filters } = filtersOf(resource, resources)
  return conditions.flatMap((condition): Part[] => {
    const filter = filters.find(({ name }) => name === condition.filter)!
    if (condition.operator === 'contains') return []
    const clause = (column: string) => clauseOf(filter, condition, column)
    const column = columnOf(filter)
    const { sql, values } = clause(column)
    const probe = isServed(filter, condition) ? { sql: `select 1 from ${resource.name} where ${sql}`, values } : null
    const members = { sql: `+id in (select id from ${resource.name} where ${sql})`, values }
    return [{ column, clause, probe, members, isEqual: condition.operator === 'eq' && !filter.via }]
  })
}

/** Whether an index can find the matches. */
function isServed(filter: Filter, { operator, values }: Condition): boolean {
  if (operator === 'ne' || (operator === 'null' && !values[0])) return false
  return filter.via !== undefined || !isLong(filter.field)
}

/** The folded texts that a record must contain. */
function textsOf({ words, conditions }: ListQuery): string[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [...words, ...contained.flatMap(({ values }) => values as string[])]
}

/** The exact conditions on text; the trigram index only returns candidates. */
function textClauses(engine: Database['engine'], resource: Resource, { words, conditions }: ListQuery): Clause[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [
    ...words.map((word) => holdsWord(engine, word)),
    ...contained.map(({ filter, values }) => fieldHolds(engine, resource, filter, values[0] as string)),
  ]
}
