// How the records of a page are found. In a small table all are looked at. In one that has grown a page is soon full in walking
// the sort's order where matches are many; where they are few, they are fetched and sorted. PostgreSQL knows by its statistics,
// but for searches, where it is asked for them. SQLite keeps none: there matches are counted up to where it no longer matters.
// A search by id need not count: SQLite's search index gives its matches in that order.

import { type Database, limitClause } from '../../database/database.ts'
import type { Resource, Resources } from '../resource.ts'
import { deferUntilRows, hasDeferredIndexes } from '../schema/deferred-indexes.ts'
import { type Clause, candidates, type InTurn, numberedCandidates } from '../search/index.ts'
import { oddsOf } from '../search/selectivity.ts'
import { clauseOf, columnOf, fieldHolds, holdsWord } from './clauses.ts'
import { type Filter, filtersOf } from './options.ts'
import type { Condition, ListQuery } from './query.ts'
import { isLong, sortKeys } from './sort-keys.ts'

/** The clauses of a `where`, and what to order by, the id last. `chosenFirst`: what is sorted are rows, of which the first are
 *  then made into JSON. `counted`: the clauses for counting all matches. `among`: records are taken one after the other as the
 *  search index gives them, by id. `instead`: the way to take when this one has looked at so many rows in vain. */
export type Plan = {
  clauses: Clause[]
  order: string[]
  limitBeforeJson: boolean
  counted: Clause[]
  among?: InTurn
  fallback?: { afterRows: number; plan: Plan }
}

/** A condition that an index may serve. `probe` gives a row for each match, `members` asks whether a row is one of them. */
type Part = {
  column: string
  clause: (column: string) => Clause
  probe: Clause | null
  members: Clause
  isEqual: boolean
}

/** Up to so many matches are fetched and sorted: a few microseconds each. */
const fewMatches = 1500
/** What a row costs on a walk, and a match that is found by an index, in microseconds. By id, rows come one after the other as they
 *  lie; else from all over the table. SQLite gathers the matches' ids first, to pass by the others unread. */
const costs = {
  sqlite: { byId: 0.3, byField: 2.2, match: 0.45 },
  postgres: { byId: 0.4, byField: 2.5, match: 2.5 },
} as const
/** Rows that a search walks where the server does not know how frequent its trigrams are. */
const rowsUnknown = 1500
/** Ids from either end of the table within which a search by id follows the search index: it has to pass by all that it holds
 *  before the position, a few microseconds for each thousand of them. */
const nearIds = 50_000
/** Conditions that are tried; each takes up to a millisecond. */
const mostProbes = 6

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
    return { ...walk, clauses: [equal.clause(equal.column), ...others(equal)] } // its index is in the order of ids
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

/** A search walks where a page should be full before the index would have found all matches, as far as it knows; it gives up when
 *  it has looked at twice as many rows. Of other conditions the server knows itself. */
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

/** For the rest of the transaction. The server takes trigrams that it has never met for frequent ones, and would walk. */
const withoutWalks = `select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`

/** The part of so many records that has to match for a walk to cost as much as the matches by an index. */
function breakEvenFraction(engine: Database['engine'], query: ListQuery, records: number): number {
  const { match, ...rows } = costs[engine]
  const row = query.sort.field === 'id' ? rows.byId : rows.byField
  return Math.min(1, Math.sqrt(((query.limit + 1) * row) / (match * Math.max(records, 1))))
}

/** Rows among which a page of matches should be found. */
function expectedRowsScanned({ limit }: ListQuery, part: number): number {
  return Math.ceil((limit + 1) / part)
}

/** No more records than this. */
async function lastId(database: Database, { name }: Resource): Promise<number> {
  return ((await database.get(`select max(id) as id from ${name}`))!.id as number | null) ?? 0
}

/** Whether a page begins near the end of the table that its order begins with. Conditions on the id may begin anywhere. */
function beginsNear({ sort, after, conditions }: ListQuery, last: number): boolean {
  if (conditions.some(({ filter }) => filter === 'id')) return false
  if (!after) return true
  return sort.isDescending ? last - after.id <= nearIds : after.id <= nearIds
}

function outOfOrder(parts: Part[], driver: Part): Clause[] {
  return parts.filter((part) => part !== driver).map((part) => part.clause(`+${part.column}`))
}

/** `+column` is a value to SQLite, and no index is used for it. Only the index that is walked may help. */
function walked(part: Part, { sort }: ListQuery): Clause {
  return part.clause(part.column === sort.field ? part.column : `+${part.column}`)
}

/** The condition with the fewest matches, counted up to `limit`; none where the order to walk in serves every condition. */
async function mostSelectiveCondition(
  database: Database,
  { sort }: ListQuery,
  parts: Part[],
  limit: number,
): Promise<{ part?: Part; count: number }> {
  let [best, fewest] = [undefined as Part | undefined, limit]
  for (const part of parts.filter(({ probe, column }) => probe && column !== sort.field).slice(0, mostProbes)) {
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

/** Whether an index finds the matches. */
function isServed(filter: Filter, { operator, values }: Condition): boolean {
  if (operator === 'ne' || (operator === 'null' && !values[0])) return false
  return filter.via !== undefined || !isLong(filter.field)
}

/** The folded texts that a record must hold. */
function textsOf({ words, conditions }: ListQuery): string[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [...words, ...contained.flatMap(({ values }) => values as string[])]
}

/** What decides in the end: an index of trigrams only gives candidates. */
function textClauses(engine: Database['engine'], resource: Resource, { words, conditions }: ListQuery): Clause[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [
    ...words.map((word) => holdsWord(engine, word)),
    ...contained.map(({ filter, values }) => fieldHolds(engine, resource, filter, values[0] as string)),
  ]
}
