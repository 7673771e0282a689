// Reads a page of a list sorted by how many records belong to each record: branches by their number of people or
// assets, people by their number of assets. For each page, the records of all matches are counted again, using indexes.
// This is fast enough: there are few branches, and counting the assets of 20,000 people takes about 30 ms.

import { limitClause } from '../../../engine/database/database.ts'
import type { Resource } from '../../declarations/resource.ts'
import { countsSql } from '../counts.ts'
import type { List } from '../list.ts'
import { budgetCheck, countMatches, whereOf } from '../page.ts'
import { choosePlan } from '../plans/choose-plan.ts'
import type { Page, Position } from '../query.ts'
import { pageOfPlaces } from './places.ts'

/** Like listRecords, for a query that is sorted by how many records of `counted` belong to each record. */
export async function listByCount(list: List, counted: Resource): Promise<Page> {
  const { database, resource, resources, query } = list
  database.setBudget(query.timeoutMs)
  const byId = { ...query, sort: { field: 'id', isDescending: false }, after: null }
  const { countClauses } = await choosePlan({ ...list, query: byId })
  const total = query.withTotal ? await countMatches(list, { countClauses }) : null
  const matching = whereOf([...budgetCheck(database), ...countClauses])
  const [comparison, direction] = query.sort.isDescending ? ['<', 'desc'] : ['>', 'asc']
  const { after, limit } = query
  const sql = `select id, records from (
      select matching.id as id, coalesce(counted.count, 0) as records
      from (select id from ${resource.name} ${matching.sql}) matching
      left join (${countsSql(resources, resource.name, counted)}) counted on counted.id = matching.id) placed
    ${after ? `where (records, id) ${comparison} (?, ?)` : ''} order by records ${direction}, id ${direction} ${limitClause}`
  const position = after ? [after.value, after.id] : []
  const rows = await database.all(sql, [...matching.values, ...position, limit + 1])
  const places = rows.map(({ id, records }): Position => ({ value: Number(records), id: Number(id) }))
  return pageOfPlaces(list, places, total)
}
