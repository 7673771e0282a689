// Lists (contract §9): reads one page of the records that match a query, starting after a position.

import { type Database, limitClause, RowBudgetExceeded, rowsPerCheck } from '../../database/database.ts'
import { recordJson } from '../records/json.ts'
import type { Resource, Resources } from '../resource.ts'
import type { Clause, InTurn } from '../search/index.ts'
import { choosePlan, type Plan } from './plan.ts'
import type { ListQuery, Page, Position } from './query.ts'
import { sortValues } from './sort-keys.ts'

/** One page after the position. Throws TooSlow. */
export async function listRecords(
  database: Database,
  resource: Resource,
  resources: Resources,
  query: ListQuery,
): Promise<Page> {
  database.setBudget(query.timeoutMs)
  const plan = await choosePlan(database, resource, resources, query)
  const json = recordJson(database.engine, resource, resources, query.includes)
  const records = await readPage(database, resource, query, plan, { sql: `select ${json} as json`, values: [] })
  const hasMore = records.length > query.limit
  if (hasMore) records.pop()
  if (query.withTotal) database.setBudget(query.timeoutMs)
  const total = query.withTotal ? await countMatches(database, resource, plan) : null
  return { records, next: hasMore ? positionOf(records.at(-1)!, query.sort.field) : null, total }
}

/** Reads one row more than the page size, which shows whether there are more. `select`: the beginning of the statement, which
 *  selects one text per record. */
export async function readPage(
  database: Database,
  resource: Resource,
  query: ListQuery,
  { fallback: instead, ...plan }: Plan,
  select: Clause,
): Promise<string[]> {
  if (!instead) return readBy(database, resource, query, plan, select)
  if (database.engine === 'postgres') {
    const records = await readBy(database, resource, query, plan, select, instead.afterRows)
    return records.length > query.limit ? records : readBy(database, resource, query, instead.plan, select)
  }
  try {
    database.setBudget(query.timeoutMs, instead.afterRows)
    return await readBy(database, resource, query, plan, select)
  } catch (error) {
    if (!(error instanceof RowBudgetExceeded)) throw error
  } finally {
    database.setBudget(query.timeoutMs) // removes the row budget for the following statements
  }
  return readBy(database, resource, query, instead.plan, select)
}

/** `rows`: only this many rows after the position are examined. */
async function readBy(
  database: Database,
  resource: Resource,
  query: ListQuery,
  plan: Plan,
  select: Clause,
  rows?: number,
): Promise<string[]> {
  const records: string[] = []
  for (const { clauses, order } of segments(database, resource, query, plan)) {
    const wanted = query.limit + 1 - records.length
    const from = plan.among
      ? inTurn(database, resource, query, plan.among, [...plan.clauses, ...clauses], wanted)
      : sourceOf(database, resource, order, plan, clauses, { wanted, rows })
    const sql = `${select.sql} from ${from.sql} order by ${order} ${limitClause}`
    records.push(...(await database.texts(sql, [...select.values, ...from.values, wanted])))
    if (records.length > query.limit || rows !== undefined) break
  }
  return records
}

/** The `from` and `where` of the statement. If the plan sorts, a subquery limits the rows before their JSON is built. */
function sourceOf(
  database: Database,
  { name }: Resource,
  order: string,
  { clauses, limitBeforeJson: chosenFirst }: Plan,
  segment: Clause[],
  { wanted, rows }: { wanted: number; rows?: number | undefined },
): Clause {
  const behind = whereOf(rows === undefined ? [...watch(database), ...clauses, ...segment] : segment)
  if (!chosenFirst) return { sql: `${name} ${behind.sql}`, values: behind.values }
  const chosen = `(select * from ${name} ${behind.sql} order by ${order} ${limitClause}) ${name}`
  const among = whereOf(rows === undefined ? [] : clauses)
  return { sql: `${chosen} ${among.sql}`, values: [...behind.values, rows ?? wanted, ...among.values] }
}

/** The first candidates that match the conditions. Written so that SQLite reads the candidates one by one in the order of
 *  their ids and stops when the page is full; with `id in (...)` it would read all of them. */
function inTurn(
  database: Database,
  { name }: Resource,
  { sort, after }: ListQuery,
  { indexed, lately }: InTurn,
  clauses: Clause[],
  wanted: number,
): Clause {
  const [direction, than] = sort.isDescending ? ['desc', '<'] : ['asc', '>']
  const behind = after ? { sql: `and rowid ${than} ?`, values: [after.id] } : nothing
  const where = whereOf([...watch(database), ...clauses])
  const found = `(${indexed.sql} ${behind.sql} order by rowid ${direction}) found`
  const chosen = `select found.rowid as id from ${found} cross join ${name} on id = found.rowid ${where.sql}
    union select id from ${name} ${where.sql} and id in (${lately.sql}) order by id ${direction} ${limitClause}`
  const values = [...indexed.values, ...behind.values, ...where.values, ...where.values, ...lately.values, wanted]
  return { sql: `${name} where id in (select id from (${chosen}))`, values }
}

/** A part of the rows after the position that can be read in the order of an index. */
type Segment = { clauses: Clause[]; order: string }

/** The segments in the order of the list: nulls come first in ascending order. A long text is sorted by more than its index
 *  contains, so its nulls are a segment of their own: nearly all rows may be null, and they need no such sorting. */
function segments({ engine }: Database, resource: Resource, { sort, after }: ListQuery, { order }: Plan): Segment[] {
  const [first, last] = [order[0]!, order.at(-1)!]
  const part = (clauses: Clause[], keys = order): Segment => ({ clauses, order: orderOf(keys, sort) })
  const than = sort.isDescending ? '<' : '>'
  const farther = after ? [{ sql: `${last} ${than} ?`, values: [after.id] }] : []
  if (sort.field === 'id') return [part(farther)]
  const keysOfNulls = engine === 'sqlite' ? [last] : [first, last] // so that each engine recognizes the order of its index
  const nulls = (behind: Clause[] = []) => part([{ sql: `${first} is null`, values: [] }, ...behind], keysOfNulls)
  const others = part([{ sql: `${first} is not null`, values: [] }])
  if (!after && order.length === 2) return [part([])]
  if (!after) return sort.isDescending ? [others, nulls()] : [nulls(), others]
  if (after.value === null) return sort.isDescending ? [nulls(farther)] : [nulls(farther), others]
  const place = `(${order.join(', ')}) ${than} (${order.map(() => '?').join(', ')})`
  const behind = part([{ sql: place, values: sortValues(resource, sort.field, after) }])
  const field = resource.fields[sort.field]
  const isNullable = field !== undefined && !field.required && !('default' in field)
  return sort.isDescending && isNullable ? [behind, nulls()] : [behind]
}

/** Matches the order of the indexes: PostgreSQL uses an index only if the position of nulls matches too. The id has no nulls
 *  clause, because PostgreSQL does not infer that it is never null. */
function orderOf(keys: string[], { isDescending }: ListQuery['sort']): string {
  const [direction, nulls] = isDescending ? ['desc', 'nulls last'] : ['asc', 'nulls first']
  return [...keys.slice(0, -1).map((key) => `${key} ${direction} ${nulls}`), `${keys.at(-1)} ${direction}`].join(', ')
}

const nothing: Clause = { sql: '', values: [] }

/** The number of matching records. `before`: a `with` clause that precedes the statement. */
export async function countMatches(
  database: Database,
  resource: Resource,
  plan: Plan,
  before = nothing,
): Promise<number> {
  const where = whereOf(plan.counted.length > 0 ? [...watch(database), ...plan.counted] : [])
  const sql = `${before.sql} select count(*) as count from ${resource.name} ${where.sql}`
  const row = await database.get(sql, [...before.values, ...where.values])
  return row!.count as number
}

/** Checks the time and row budget every few rows on SQLite. It is the first condition, so that it is also evaluated for rows
 *  that do not match. */
function watch({ engine }: Database): Clause[] {
  return engine === 'sqlite'
    ? [{ sql: `case when id & ${rowsPerCheck - 1} then 1 else within_budget() end`, values: [] }]
    : []
}

function whereOf(clauses: readonly Clause[]): Clause {
  const tests = clauses.map(({ sql }) => sql).join(' and ')
  return { sql: tests && `where ${tests}`, values: clauses.flatMap(({ values }) => values) }
}

function positionOf(json: string, field: string): Position {
  const record = JSON.parse(json)
  return { value: record[field], id: record.id }
}
