// Sort orders that only the panel offers: by the titles of related records, such as assets by their holder's name or by
// the name of the holder's branch, and by how many records belong to each record, such as branches by their assets. The
// API sorts lists by fields.

import { budgetCheck, type Clause, type Database, limitClause, type Value } from '../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../engine/database/statements.ts'
import { type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import { countColumnsOf, countedBy, countsSql } from './counts.ts'
import { titleKey } from './order.ts'
import { choosePlan, countMatches, readByIds, whereOf } from './page.ts'
import { columnConditions, textConditions } from './plan.ts'
import type { JsonPage, List, ListPlan, ListQuery, Position } from './query.ts'
import { filtersOf, titleName } from './request/options.ts'

/** An order by the titles of related records. `references`: the one or two references that lead to them. `middle`: the
 *  resource between two references. */
type TitleOrder = { references: readonly string[]; middle: Resource | undefined; titled: Resource }

/** `counted`: sorts by the number of records of this resource that belong to each record. */
export type OwnOrder = TitleOrder | { counted: Resource }

/** The order for a sort field such as `customer_name` or `hardware_count`. Undefined for a field by which the API can
 *  sort. */
export function ownOrderOf(resource: Resource, resources: Resources, sortField: string): OwnOrder | undefined {
  const { includes } = filtersOf(resource, resources)
  const path = includes.find(({ path }) => titleName(path.at(-1)!.reference) === sortField)?.path
  if (path) {
    const references = path.map(({ reference }) => reference)
    const [titled, middle] = path.toReversed().map(({ to }) => resourceNamed(resources, to))
    return { references, middle, titled: titled! }
  }
  const isCount = countColumnsOf(resource, resources).includes(sortField)
  return isCount ? { counted: resourceNamed(resources, countedBy(sortField)) } : undefined
}

/** Like listRecords, for a query in one of the panel's own orders. */
export async function listInOwnOrder(list: List): Promise<JsonPage> {
  const { database, resource, resources, query } = list
  const order = ownOrderOf(resource, resources, query.sort.field)
  if (!order) throw new Error(`lists of ${resource.name} cannot be sorted by ${query.sort.field}`)
  database.setBudget(query.timeoutMs)
  const sort = { field: 'id', isDescending: false }
  const plan = await choosePlan({ ...list, query: { ...query, sort, after: null } })
  if ('counted' in order) {
    const total = query.withTotal ? await countMatches(list, plan) : null
    return readRecordsAt(list, await positionsByCount(list, order.counted, plan), total)
  }
  const total = await countMatches(list, plan)
  return readRecordsAt(list, await positionsByTitle(list, order, plan, total), query.withTotal ? total : null)
}

/** Reads the records at these positions, with one position more than the page size if there is a next page. */
async function readRecordsAt(list: List, positions: readonly Position[], total: number | null): Promise<JsonPage> {
  const { query } = list
  const pagePositions = positions.slice(0, query.limit)
  const ids = pagePositions.map(({ id }) => id)
  const [first, last] = [pagePositions[0], pagePositions.at(-1)]
  return {
    records: await readByIds(list, ids),
    next: (positions.length > query.limit && last) || null,
    total,
    ...(first && last && { ends: { first, last } }),
  }
}

/** Counts the records of all matches again for each page, using indexes. This is fast enough: there are few branches,
 *  and counting the assets of 20,000 people takes about 30 ms. */
async function positionsByCount(list: List, counted: Resource, { countClauses }: ListPlan): Promise<Position[]> {
  const { database, resource, resources, query } = list
  const matching = whereOf([...budgetCheck(database, 'id'), ...countClauses])
  const [comparison, direction] = query.sort.isDescending ? ['<', 'desc'] : ['>', 'asc']
  const { after, limit } = query
  const sql = `select id, records from (
      select matching.id as id, coalesce(counted.count, 0) as records
      from (select id from ${resource.name} ${matching.sql}) matching
      left join (${countsSql(resources, resource.name, counted)}) counted on counted.id = matching.id) placed
    ${after ? `where (records, id) ${comparison} (?, ?)` : ''} order by records ${direction}, id ${direction} ${limitClause}`
  const position = after ? [after.value, after.id] : []
  const rows = await database.all<{ id: number; records: number }>(sql, [...matching.values, ...position, limit + 1])
  return rows.map(({ id, records }) => ({ value: Number(records), id: Number(id) }))
}

/** If there are at most this many matches, all of them are sorted by title, which takes about 5 µs per match. If there
 *  are more, the related records (called titled records here) are read in title order: one, then four, then sixteen and
 *  so on, each time with the matches that refer to them, until the page is full. With 100,000 assets this takes 2 to 45
 *  ms; sorting all of them takes up to 200 ms. */
const fewMatches = 1500

/** A statement binds one value per titled record, in addition to those of its filters; SQLite allows 32,766. */
const maxTitled = 1000

async function positionsByTitle(list: List, order: TitleOrder, plan: ListPlan, total: number): Promise<Position[]> {
  if (total <= fewMatches) return readPositions(list, order, plan.countClauses)
  const { after, limit } = list.query
  const conditions = conditionsOf(list)
  const positions: Position[] = []
  let titled = after ? [{ id: after.of!, title: after.value }] : await readTitled(list, order, 1)
  for (let next = 4; titled.length > 0 && positions.length <= limit; next = Math.min(4 * next, maxTitled)) {
    positions.push(...(await readPositions(list, order, [refersTo(order, titled), ...conditions])))
    titled = await readTitled(list, order, next, titled.at(-1))
  }
  return positions.slice(0, limit + 1)
}

function conditionsOf(list: List): Clause[] {
  const onColumns = columnConditions(list)
  // SQLite must find the rows by the reference's index, so the conditions take the form that only tests rows.
  const isSqlite = list.database.engine === 'sqlite'
  return [...onColumns.map(({ byRow, byIndex }) => (isSqlite ? byRow : byIndex)), ...textConditions(list)]
}

/** Reads the positions on the page of the records that meet these conditions. */
async function readPositions(
  { database, resource, query }: List,
  { references: [reference, second], middle, titled }: TitleOrder,
  clauses: readonly Clause[],
): Promise<Position[]> {
  const { after, limit } = query
  const [comparison, direction] = directionOf(query)
  const where = whereOf([...budgetCheck(database, 'id'), ...clauses])
  const middles = middle ? `join ${middle.name} m on m.id = matching.${reference}` : ''
  const key = middle ? `m.${second}` : `matching.${reference}`
  const position = after ? `where (titled.title, titled.id, matching.id) ${comparison} (?, ?, ?)` : ''
  const sql = `select matching.id as id, titled.id as "of", titled.title as value
    from (select id, ${reference} from ${resource.name} ${where.sql}) matching ${middles}
    join ${titlesSql(database, titled)} titled on titled.id = ${key} ${position}
    order by titled.title ${direction}, titled.id ${direction}, matching.id ${direction} ${limitClause}`
  const afterValues = after ? [after.value, after.of!, after.id] : []
  return database.all<Required<Omit<Position, 'seq'>>>(sql, [...where.values, ...afterValues, limit + 1])
}

/** The comparison operator and the sort direction. */
function directionOf({ sort }: ListQuery): ['>' | '<', 'asc' | 'desc'] {
  return sort.isDescending ? ['<', 'desc'] : ['>', 'asc']
}

type Titled = { id: number; title: Value }

/** Reads the titled records that follow `last`, or the first ones. */
async function readTitled(
  { database, query }: List,
  { titled }: TitleOrder,
  count: number,
  last?: Titled,
): Promise<Titled[]> {
  const [comparison, direction] = directionOf(query)
  // The first comparison is redundant, but without it SQLite would read the index on titles from its start.
  const afterLast = `title ${comparison}= ? and (title, id) ${comparison} (?, ?)`
  const position = last ? [{ sql: afterLast, values: [last.title, last.title, last.id] }] : []
  const where = whereOf([...budgetCheck(database, 'id'), ...position])
  const sql = `select id, title from ${titlesSql(database, titled)} titled ${where.sql}
    order by title ${direction}, id ${direction} ${limitClause}`
  return database.all<Titled>(sql, [...where.values, count])
}

/** The condition that a record refers to one of these titled records. */
function refersTo({ references: [reference, second], middle }: TitleOrder, titled: readonly Titled[]): Clause {
  const ids = titled.map(({ id }) => id)
  const list = unpaddedPlaceholders(ids)
  const targetIds = middle ? `select id from ${middle.name} where ${second} in (${list})` : list
  return { sql: `${reference} in (${targetIds})`, values: ids }
}

/** Returns a subquery that selects the `id` and `title` of every record of a resource. */
function titlesSql({ engine }: Database, resource: Resource): string {
  return `(select id, ${titleKey(engine, resource)} as title from ${resource.name})`
}
