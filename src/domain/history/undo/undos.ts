// Records which change set undid which other change set, so that each leads to the other, and which job's changes are
// undone. A change set can be undone only once.

import type { Database } from '../../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../../engine/database/value-list.ts'
import type { Resource } from '../../declarations/resource.ts'
import { findRecordsByIds } from '../../records/find-by-ids.ts'
import { batchesOf, previousValues, type UndoPlan, type UndoSteps } from './plan.ts'

export async function recordUndo(database: Database, { changeSet, undone }: { changeSet: string; undone: string }) {
  await database.run('insert into undos (change_set, undone) values (?, ?)', [changeSet, undone])
}

/** Returns the change set that this one undid, or null if it is not an undo. */
export async function findUndone(database: Database, changeSet: string): Promise<string | null> {
  const row = await database.get<{ undone: string }>('select undone from undos where change_set = ?', [changeSet])
  return row?.undone ?? null
}

/** Returns the change set that undid this one, or null if none is recorded. */
export async function findRecordedUndo(database: Database, changeSet: string): Promise<string | null> {
  const row = await database.get<{ change_set: string }>('select change_set from undos where undone = ?', [changeSet])
  return row?.change_set ?? null
}

/** Finds the change set that restored every record of the plan to its previous state without being recorded as its undo:
 *  an undo before undos were recorded, or edits that happen to restore everything. Returns undefined if there is no such
 *  set. */
export async function findUndoing(database: Database, plan: UndoPlan): Promise<string | undefined> {
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
  const rows = await database.all<{ change_set: string | null }>(
    `select distinct change_set from changes where seq in (
       select max(seq) from changes where resource = ? and record_id in (${unpaddedPlaceholders(ids)}) group by record_id)`,
    [name, ...ids],
  )
  return rows.length === 1 ? (rows[0]!.change_set ?? undefined) : undefined
}

async function areRestored(database: Database, resource: Resource, steps: UndoSteps, ids: number[]): Promise<boolean> {
  const records = await findRecordsByIds(database, resource, ids)
  const values = await previousValues(database, resource, steps, ids)
  return ids.every((id) => {
    const record = records.get(id)
    if (steps.get(id)!.kind === 'delete') return record === undefined
    return record !== undefined && Object.entries(values.get(id)!).every(([name, value]) => record[name] === value)
  })
}

/** Whether a running job may still add changes to this change set. */
export async function isJobRunning(database: Database, changeSet: string): Promise<boolean> {
  const sql = `select id from jobs where state = 'running' and input like ?`
  return (await database.get(sql, [inputWith(changeSet)])) !== undefined
}

/** Marks the job that made this change set as undone, if the job has ended. */
export async function markJobUndone(database: Database, changeSet: string): Promise<void> {
  const sql = `update jobs set state = 'undone' where state in ('done', 'cancelled', 'failed') and input like ?`
  await database.run(sql, [inputWith(changeSet)])
}

/** A pattern for the `input` of the import or bulk edit that makes the change set. */
function inputWith(changeSet: string): string {
  return `%"changeSet":${JSON.stringify(changeSet)}%`
}
