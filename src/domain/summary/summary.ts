// The figures on a tenant's home page: how many records there are of each kind, what they cost, and what needs
// attention.

import { budgetCheck, type Database } from '../../engine/database/database.ts'
import { isOneOf } from '../../engine/database/statements.ts'
import { type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import { countRecords, countTable, whereOf } from '../lists/page.ts'
import type { ListQuery } from '../lists/query.ts'
import { type AssetFigures, countAssets } from './assets.ts'
import { type Leavers, nameLeavers } from './leavers.ts'
import { type EarlierFigures, renewAssetFigures } from './renew-assets.ts'

/** `lists`: lists whose matches are counted. `leavingBy`: people count as leaving soon if their last day of work is
 *  this day or earlier. */
export type SummaryRequest = {
  lists: readonly { resource: string; query: ListQuery }[]
  leavingBy: string
  timeoutMs: number
}

/** `counts`: the number of records of each resource; storage locations, which are employees too, are not counted.
 *  `branches`: the branches with the most assets. `lists`: the number of matches in each requested list. */
export type Summary = {
  counts: { [resource: string]: number }
  assets: AssetFigures
  branches: BranchCount[]
  lists: number[]
  leavers: Leavers
}

/** All reads must see the same snapshot. Throws TooSlow. */
export async function summarize(
  database: Database,
  resources: Resources,
  { lists, leavingBy, timeoutMs }: SummaryRequest,
  earlier?: EarlierFigures,
): Promise<Summary> {
  database.setBudget(timeoutMs)
  const assetLists = lists.filter(({ resource }) => resource === 'hardware').map(({ query }) => query)
  const questions = { lists: assetLists, leavingBy }
  const renewed = earlier && (await renewAssetFigures(database, resources, questions, earlier))
  const assets = renewed ?? (await countAssets(database, resources, questions))
  const matches = assets.matches.values()
  const counted: number[] = []
  for (const { resource: name, query } of lists) {
    const resource = resourceNamed(resources, name)
    counted.push(
      name === 'hardware' ? matches.next().value! : await countRecords({ database, resource, resources, query }),
    )
  }
  const counts: Summary['counts'] = {}
  for (const resource of resources) counts[resource.name] = await countOf(database, resource, assets)
  const branches = await largestBranches(database, assets.branches)
  return { counts, assets, branches, lists: counted, leavers: await nameLeavers(database, assets.leavers) }
}

async function countOf(database: Database, resource: Resource, { statuses }: AssetFigures): Promise<number> {
  if (resource.name === 'hardware') return Object.values(statuses).reduce((sum, count) => sum + count, 0)
  if (resource.name !== 'employees') return countTable(database, resource)
  const { sql: where } = whereOf([...budgetCheck(database, 'id'), { sql: `kind = 'person'`, values: [] }])
  const row = await database.get(`select count(*) as people from employees ${where}`)
  return Number(row!.people)
}

/** A branch, and the number of assets that its people hold or that are in its stock. */
export type BranchCount = { id: number; name: string; assets: number }

const maxBranches = 8

/** `counts`: the number of assets by branch id. */
async function largestBranches(database: Database, counts: Record<string, number>): Promise<BranchCount[]> {
  const branches = Object.entries(counts).map(([id, assets]) => ({ id: Number(id), assets }))
  const largest = branches
    .toSorted((one, other) => other.assets - one.assets || one.id - other.id)
    .slice(0, maxBranches)
  if (largest.length === 0) return []
  const ids = largest.map(({ id }) => id)
  const { sql, values } = isOneOf(database.engine, 'id', ids)
  type Branch = { id: number; name: string }
  const rows = await database.all<Branch>(`select id, name from customers where ${sql}`, values)
  const names = new Map(rows.map(({ id, name }) => [Number(id), name]))
  return largest.map(({ id, assets }) => ({ id, name: names.get(id) ?? '', assets }))
}
