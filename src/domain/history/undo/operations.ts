// Undoes a change set in one transaction (contract §16). The undo is itself a change set.

import type { Database } from '../../../engine/database/database.ts'
import { unboundedMutation } from '../../../engine/mutation.ts'
import { defineOperations } from '../../../engine/operation.ts'
import { type StoredResponse, toStoredResponse } from '../../../engine/responses/stored-response.ts'
import { Problem } from '../../../problem.ts'
import type { Resources } from '../../declarations/resource.ts'
import { views } from '../../declarations/views.ts'
import type { OngoingChange } from '../../records/changes.ts'
import { timeOfChangeSet } from '../../records/changes.ts'
import { isAnyHidden } from '../../views/hidden-views.ts'
import { historyStart, tooOld } from '../positions.ts'
import { type Conflict, findConflicts } from './conflicts.ts'
import { readPlan, type UndoPlan } from './plan.ts'
import { revert } from './revert.ts'
import { findRecordedUndo, findUndoing, findUndone, isJobRunning, markJobUndone, recordUndo } from './undos.ts'

/** `changeable`: the resources whose records the caller may create, update and delete. */
export type UndoRequest = { changeSet: string; dryRun: boolean; changeable: readonly string[] }

export const undoOperations = defineOperations({
  undo: { ...unboundedMutation(undo), isLong: true },
  undosOf: { writes: false, isScan: true, run: readUndos },
})

/** `undone`: the change set that this one undid. `undoneBy`: the change set that has completely undone this one. */
export type Undos = { undone: string | null; undoneBy: string | null }

async function readUndos(
  database: Database,
  { changeSet }: { changeSet: string },
  { resources }: { resources: Resources },
): Promise<Undos> {
  const [undone, recorded] = await Promise.all([findUndone(database, changeSet), findRecordedUndo(database, changeSet)])
  if (recorded !== null) return { undone, undoneBy: recorded }
  const plan = await readPlan(database, resources, changeSet, () => {})
  return { undone, undoneBy: (plan && (await findUndoing(database, plan))) ?? null }
}

/** Throws `not_found`, `forbidden` and `invalid_request`. Does not change anything unless everything can be undone. */
async function undo(
  database: Database,
  { changeSet, dryRun, changeable }: UndoRequest,
  { resources, context, pause }: OngoingChange,
): Promise<StoredResponse> {
  await requireComplete(database, changeSet)
  const plan = await readPlan(database, resources, changeSet, pause)
  const viewIds = [...(plan?.get(views)?.keys() ?? [])]
  if (!plan || (await isAnyHidden(database, context.actor, viewIds)))
    throw new Problem('not_found', { message: 'There is no change set with this UUID.' })
  const touched = [...plan.keys()].map(({ name }) => name)
  requireChangeable(touched, changeable)
  const scopes = touched.flatMap((name) => ['create', 'update', 'delete'].map((verb) => `${name}:${verb}`)).join(' ')
  if (await isJobRunning(database, changeSet)) return { ...toStoredResponse(stillRunning()), scopes }
  const { conflicts, valuesToClear } = await findConflicts(database, resources, plan, pause)
  if (conflicts.length > 0) return { ...toStoredResponse(refusalOf(conflicts)), scopes }
  const undone = countSteps(plan)
  const isChanging = !dryRun && undone > 0
  if (isChanging) await revert({ database, context, pause }, plan, valuesToClear)
  if (isChanging) await recordUndo(database, { changeSet: context.changeSet, undone: changeSet })
  if (isChanging) await markJobUndone(database, changeSet)
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

function requireChangeable(touched: readonly string[], changeable: readonly string[]): void {
  const missing = touched.filter((name) => !changeable.includes(name))
  if (missing.length === 0) return
  throw new Problem('forbidden', { missingScopes: missing.map((name) => `${name}:write`) })
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
