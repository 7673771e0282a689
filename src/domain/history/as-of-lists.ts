// Reads lists as they were at a point in time. Records that have not changed since then are read from the table through
// its indexes. Changed records are reconstructed from the history. The two results are merged. All reads must see the
// same snapshot.

import { budgetCheck, type Clause, type Value } from '../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../engine/database/statements.ts'
import { resourceNamed } from '../declarations/resource.ts'
import { compareIn, firstPositions, sortKeys } from '../lists/order.ts'
import { choosePlan, countMatches, readPage, restrictPlan, whereOf } from '../lists/page.ts'
import { clauseOf, filterColumn, textsOf } from '../lists/plan.ts'
import type { Condition, JsonPage, List, ListPlan, ListQuery, Position } from '../lists/query.ts'
import { type Filter, filtersOf } from '../lists/request/options.ts'
import { builtRecordJson } from '../records/json.ts'
import { hasTexts } from '../search/fold.ts'
import { includedIn, recordsAsOf, recordsChangedSince, unchangedSince, withViews } from './as-of.ts'
import { type HistoryPosition, positionAfter, positionAt } from './positions.ts'

/** A list of a past state: its position in the history, queries for the other resources as they were at that time, and
 *  one plan for the records that have changed since then and one for the records that have not. `positions`: of all
 *  changed records that match; undefined in a list sorted by id, which can fill a page without reading all of them. */
type PastList = List &
  HistoryPosition & {
    others: [name: string, query: Clause][]
    plans: { changed: ListPlan; unchanged: ListPlan }
    positions?: Position[]
  }

type PositionedRecord = { text: string; value: Value; id: number }

/** Like listRecords. The cursor position contains the number of a change, so that all pages show the same state. */
export async function listAsOf(list: List): Promise<JsonPage> {
  const { database, query } = list
  database.setBudget(query.timeoutMs)
  const listedSeq = query.after?.seq
  const point = await (listedSeq === undefined ? positionAt(database, query.asOf!) : positionAfter(database, listedSeq))
  const plans = { changed: planChanged(list), unchanged: await planUnchanged(list, point.seq) }
  const pastList: PastList = { ...list, ...point, others: otherTablesAsOf(list, point.seq), plans }
  if (query.sort.field !== 'id') pastList.positions = await readPositions(pastList)
  const records = textsOf(query).length > 0 ? await searchBoth(pastList) : await readBoth(pastList)
  const hasMore = records.length > query.limit
  const page = records.slice(0, query.limit)
  const { value, id } = hasMore ? page.at(-1)! : { value: null, id: 0 }
  return {
    records: page.map(({ text }) => text),
    next: hasMore ? { value, id, seq: point.seq } : null,
    total: query.withTotal ? await countBoth(pastList) : null,
  }
}

/** Returns queries for the other resources that the list reads, as they were at change `seq`. */
function otherTablesAsOf(list: List, seq: number): [name: string, query: Clause][] {
  const { database, resource, resources, query } = list
  const { filters } = filtersOf(resource, resources)
  const relations = query.conditions.flatMap(({ filter }) => filters.find(({ name }) => name === filter)!.via ?? [])
  const reached = [
    ...includedIn(resource, resources, query.includes),
    ...relations.map(({ to }) => resourceNamed(resources, to)),
  ]
  const others = [...new Set(reached)].filter((table) => table !== resource)
  return others.map((table) => [table.name, recordsAsOf(database.engine, table, seq)])
}

async function readBoth(list: PastList): Promise<PositionedRecord[]> {
  const changed = await readChanged(list)
  const unchanged = await readUnchanged(list, changed)
  return [...changed, ...unchanged].sort((one, other) => compareIn(list, one, other))
}

/** Like readBoth, but for a text search. Only the text of current records is indexed, so changed records are
 *  reconstructed first and then tested. It reads changed records only until their sort position is past the unchanged
 *  records that fill the page. */
async function searchBoth(list: PastList): Promise<PositionedRecord[]> {
  const { resource, query } = list
  const compareRecords = (one: Position, other: Position) => compareIn(list, one, other)
  const records = await readUnchanged(list, [])
  const end = records[query.limit]
  for (let after = query.after; ; ) {
    const changed = await readChanged({ ...list, query: { ...query, after } })
    records.push(...changed.filter(({ text }) => hasTexts(resource, JSON.parse(text), query)))
    const last = changed.at(-1)
    if (changed.length <= query.limit || (end && compareRecords(last!, end) > 0)) break
    after = { value: last!.value, id: last!.id }
  }
  return records.sort(compareRecords)
}

/** Reads the page's changed records. It finds their ids first and then reconstructs only these records, because
 *  reconstructing a record takes much longer than finding its position. */
async function readChanged(list: PastList): Promise<PositionedRecord[]> {
  const { database, resource, resources, query } = list
  const ids = list.positions ? firstPositions(list, list.positions).map(({ id }) => id) : await firstById(list)
  if (ids.length === 0) return []
  const { sql, values } = viewOfChanged(list, 'record')
  const json = builtRecordJson(database.engine, resource, resources, query.includes)
  const select = `${sql} select ${json} as json from ${resource.name} where id in (${unpaddedPlaceholders(ids)})`
  const records = (await database.texts(select, [...values, ...ids])).map((text) => withPosition(text, query.sort))
  const byId = new Map(records.map((record) => [record.id, record]))
  return ids.map((id) => byId.get(id)!)
}

async function firstById(list: PastList): Promise<number[]> {
  const { sql, values } = viewOfChanged(list, cheaperWayToFind(list))
  return (await readPage(list, list.plans.changed, { sql: `${sql} select cast(id as text) as number`, values })).map(
    Number,
  )
}

/** Reads the positions of the changed records. The list is sorted here, because only current records have a folded name
 *  in the database, and because the database would reconstruct the field several times for each record. */
async function readPositions(list: PastList): Promise<Position[]> {
  const { database, resource, query, plans } = list
  const view = viewOfChanged(list, cheaperWayToFind(list))
  const where = whereOf([...budgetCheck(database, 'id'), ...plans.changed.clauses])
  const sql = `${view.sql} select id, ${query.sort.field} as value from ${resource.name} ${where.sql}`
  const rows = await database.all<{ id: number; value: Value }>(sql, [...view.values, ...where.values])
  const isBoolean = resource.fields[query.sort.field]?.kind === 'boolean' // SQLite returns a number
  return rows.map(({ id, value }) => ({ id, value: isBoolean && value !== null ? Boolean(value) : value }))
}

function viewOfChanged({ database, resource, seq, others }: PastList, by: 'change' | 'record'): Clause {
  return withViews([...others, [resource.name, recordsChangedSince(database.engine, resource, seq, by)]])
}

/** If there are fewer later changes than this, a list sorted by id walks the changes. Otherwise the list walks the
 *  records, which fills a page quickly. */
const minChangesToWalkById = 1000

/** Whether to walk the later changes or all records. */
function cheaperWayToFind({ seq, laterChanges, query: { sort } }: PastList): 'change' | 'record' {
  return laterChanges < (sort.field === 'id' ? minChangesToWalkById : seq / 10) ? 'change' : 'record'
}

/** `changed`: the changed records on the page; empty if they have not been read. */
async function readUnchanged(list: PastList, changed: PositionedRecord[]): Promise<PositionedRecord[]> {
  const { database, resource, resources, query, others, plans } = list
  const views = withViews(others)
  const json = builtRecordJson(database.engine, resource, resources, query.includes)
  const select = { sql: `${views.sql} select ${json} as json`, values: views.values }
  const plan = restrictPlan(plans.unchanged, untilLastChanged(query, changed))
  const records = await readPage(list, plan, select)
  return records.map((text) => withPosition(text, query.sort))
}

/** In a list sorted by id, stops the walk at the last changed record on a full page. Without this limit, if nearly all
 *  records have changed, the walk would examine all of them in search of unchanged ones. */
function untilLastChanged({ sort, limit }: ListQuery, changed: PositionedRecord[]): Clause[] {
  if (sort.field !== 'id' || changed.length <= limit) return []
  return [{ sql: `id ${sort.isDescending ? '>=' : '<='} ?`, values: [changed.at(-1)!.id] }]
}

function withPosition(text: string, { field }: ListQuery['sort']): PositionedRecord {
  const record = JSON.parse(text)
  return { text, value: record[field], id: record.id }
}

/** The number of matching records in the past state. */
async function countBoth(list: PastList): Promise<number> {
  const { positions, plans, others } = list
  const countChanged = () => countMatches(list, plans.changed, viewOfChanged(list, cheaperWayToFind(list)))
  return (positions?.length ?? (await countChanged())) + (await countMatches(list, plans.unchanged, withViews(others)))
}

/** Plans the search for records that have changed since the past state. The plan uses no index and no search text,
 *  because reconstructed records have neither. */
function planChanged({ database: { engine }, resource, resources, query }: List): ListPlan {
  const { conditions, sort } = query
  const { filters } = filtersOf(resource, resources)
  const onColumns = conditions.filter(({ operator }) => operator !== 'contains')
  const clauses = onColumns.map((condition) => {
    const filter = filters.find(({ name }) => name === condition.filter)!
    return engine === 'postgres' && filter.via
      ? relatedClause(filter, filter.via, condition)
      : clauseOf(filter, condition, { column: filterColumn(filter), table: resource.name })
  })
  const order = sortKeys(engine, resource, sort.field)
  return { strategy: 'read all', clauses, order, countClauses: clauses }
}

type Through = NonNullable<Filter['via']>

/** Uses an array, because PostgreSQL evaluates an array only once. PostgreSQL might run a plain subquery for every
 *  record, and reconstruct all related records each time. */
function relatedClause(
  { via: _, ...filter }: Filter,
  { reference, to, column }: Through,
  condition: Condition,
): Clause {
  const { sql, values } = clauseOf(filter, condition, { column, table: to })
  return { sql: `${reference} = any(array(select id from ${to} where ${sql}))`, values }
}

/** Plans the search for records that have not changed since change `seq`. */
async function planUnchanged(list: List, seq: number): Promise<ListPlan> {
  const isPlain = list.database.engine === 'postgres' && textsOf(list.query).length === 0
  const plan = isPlain ? planChanged(list) : await choosePlan(list)
  return restrictPlan(plan, [unchangedSince(list.resource, seq)])
}
