// Lists (contract §9): reads one page of the records that match a query, starting after a position.

import {
  allOf,
  budgetCheck,
  type Clause,
  type Database,
  limitClause,
  RowBudgetExceeded,
} from '../../engine/database/database.ts'
import { type Declared, type Resource, resourceNamed } from '../declarations/resource.ts'
import { recordJson } from '../records/json.ts'
import { keysetSegments, segmentSql } from './order.ts'
import { choosePostgresPlan, chooseSqlitePlan } from './plan.ts'
import type { JsonPage, List, ListInput, ListPlan, Position } from './query.ts'

export function toList(database: Database, { resource, query }: ListInput, { resources }: Declared): List {
  return { database, resource: resourceNamed(resources, resource), resources, query }
}

/** Reads one page after the query's position. Throws TooSlow. */
export async function listRecords(list: List): Promise<JsonPage> {
  const { database, resource, resources, query } = list
  database.setBudget(query.timeoutMs)
  const plan = await choosePlan(list)
  const json = recordJson(database.engine, resource, resources, query.includes)
  const records = await readPage(list, plan, { sql: `select ${json} as json`, values: [] })
  const hasMore = records.length > query.limit
  if (hasMore) records.pop()
  if (query.withTotal) database.setBudget(query.timeoutMs)
  const total = query.withTotal ? await countMatches(list, plan) : null
  return { records, next: hasMore ? positionOf(records.at(-1)!, query.sort.field) : null, total }
}

/** Reads the records with these ids, in this order, as JSON text. Leaves out records that do not exist. */
export async function readByIds(list: List, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return []
  const sort = { field: 'id', isDescending: false }
  const conditions = [{ filter: 'id', operator: 'in', values: ids } as const]
  const query = { ...list.query, limit: ids.length, sort, conditions, words: [], after: null, withTotal: false }
  const { records } = await listRecords({ ...list, query })
  const recordOf = new Map(records.map((json) => [positionOf(json, 'id').id, json]))
  return ids.flatMap((id) => recordOf.get(id) ?? [])
}

/** Chooses how the database finds the page. All plans find the same records. */
export function choosePlan(list: List): Promise<ListPlan> {
  return list.database.engine === 'sqlite' ? chooseSqlitePlan(list) : choosePostgresPlan(list)
}

/** The same plan with additional conditions. */
export function restrictPlan({ fallback, ...plan }: ListPlan, clauses: Clause[]): ListPlan {
  return {
    ...plan,
    clauses: [...plan.clauses, ...clauses],
    countClauses: [...plan.countClauses, ...clauses],
    ...(fallback && { fallback: { ...fallback, plan: restrictPlan(fallback.plan, clauses) } }),
  }
}

/** Reads one row more than the page size, if there is one, so that the caller knows whether another page follows.
 *  `select`: the beginning of the statement, which selects one text per record. */
export async function readPage(list: List, { fallback, ...plan }: ListPlan, select: Clause): Promise<string[]> {
  if (!fallback) return readSegments(list, plan, select)
  const records = await readWithin(fallback.afterRows, list, plan, select)
  return records ?? readSegments(list, fallback.plan, select)
}

/** Reads a page by examining at most this many rows. Returns undefined if these rows do not fill the page. */
async function readWithin(rows: number, list: List, plan: ListPlan, select: Clause): Promise<string[] | undefined> {
  const { database, query } = list
  if (database.engine === 'postgres') {
    const records = await readFirstRows(rows, list, plan, select)
    return records.length > query.limit ? records : undefined
  }
  try {
    database.setBudget(query.timeoutMs, rows)
    return await readSegments(list, plan, select)
  } catch (error) {
    if (error instanceof RowBudgetExceeded) return undefined
    throw error
  } finally {
    database.setBudget(query.timeoutMs) // removes the row budget for the following statements
  }
}

async function readSegments(list: List, plan: ListPlan, select: Clause): Promise<string[]> {
  const { database, resource, query } = list
  const records: string[] = []
  for (const segment of keysetSegments(list)) {
    const missing = query.limit + 1 - records.length
    if (missing === 0) break
    const { clauses, order } = segmentSql(list, plan.order, segment)
    const where = whereOf([...budgetCheck(database, 'id'), ...plan.clauses, ...clauses])
    const rows = { sql: `${resource.name} ${where.sql}`, values: where.values }
    const from = database.engine === 'postgres' ? limitFirst(resource, rows, order, missing) : rows
    const sql = `${select.sql} from ${from.sql} order by ${order} ${limitClause}`
    records.push(...(await database.texts(sql, [...select.values, ...from.values, missing])))
  }
  return records
}

/** Reads the matches among the first rows of the first segment on PostgreSQL, which has no row budget. */
async function readFirstRows(count: number, list: List, plan: ListPlan, select: Clause): Promise<string[]> {
  const { database, resource, query } = list
  const segment = keysetSegments(list)[0]!
  const { clauses, order } = segmentSql(list, plan.order, segment)
  const position = whereOf(clauses)
  const rows = { sql: `${resource.name} ${position.sql}`, values: position.values }
  const first = limitFirst(resource, rows, order, count)
  const where = whereOf(plan.clauses)
  const sql = `${select.sql} from ${first.sql} ${where.sql} order by ${order} ${limitClause}`
  return database.texts(sql, [...select.values, ...first.values, ...where.values, query.limit + 1])
}

/** Returns a subquery that sorts and limits the rows, under the table's name. PostgreSQL would otherwise build the JSON
 *  of all rows before sorting them. */
function limitFirst({ name }: Resource, rows: Clause, order: string, count: number): Clause {
  return {
    sql: `(select * from ${rows.sql} order by ${order} ${limitClause}) ${name}`,
    values: [...rows.values, count],
  }
}

/** The number of matching records. `before`: a `with` clause that precedes the statement. */
export async function countMatches(
  { database, resource }: Pick<List, 'database' | 'resource'>,
  { countClauses }: Pick<ListPlan, 'countClauses'>,
  before: Clause = { sql: '', values: [] },
): Promise<number> {
  const where = whereOf(countClauses.length > 0 ? [...budgetCheck(database, 'id'), ...countClauses] : [])
  const sql = `${before.sql} select count(*) as count from ${resource.name} ${where.sql}`
  const row = await database.get<{ count: number }>(sql, [...before.values, ...where.values])
  return row!.count
}

/** The number of records that match a query. Throws TooSlow. */
export async function countRecords(list: List): Promise<number> {
  list.database.setBudget(list.query.timeoutMs)
  return countMatches(list, await choosePlan(list))
}

export function countTable(database: Database, resource: Resource): Promise<number> {
  return countMatches({ database, resource }, { countClauses: [] })
}

export function whereOf(clauses: readonly Clause[]): Clause {
  const { sql, values } = allOf(clauses)
  return { sql: sql && `where ${sql}`, values }
}

/** A record's JSON begins with its id (json.ts), so a list by id need not parse the record. */
function positionOf(json: string, field: string): Position {
  if (field === 'id') {
    const id = Number.parseInt(json.slice('{"id":'.length), 10)
    return { value: id, id }
  }
  const record = JSON.parse(json)
  return { value: record[field], id: record.id }
}
