// What the home page of a tenant tells: how many records there are of each kind, what they cost, and what is to be done.

import type { Database } from '../../database/database.ts'
import { countAll, countRecords } from '../lists/page.ts'
import type { ListQuery } from '../lists/query.ts'
import { type Resources, resourceNamed } from '../resource.ts'
import { type BranchCount, countByBranch, countByValue, countPeople, totalCost } from './counts.ts'
import { findLeavers, type Leavers } from './leavers.ts'

/** `lists`: lists whose matches are counted. `leavingBy`: people who leave until this day are about to leave. */
export type SummaryRequest = {
  lists: readonly { resource: string; query: ListQuery }[]
  leavingBy: string
  timeoutMs: number
}

/** `statuses` and `types`: the number of assets for each value, in order of the value. `branches`: those with the most assets.
 *  `cost`: the sum of all purchase costs. `lists`: the number of matches of each requested list. */
export type Summary = {
  counts: { customers: number; employees: number; hardware: number }
  statuses: Record<string, number>
  types: Record<string, number>
  branches: BranchCount[]
  cost: number
  lists: number[]
  leavers: Leavers
}

/** Reads each table a few times: statements that need only an index are faster than one that needs all columns
 *  (bench/studies/summary.ts). Throws TooSlow. */
export async function summarize(
  database: Database,
  resources: Resources,
  { lists, leavingBy, timeoutMs }: SummaryRequest,
): Promise<Summary> {
  database.setBudget(timeoutMs)
  const statuses = await countByValue(database, 'hardware', 'status')
  const types = await countByValue(database, 'hardware', 'type')
  const customers = await countAll(database, resourceNamed(resources, 'customers'))
  const summary = {
    counts: { customers, employees: await countPeople(database), hardware: total(statuses) },
    ...{ statuses, types, branches: await countByBranch(database), cost: await totalCost(database) },
    leavers: await findLeavers(database, leavingBy),
  }
  const counted: number[] = []
  for (const { resource, query } of lists)
    counted.push(await countRecords(database, resourceNamed(resources, resource), resources, query))
  return { ...summary, lists: counted }
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
