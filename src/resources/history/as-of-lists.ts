// Reads single records and lists as they were at a point in time. Records that have not changed since then are read
// from the table with its indexes. Changed records are reconstructed from the history. The two results are merged. All
// reads must see the same snapshot.

import type { Database, Value } from '../../database/database.ts'
import { choosePlan } from '../lists/choose-plan.ts'
import { clauseOf, columnOf } from '../lists/clauses.ts'
import { textsOf } from '../lists/conditions.ts'
import { type Filter, filtersOf } from '../lists/options.ts'
import { countMatches, readPage } from '../lists/page.ts'
import type { Plan } from '../lists/plan.ts'
import type { Condition, ListQuery, Page } from '../lists/query.ts'
import { sortKeys } from '../lists/sort-keys.ts'
import { builtRecordJson, type Includes } from '../records/json.ts'
import { type RecordKey, type Resource, type Resources, resourceNamed } from '../resource.ts'
import { hasTexts } from '../search/has-texts.ts'
import type { Clause } from '../search/index.ts'
import {
  type HistoryPosition,
  includedIn,
  positionAfter,
  positionAt,
  recordsChangedSince,
  recordsThen,
  unchangedSince,
  withViews,
} from './as-of.ts'

/** The past state that the list shows: its position in the history, and queries for the other resources as they were at
 *  that time. */
type PastState = HistoryPosition & { resource: Resource; resources: Resources; others: [name: string, query: Clause][] }

/** Returns the JSON text of a record as it was at `moment`, or undefined if the record did not exist at that time. */
export async function findAsOf(
  database: Database,
  resource: Resource,
  resources: Resources,
  { key, moment, includes }: { key: RecordKey; moment: string; includes: Includes },
): Promise<string | undefined> {
  const { seq } = await positionAt(database, moment)
  const reached = [...new Set([resource, ...includedIn(resource, resources, includes)])]
  const views = withViews(reached.map((table) => [table.name, recordsThen(database.engine, table, seq)]))
  const json = builtRecordJson(database.engine, resource, resources, includes)
  const sql = `${views.sql} select ${json} as json from ${resource.name} where ${key.column} = ?`
  const [record] = await database.texts(sql, [...views.values, key.value])
  return record
}

/** Like listRecords. The cursor position contains the number of a change, so that all pages show the same state. */
export async function listAsOf(
  database: Database,
  resource: Resource,
  resources: Resources,
  query: ListQuery,
): Promise<Page> {
  database.setBudget(query.timeoutMs)
  const listedSeq = query.after?.seq
  const point = await (listedSeq === undefined ? positionAt(database, query.asOf!) : positionAfter(database, listedSeq))
  const past = {
    ...point,
    resource,
    resources,
    others: otherTablesThen(database, resource, resources, query, point.seq),
  }
  const planOfChangedRecords = plainPlan(database, resource, resources, query)
  const planOfUnchangedRecords = await planOfUnchanged(database, past, query)
  const records =
    textsOf(query).length > 0
      ? await searchBoth(database, past, query, planOfChangedRecords, planOfUnchangedRecords)
      : await readBoth(database, past, query, planOfChangedRecords, planOfUnchangedRecords)
  const hasMore = records.length > query.limit
  const page = records.slice(0, query.limit)
  const { value, id } = hasMore ? page.at(-1)! : { value: null, id: 0 }
  return {
    records: page.map(({ text }) => text),
    next: hasMore ? { value, id, seq: point.seq } : null,
    total: query.withTotal ? await countAll(database, past, query, planOfChangedRecords, planOfUnchangedRecords) : null,
  }
}

async function readBoth(
  database: Database,
  past: PastState,
  query: ListQuery,
  planOfChanged: Plan,
  planOfUnchanged: Plan,
): Promise<PositionedRecord[]> {
  const changed = await readChanged(database, past, query, planOfChanged)
  const unchanged = await readUnchanged(database, past, query, planOfUnchanged, changed)
  return [...changed, ...unchanged].sort(inOrderOf(query.sort))
}

/** Like readBoth, but for a text search. Only the text of current records is indexed, so changed records are
 *  reconstructed first and then tested. The search for changed records stops after the last unchanged record on the
 *  page. */
async function searchBoth(
  database: Database,
  past: PastState,
  query: ListQuery,
  planOfChanged: Plan,
  planOfUnchanged: Plan,
): Promise<PositionedRecord[]> {
  const compareRecords = inOrderOf(query.sort)
  const found = await readUnchanged(database, past, query, planOfUnchanged, [])
  const end = found[query.limit]
  for (let after = query.after; ; ) {
    const changed = await readChanged(database, past, { ...query, after }, planOfChanged)
    found.push(...changed.filter(({ text }) => hasTexts(past.resource, JSON.parse(text), query)))
    const last = changed.at(-1)
    if (changed.length <= query.limit || (end && compareRecords(last!, end) > 0)) break
    after = { value: last!.value, id: last!.id }
  }
  return found.sort(compareRecords)
}

function otherTablesThen(
  { engine }: Database,
  resource: Resource,
  resources: Resources,
  query: ListQuery,
  seq: number,
): [name: string, query: Clause][] {
  const { filters } = filtersOf(resource, resources)
  const relations = query.conditions.flatMap(({ filter }) => filters.find(({ name }) => name === filter)!.via ?? [])
  const reached = [
    ...includedIn(resource, resources, query.includes),
    ...relations.map(({ to }) => resourceNamed(resources, to)),
  ]
  const others = [...new Set(reached)].filter((table) => table !== resource)
  return others.map((table) => [table.name, recordsThen(engine, table, seq)])
}

/** Returns a plan that uses no index and no search text, because reconstructed records have neither. */
function plainPlan(
  { engine }: Database,
  resource: Resource,
  resources: Resources,
  { conditions, sort }: ListQuery,
): Plan {
  const { filters } = filtersOf(resource, resources)
  const onColumns = conditions.filter(({ operator }) => operator !== 'contains')
  const clauses = onColumns.map((condition) => {
    const filter = filters.find(({ name }) => name === condition.filter)!
    return engine === 'postgres' && filter.via
      ? relatedClause(filter, filter.via, condition)
      : clauseOf(filter, condition, columnOf(filter), resource.name)
  })
  const order = sortKeys(resource, sort.field)
  return { strategy: 'read all', clauses, order, countClauses: clauses }
}

/** Uses an array, because PostgreSQL evaluates an array only once. PostgreSQL might run a plain subquery for every
 *  record, and reconstruct all related records each time. */
function relatedClause(
  { via: _, ...filter }: Filter,
  { reference, to, column }: Through,
  condition: Condition,
): Clause {
  const { sql, values } = clauseOf(filter, condition, column, to)
  return { sql: `${reference} = any(array(select id from ${to} where ${sql}))`, values }
}

async function planOfUnchanged(
  database: Database,
  { resource, resources, seq }: PastState,
  query: ListQuery,
): Promise<Plan> {
  const isPlain = database.engine === 'postgres' && textsOf(query).length === 0
  const plan = isPlain ? plainPlan : choosePlan
  return restrictPlan(await plan(database, resource, resources, query), [unchangedSince(resource, seq)])
}

/** The same plan with additional conditions. */
function restrictPlan({ fallback, ...plan }: Plan, clauses: Clause[]): Plan {
  return {
    ...plan,
    clauses: [...plan.clauses, ...clauses],
    countClauses: [...plan.countClauses, ...clauses],
    ...(fallback && { fallback: { ...fallback, plan: restrictPlan(fallback.plan, clauses) } }),
  }
}

type Through = NonNullable<Filter['via']>

type PositionedRecord = { text: string; value: Value; id: number }

/** Finds the page's ids first and then reconstructs only these records: reconstructing a record takes much longer than
 *  finding its position. */
async function readChanged(
  database: Database,
  past: PastState,
  query: ListQuery,
  plan: Plan,
): Promise<PositionedRecord[]> {
  const { resource, resources } = past
  const places = viewOfChanged(database, past, cheaperWayToFind(past, query.sort))
  const selectIds = { sql: `${places.sql} select cast(id as text) as number`, values: places.values }
  const ids = (await readPage(database, resource, query, plan, selectIds)).map(Number)
  if (ids.length === 0) return []
  const { sql, values } = viewOfChanged(database, past, 'record')
  const json = builtRecordJson(database.engine, resource, resources, query.includes)
  const placeholders = ids.map(() => '?').join(', ')
  const select = `${sql} select ${json} as json from ${resource.name} where id in (${placeholders})`
  const records = (await database.texts(select, [...values, ...ids])).map((text) => withPosition(text, query.sort))
  const byId = new Map(records.map((record) => [record.id, record]))
  return ids.map((id) => byId.get(id)!)
}

function viewOfChanged({ engine }: Database, { resource, seq, others }: PastState, by: 'change' | 'record'): Clause {
  return withViews([...others, [resource.name, recordsChangedSince(engine, resource, seq, by)]])
}

/** If there are fewer later changes than this, a list sorted by id walks the changes. Otherwise the list walks the
 *  records, which fills a page quickly. */
const minChangesToWalkById = 1000

/** Whether to walk the later changes or all records. */
function cheaperWayToFind({ seq, since }: HistoryPosition, sort: ListQuery['sort']): 'change' | 'record' {
  return since < (sort.field === 'id' ? minChangesToWalkById : seq / 10) ? 'change' : 'record'
}

async function readUnchanged(
  database: Database,
  { resource, resources, others }: PastState,
  query: ListQuery,
  plan: Plan,
  changed: PositionedRecord[],
): Promise<PositionedRecord[]> {
  const views = withViews(others)
  const json = builtRecordJson(database.engine, resource, resources, query.includes)
  const select = { sql: `${views.sql} select ${json} as json`, values: views.values }
  const records = await readPage(
    database,
    resource,
    query,
    restrictPlan(plan, untilLastChanged(query, changed)),
    select,
  )
  return records.map((text) => withPosition(text, query.sort))
}

/** In a list sorted by id, stops the walk at the last changed record on a full page. If nearly all records have
 *  changed, the walk would otherwise examine all of them in search of unchanged ones. */
function untilLastChanged({ sort, limit }: ListQuery, changed: PositionedRecord[]): Clause[] {
  if (sort.field !== 'id' || changed.length <= limit) return []
  return [{ sql: `id ${sort.isDescending ? '>=' : '<='} ?`, values: [changed.at(-1)!.id] }]
}

function withPosition(text: string, { field }: ListQuery['sort']): PositionedRecord {
  const record = JSON.parse(text)
  return { text, value: record[field], id: record.id }
}

function inOrderOf({ isDescending }: ListQuery['sort']): (one: PositionedRecord, other: PositionedRecord) => number {
  const sign = isDescending ? -1 : 1
  return (one, other) => sign * (compare(one.value, other.value) || one.id - other.id)
}

/** Compares values in the same order as both engines: nulls come first, and text is ordered by its UTF-8 bytes. */
function compare(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
}

async function countAll(
  database: Database,
  past: PastState,
  query: ListQuery,
  planOfChangedRecords: Plan,
  planOfUnchangedRecords: Plan,
): Promise<number> {
  const view = viewOfChanged(database, past, cheaperWayToFind(past, query.sort))
  const changed = await countMatches(database, past.resource, planOfChangedRecords, view)
  return changed + (await countMatches(database, past.resource, planOfUnchangedRecords, withViews(past.others)))
}
