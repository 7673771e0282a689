// Undoes a change set in one transaction (contract §16). The undo is itself a change set. Both are recorded, so that
// each leads to the other. A change set can be undone only once.

import type { Database } from '../../../engine/database/database.ts'
import { unboundedMutation } from '../../../engine/mutation.ts'
import { defineOperations } from '../../../engine/operation.ts'
import { type StoredResponse, toStoredResponse } from '../../../engine/responses/stored-response.ts'
import { Problem } from '../../../problem.ts'
import { type Resources, scopeOf } from '../../declarations/resource.ts'
import { type OngoingChange, timeOfChangeSet } from '../../records/changes.ts'
import { changesHiddenView } from '../../views/view.ts'
import { historyStart, tooOld } from '../positions.ts'
import { type Conflict, findConflicts } from './conflicts.ts'
import { readPlan, revert, type UndoPlan } from './plan.ts'
import { readUndos } from './undos.ts'

/** `writable`: the resources whose records the caller may create, update and delete. */
export type UndoRequest = { changeSet: string; dryRun: boolean; writable: readonly string[] }

export const undoOperations = defineOperations({
  undo: { ...unboundedMutation(undo), isLong: true },
  undosOf: { writes: false, isScan: true, run: readUndos },
})

/** Throws `not_found`, `forbidden` and `invalid_request`. Does not change anything unless everything can be undone. */
async function undo(
  database: Database,
  { changeSet, dryRun, writable }: UndoRequest,
  { resources, context, pause }: OngoingChange,
): Promise<StoredResponse> {
  await requireComplete(database, changeSet)
  const plan = await readPlan(database, resources, changeSet, pause)
  if (!plan || (await changesHiddenView(database, context.actor, changeSet)))
    throw new Problem('not_found', { message: 'There is no change set with this UUID.' })
  const changed = [...plan.keys()]
  requireWritable(changed, writable)
  const scopes = changed
    .flatMap((resource) => ['create', 'update', 'delete'].map((verb) => `${scopeOf(resource)}:${verb}`))
    .join(' ')
  if (await isJobRunning(database, changeSet)) return { ...toStoredResponse(stillRunning()), scopes }
  const { conflicts, valuesToClear } = await findConflicts(database, resources, plan, pause)
  if (conflicts.length > 0) return { ...toStoredResponse(refusalOf(conflicts)), scopes }
  const undone = countSteps(plan)
  const isChanging = !dryRun && undone > 0
  if (isChanging) {
    await revert({ database, context, pause }, plan, valuesToClear)
    await database.run('insert into undos (change_set, undone) values (?, ?)', [context.changeSet, changeSet])
    await markJobUndone(database, changeSet)
  }
  const set = isChanging ? context.changeSet : null
  return { status: 200, body: JSON.stringify({ change_set: set, undone }), location: null, changeSet: set, scopes }
}

/** Throws `invalid_request` if some of the set's changes may have been removed from the history, because a set can be
 *  undone only as a whole. */
async function requireComplete(database: Database, changeSet: string): Promise<void> {
  const start = await historyStart(database)
  const beganAt = timeOfChangeSet(changeSet)
  if (beganAt !== undefined && beganAt <= start.at) throw tooOld('The change set', start)
}

function requireWritable(changed: Resources, writable: readonly string[]): void {
  const missing = changed.filter(({ name }) => !writable.includes(name))
  if (missing.length === 0) return
  throw new Problem('forbidden', { missingScopes: missing.map((resource) => `${scopeOf(resource)}:write`) })
}

/** Refuses to undo the change set of a running job. A set can be undone only once, so changes that the job made after
 *  the undo could never be undone. */
function stillRunning(): Problem {
  const details =
    'The import or bulk edit that makes this change set is still running. Wait until it is done, or cancel it.'
  return new Problem('conflict', { message: 'The change set is not complete yet.', members: { details, records: [] } })
}

function refusalOf(conflicts: Conflict[]): Problem {
  const details = sentences
    .map(([reason, sentence]) => [conflicts.filter((conflict) => conflict.reason === reason).length, sentence] as const)
    .flatMap(([count, sentence]) =>
      count === 0 ? [] : sentence.replace('#', count === 1 ? '1 record' : `${count} records`),
    )
  const message = 'The change set cannot be undone because of the conflicts listed in records.'
  return new Problem('conflict', { message, members: { details: details.join(' '), records: conflicts } })
}

const sentences: [Conflict['reason'], string][] = [
  ['changed_since', 'Changed since: #.'],
  ['has_dependents', 'Referred to by other records: #.'],
  ['reference_gone', 'Would refer to a deleted record: #.'],
  ['duplicate', 'Would have a value that another record has: #.'],
]

function countSteps(plan: UndoPlan): number {
  let count = 0
  for (const steps of plan.values()) for (const { kind } of steps.values()) if (kind !== 'none') count++
  return count
}

/** Whether a running job may still add changes to this change set. */
async function isJobRunning(database: Database, changeSet: string): Promise<boolean> {
  const sql = `select id from jobs where state = 'running' and input like ?`
  return (await database.get(sql, [inputWith(changeSet)])) !== undefined
}

/** Marks the job that made this change set as undone, if the job has ended. */
async function markJobUndone(database: Database, changeSet: string): Promise<void> {
  const sql = `update jobs set state = 'undone' where state in ('done', 'cancelled', 'failed') and input like ?`
  await database.run(sql, [inputWith(changeSet)])
}

/** A pattern for the `input` of the import or bulk edit that makes the change set. */
function inputWith(changeSet: string): string {
  return `%"changeSet":${JSON.stringify(changeSet)}%`
}
