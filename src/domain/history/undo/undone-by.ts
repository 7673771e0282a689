// Finds the change set that reverted another change set without being recorded as its undo: an undo before undos were
// recorded, or edits that happen to restore everything. A change set can be undone only once.

import type { Database } from '../../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../../engine/database/value-list.ts'
import type { Resource } from '../../declarations/resource.ts'
import { findRecordsByIds } from '../../records/find-by-ids.ts'
import { batchesOf, type Plan, previousValues, type Step } from './plan.ts'

/** Finds the change set that restored every record of the plan to its previous state. Returns undefined if there is no
 *  such set. */
export async function findUndoing(database: Database, plan: Plan): Promise<string | undefined> {
  let undoing: string | undefined
  for (const [resource, steps] of plan) {
    for (const ids of batchesOf(steps, 'recreate', 'update', 'delete')) {
      const newest = await newestSet(database, resource, ids)
      undoing ??= newest
      if (newest === undefined || newest !== undoing) return undefined
      if (!(await areRestored(database, resource, steps, ids))) return undefined
    }
  }
  return undoing
}

/** Returns the change set that contains the newest change to each of these records, or undefined if these changes are
 *  in different sets. */
async function newestSet(database: Database, { name }: Resource, ids: number[]): Promise<string | undefined> {
  const rows = await database.all(
    `select distinct change_set from changes where seq in (
       select max(seq) from changes where resource = ? and record_id in (${unpaddedPlaceholders(ids)}) group by record_id)`,
    [name, ...ids],
  )
  return rows.length === 1 ? ((rows[0]!.change_set as string | null) ?? undefined) : undefined
}

async function areRestored(
  database: Database,
  resource: Resource,
  steps: ReadonlyMap<number, Step>,
  ids: number[],
): Promise<boolean> {
  const records = await findRecordsByIds(database, resource, ids)
  const values = await previousValues(database, resource, steps, ids)
  return ids.every((id) => {
    const record = records.get(id)
    if (steps.get(id)!.kind === 'delete') return record === undefined
    return record !== undefined && Object.entries(values.get(id)!).every(([name, value]) => record[name] === value)
  })
}
