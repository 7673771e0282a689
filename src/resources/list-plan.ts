// How the records of a page are found. In a small table all are looked at. In one that has grown, PostgreSQL knows by its
// statistics, except how often words stand together: so a search tries a short walk in the sort's order first. SQLite keeps
// none, so the ways are tried by counting a little: few matches are fetched and sorted; where there are many, a page is soon
// full in walking the order. A search by id need not count: SQLite's search index gives its matches in that order.

import { type Database, limited } from '../database.ts'
import { type Filter, filtersOf } from './filters.ts'
import { hasGrown } from './growth.ts'
import { clauseOf, columnOf, fieldHolds, holdsWord } from './list-clauses.ts'
import type { Condition, ListQuery } from './list-query.ts'
import { isLong, orderKeys } from './orders.ts'
import type { Resource, Resources } from './resource.ts'
import { type Clause, candidates, type InTurn } from './search-index.ts'

/** The clauses of a `where`, and what to order by, the id last. `chosenFirst`: what is sorted are rows, of which the first are
 *  then made into JSON. `counted`: the clauses for counting all matches. `among`: records are taken one after the other as the
 *  search index gives them, by id. `instead`: the way to take when this one has looked at so many rows in vain. */
export type Plan = {
  clauses: Clause[]
  order: string[]
  chosenFirst: boolean
  counted: Clause[]
  among?: InTurn
  instead?: { afterRows: number; plan: Plan }
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
/** From so many on, a walk in the order is tried: it meets enough of them soon, unless they are all at its end. By id, records
 *  come one after the other as they lie, so a walk is worth more. */
const manyMatches = { byId: fewMatches, byField: 10_000 }
/** Rows that such a walk may look at before the matches are gathered first, to pass by the others unread. */
const afterRows = { byId: 20_000, byField: 1500 }
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
  const found = candidates(database.engine, resource, textsOf(query))
  const search = found ? [searchPart(found)] : []
  const [parts, texts] = [partsOf(resource, resources, query), textClauses(database.engine, resource, query)]
  const all = [...parts, ...search]
  const plain = [...parts.map((part) => part.clause(part.column)), ...texts]
  const counted = [...search.map((part) => part.clause(part.column)), ...plain]
  const order = orderKeys(resource, field)
  if (database.engine === 'postgres') {
    const plan: Plan = { clauses: counted, order, chosenFirst: true, counted }
    if (!found) return plan
    return { ...plan, clauses: plain, instead: { afterRows: afterRows.byField, plan } }
  }
  if (!(await hasGrown(database, resource))) {
    return { clauses: plain, order, chosenFirst: field !== 'id', counted: plain }
  }
  const kind = field === 'id' ? 'byId' : 'byField'
  const among = found && field === 'id' && (await beginsNear(database, resource, query)) ? found.inTurn : undefined
  const probed = among ? parts : all
  const { part, count } = await fewest(database, query, probed, manyMatches[kind])
  const others = (but?: Part) => [...parts.filter((each) => each !== but).map((each) => walked(each, query)), ...texts]
  const walk: Plan = { clauses: others(), order, chosenFirst: false, counted }
  const equal = field === 'id' && parts.find(({ isEqual, probe }) => isEqual && probe)
  if (equal && (!part || part === equal || count >= fewMatches)) {
    return { ...walk, clauses: [equal.clause(equal.column), ...others(equal)] } // its index is in the order of ids
  }
  if (part && count < fewMatches) {
    const clauses = [part.clause(part.column), ...outOfOrder(parts, part), ...texts]
    return { ...walk, clauses, order: order.map((key) => `+${key}`) }
  }
  if (among) return { ...walk, among }
  if (!part) return walk
  const gathered = { ...walk, clauses: [part.members, ...others(part)] }
  if (count < manyMatches[kind]) return gathered
  return { ...walk, instead: { afterRows: afterRows[kind], plan: gathered } }
}

/** Whether a page begins near the end of the table that its order begins with. Conditions on the id may begin anywhere. */
async function beginsNear(database: Database, { name }: Resource, query: ListQuery): Promise<boolean> {
  const { sort, after, conditions } = query
  if (conditions.some(({ filter }) => filter === 'id')) return false
  if (!after) return true
  if (!sort.isDescending) return after.id <= nearIds
  const last = await database.get(`select max(id) as id from ${name}`)
  return (last!.id as number) - after.id <= nearIds
}

function outOfOrder(parts: Part[], driver: Part): Clause[] {
  return parts.filter((part) => part !== driver).map((part) => part.clause(`+${part.column}`))
}

/** `+column` is a value to SQLite, and no index is used for it. Only the index that is walked may help. */
function walked(part: Part, { sort }: ListQuery): Clause {
  return part.clause(part.column === sort.field ? part.column : `+${part.column}`)
}

/** The condition with the fewest matches, counted up to `limit`; none where the order to walk in serves every condition. */
async function fewest(
  database: Database,
  { sort }: ListQuery,
  parts: Part[],
  limit: number,
): Promise<{ part?: Part; count: number }> {
  let [best, fewest] = [undefined as Part | undefined, limit]
  for (const part of parts.filter(({ probe, column }) => probe && column !== sort.field).slice(0, mostProbes)) {
    const { sql, values } = part.probe!
    const row = await database.get(`select count(*) as count from (${sql} ${limited})`, [...values, fewest])
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
    return [{ column, clause, probe, members, isEqual: condition.operator === 'eq' && !filter.through }]
  })
}

/** Whether an index finds the matches. */
function isServed(filter: Filter, { operator, values }: Condition): boolean {
  if (operator === 'ne' || (operator === 'null' && !values[0])) return false
  return filter.through !== undefined || !isLong(filter.field)
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
