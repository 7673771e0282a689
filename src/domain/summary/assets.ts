// Computes the summary figures that are counts or sums of assets. Most statements count a whole table by reading only
// an index.

import { budgetCheck, type Database, type Row } from '../../engine/database/database.ts'
import { type Resources, resourceNamed } from '../declarations/resource.ts'
import { sumOf } from '../lists/counts.ts'
import { countRecords, whereOf } from '../lists/page.ts'
import type { ListQuery } from '../lists/query.ts'
import { isLeaver, isToReturn } from './leavers.ts'

/** `statuses` and `types`: the number of assets for each value. `branches`: by branch id, the number of assets that the
 *  branch's people hold or that are in its stock. `leavers`: the number of assets that each person who has left or
 *  leaves soon must return, by person id. `cost`: the sum of all purchase costs, in minor units. `matches`: the number
 *  of matches for each list. */
export type AssetFigures = {
  statuses: Record<string, number>
  types: Record<string, number>
  branches: Record<string, number>
  leavers: Record<string, number>
  cost: number
  matches: number[]
}

/** `lists`: lists of assets whose matches are counted. `leavingBy`: people count as leaving soon if their last day of
 *  work is this day or earlier. */
export type AssetQuestions = { lists: readonly ListQuery[]; leavingBy: string }

/** Reads the table several times, because statements that need only an index are faster than one statement that needs
 *  all columns (decision 51). Throws TooSlow. */
export async function countAssets(
  database: Database,
  resources: Resources,
  { lists, leavingBy }: AssetQuestions,
): Promise<AssetFigures> {
  const hardware = resourceNamed(resources, 'hardware')
  const [statuses, types] = [await countByValue(database, 'status'), await countByValue(database, 'type')]
  const [branches, leavers] = [await countByBranch(database), await countByLeaver(database, leavingBy)]
  const cost = await totalCost(database)
  const matches: number[] = []
  for (const query of lists) matches.push(await countRecords({ database, resource: hardware, resources, query }))
  return { statuses, types, branches, leavers, cost, matches }
}

async function countByValue(database: Database, field: 'status' | 'type'): Promise<Record<string, number>> {
  const { sql: where } = whereOf(budgetCheck(database, 'id'))
  const rows = await database.all<{ value: string; assets: number }>(
    `select ${field} as value, count(*) as assets from hardware ${where} group by ${field}`,
  )
  return Object.fromEntries(rows.map(({ value, assets }) => [value, Number(assets)]))
}

/** Counts by holder before the join, so that each person is joined once, instead of once per asset. */
async function countByBranch(database: Database): Promise<Record<string, number>> {
  const { sql: where } = whereOf(budgetCheck(database, 'id'))
  const rows = await database.all(
    `select e.customer_id as id, sum(held.assets) as assets
     from (select employee_id, count(*) as assets from hardware ${where} group by employee_id) held
     join employees e on e.id = held.employee_id
     group by e.customer_id`,
  )
  return countsOf(rows)
}

async function countByLeaver(database: Database, leavingBy: string): Promise<Record<string, number>> {
  const { sql: where, values } = whereOf([...budgetCheck(database, 'id'), isLeaver(leavingBy)])
  const rows = await database.all(
    `select id, (select count(*) from hardware where employee_id = employees.id and ${isToReturn}) as assets
     from employees ${where}`,
    values,
  )
  return countsOf(rows.filter(({ assets }) => Number(assets) > 0))
}

function countsOf(rows: Row[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ id, assets }) => [Number(id), Number(assets)]))
}

async function totalCost(database: Database): Promise<number> {
  const { sql: where } = whereOf(budgetCheck(database, 'id'))
  const row = await database.get(`select ${sumOf(database.engine, 'purchase_cost')} as cost from hardware ${where}`)
  return Number(row!.cost)
}
