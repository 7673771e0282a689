// Reads the records on a page of a past state, each with its position in the list. The records that have changed since
// that state are read separately from the records that have not.

import type { Clause, Value } from '../../engine/database/database.ts'
import { isName } from '../declarations/resource.ts'
import { compareIn } from '../lists/order.ts'
import { budgetCheck, countMatches, readPage, whereOf } from '../lists/page.ts'
import type { List, ListPlan, ListQuery, Position } from '../lists/query.ts'
import { builtRecordJson } from '../records/json.ts'
import { type HistoryPosition, recordsChangedSince, withViews } from './as-of.ts'
import { restrictPlan } from './as-of-plans.ts'

/** A list of a past state: its position in the history, queries for the other resources as they were at that time, and
 *  one plan for the records that have changed since then and one for the records that have not. */
export type PastList = List &
  HistoryPosition & { others: [name: string, query: Clause][]; plans: { changed: ListPlan; unchanged: ListPlan } }

/** A record's JSON text with its position in the list. */
export type PositionedRecord = { text: string; value: Value; id: number }

/** Reads the page's changed records. It finds their ids first and then reconstructs only these records, because
 *  reconstructing a record takes much longer than finding its position. */
export async function readChanged(list: PastList): Promise<PositionedRecord[]> {
  const { database, resource, resources, query } = list
  const ids = isName(resource.fields[query.sort.field]) ? await firstByName(list) : await firstInOrder(list)
  if (ids.length === 0) return []
  const { sql, values } = viewOfChanged(list, 'record')
  const json = builtRecordJson(database.engine, resource, resources, query.includes)
  const placeholders = ids.map(() => '?').join(', ')
  const select = `${sql} select ${json} as json from ${resource.name} where id in (${placeholders})`
  const records = (await database.texts(select, [...values, ...ids])).map((text) => withPosition(text, query.sort))
  const byId = new Map(records.map((record) => [record.id, record]))
  return ids.map((id) => byId.get(id)!)
}

async function firstInOrder(list: PastList): Promise<number[]> {
  const { sql, values } = viewOfChanged(list, cheaperWayToFind(list))
  return (await readPage(list, list.plans.changed, { sql: `${sql} select cast(id as text) as number`, values })).map(
    Number,
  )
}

/** Sorts the changed records by name here, because only current records have a folded name in the database. */
async function firstByName(list: PastList): Promise<number[]> {
  const { database, resource, query, plans } = list
  const view = viewOfChanged(list, cheaperWayToFind(list))
  const where = whereOf([...budgetCheck(database), ...plans.changed.clauses])
  const sql = `${view.sql} select id, ${query.sort.field} as value from ${resource.name} ${where.sql}`
  const rows = await database.all(sql, [...view.values, ...where.values])
  const positions = rows.map(({ id, value }): Position => ({ id: Number(id), value: value! }))
  const following = positions.filter((position) => !query.after || compareIn(list, position, query.after) > 0)
  const sorted = following.sort((one, other) => compareIn(list, one, other))
  return sorted.slice(0, query.limit + 1).map(({ id }) => id)
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
export async function readUnchanged(list: PastList, changed: PositionedRecord[]): Promise<PositionedRecord[]> {
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
export async function countBoth(list: PastList): Promise<number> {
  const changed = await countMatches(list, list.plans.changed, viewOfChanged(list, cheaperWayToFind(list)))
  return changed + (await countMatches(list, list.plans.unchanged, withViews(list.others)))
}
