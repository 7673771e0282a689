// Lists (contract §9): one page of the records that meet some conditions, in some order, after some position.

import { type Database, limitClause, RowBudgetExceeded, rowsPerCheck } from '../../database/database.ts'
import { recordJson } from '../records/json.ts'
import type { Resource, Resources } from '../resource.ts'
import type { Clause, InTurn } from '../search/index.ts'
import { choosePlan, type Plan } from './plan.ts'
import type { ListQuery, Page, Position } from './query.ts'
import { sortValues } from './sort-keys.ts'

/** Records a page behind the position. Throws TooSlow. */
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

/** One row more than a page has, which tells that there are more. `select`: a text of each, with what stands before. */
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
    database.setBudget(query.timeoutMs) // whatever comes next may look at any number of rows
  }
  return readBy(database, resource, query, instead.plan, select)
}

/** With `rows`: those that match among so many, from the position on. */
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

/** The rows to choose from, with their conditions. Of what is sorted, the rows are chosen before their JSON is made. */
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

/** The first of the candidates that meet the conditions. SQLite takes them one by one in the order of their ids, and none after
 *  the last that is wanted; from a list of them it would take all. */
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

/** Part of what lies behind the position, as an index can walk it. */
type Segment = { clauses: Clause[]; order: string }

/** The parts one after the other: nulls stand first, ascending. A long text is sorted by more than its index holds, which the
 *  nulls are kept out of: they may be all but a few. */
function segments({ engine }: Database, resource: Resource, { sort, after }: ListQuery, { order }: Plan): Segment[] {
  const [first, last] = [order[0]!, order.at(-1)!]
  const part = (clauses: Clause[], keys = order): Segment => ({ clauses, order: orderOf(keys, sort) })
  const than = sort.isDescending ? '<' : '>'
  const farther = after ? [{ sql: `${last} ${than} ?`, values: [after.id] }] : []
  if (sort.field === 'id') return [part(farther)]
  const keysOfNulls = engine === 'sqlite' ? [last] : [first, last] // so that each sees that its index is in this order
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

/** As the indexes are: PostgreSQL takes none whose nulls stand elsewhere, and of the id it does not see that it has none. */
function orderOf(keys: string[], { isDescending }: ListQuery['sort']): string {
  const [direction, nulls] = isDescending ? ['desc', 'nulls last'] : ['asc', 'nulls first']
  return [...keys.slice(0, -1).map((key) => `${key} ${direction} ${nulls}`), `${keys.at(-1)} ${direction}`].join(', ')
}

const nothing: Clause = { sql: '', values: [] }

/** How many records match. `before`: what stands before the statement. */
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

/** On SQLite the clock is looked at now and then; first of all, so that it is for records that do not match as well. */
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
