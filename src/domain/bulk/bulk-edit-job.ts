// Runs a bulk edit. The job first checks every record, and applies the edit once the user has confirmed it.

import type { Database } from '../../engine/database/database.ts'
import { Problem } from '../../problem.ts'
import { byId, type Resources, resourceNamed } from '../declarations/resource.ts'
import { findOrCreateStock } from '../equipment/stock.ts'
import type { Values } from '../fields/validate.ts'
import {
  checkedTtlMs,
  contextOf,
  discardJob,
  endJob,
  failuresTtlMs,
  type JobChange,
  type JobKind,
  later,
  type PassCursor,
  type StepClock,
  startPass,
} from '../jobs/job.ts'
import { deleteStoredRows } from '../jobs/job-parts.ts'
import type { ChangeContext } from '../records/changes.ts'
import { changeRecord, deleteRecord } from '../records/records.ts'
import { type BulkEdit, countOutcomes, isRefused, type PlannedChange, type PlannedEdit } from './bulk-edit.ts'
import { type BulkEditJob, insertRefusals, noProgress, readSelectedIds } from './bulk-edit-job-rows.ts'
import { planEdits } from './plan.ts'

type BulkEditChange = JobChange<BulkEditJob>

export const bulkEditJobs: JobKind = {
  phases: { check: processParts, run: processParts, clear, discard: discardJob },
  fail,
}

/** Checks or changes the records of at least one part, and continues with further parts until the step's time is up. */
export async function processParts(
  database: Database,
  job: BulkEditJob & { cursor: PassCursor },
  clock: StepClock,
  resources: Resources,
): Promise<BulkEditChange> {
  const { phase, pass, part: first } = job.cursor
  const { edit, parts, seq } = job.input
  const { now } = clock
  if (edit === null || seq === null) throw new Error(`bulk edit ${job.id} has nothing to apply`)
  const change = { resources, context: contextOf(job.input.origin, now) }
  let progress = job.progress
  let part = first
  while (part < parts && !(part > first && clock.isOver())) {
    const ids = await readSelectedIds(database, job.id, part)
    const planned = await planEdits(database, resources, edit, { ids, seq })
    const results = phase === 'check' ? planned : await applyEdits(database, edit, planned, change)
    await insertRefusals(database, job.id, pass, results.filter(isRefused))
    progress = { ...countOutcomes(results, progress), processed: progress.processed + results.length }
    part++
  }
  if (part < parts) return { cursor: { phase, pass, part }, progress, dueAt: now }
  if (phase === 'run') return { ...endJob(job, 'done', now), progress }
  const dueAt = later(now, checkedTtlMs)
  return { state: 'checked', cursor: { phase: 'discard', pass }, progress, finishedAt: now, dueAt }
}

/** Applies the edits one by one and returns the outcome of each. An edit that an earlier edit has made impossible is
 *  refused. The plan must have been made in the same transaction. */
async function applyEdits(
  database: Database,
  edit: BulkEdit,
  planned: readonly PlannedEdit[],
  { resources, context }: { resources: Resources; context: ChangeContext },
): Promise<PlannedEdit[]> {
  const resource = resourceNamed(resources, edit.resource)
  const results: PlannedEdit[] = []
  for (const each of planned) {
    try {
      if (each.outcome === 'changed') {
        if (edit.action === 'delete') await deleteRecord(database, { resource, resources, context, key: byId(each.id) })
        else await changeRecord(database, { resource, context }, each.record, await withStock(database, each, context))
      }
      results.push(each)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      results.push({ ...each, outcome: 'refused', reason: 'in_use' })
    }
  }
  return results
}

/** Returns the values to write. If the item goes to a branch's stock, they make the branch's stock location the item's
 *  holder. If the branch has no stock location, one is created. */
async function withStock(
  database: Database,
  { values, stockOf }: PlannedChange,
  context: ChangeContext,
): Promise<Values> {
  if (stockOf === undefined) return values
  return { ...values, employee_id: await findOrCreateStock(database, stockOf, context) }
}

export function startBulkEditPass(job: BulkEditJob, phase: PassCursor['phase'], now: string): BulkEditChange {
  return { ...startPass(job, phase, now), progress: noProgress }
}

/** Deletes the selected ids and the refusals of earlier passes. The last pass's refusals are kept as long as the
 *  job. */
async function clear(database: Database, job: BulkEditJob, { now }: StepClock): Promise<BulkEditChange> {
  const { id, cursor, finishedAt } = job
  if (await deleteStoredRows(database, id, cursor.pass)) return { dueAt: now }
  return { cursor: { phase: 'discard', pass: cursor.pass }, dueAt: later(finishedAt ?? now, failuresTtlMs) }
}

/** Ends a job whose steps fail because of a bug. The changes that the job has already made remain, and can be
 *  undone. */
function fail(job: BulkEditJob, now: string): BulkEditChange {
  if (job.finishedAt !== null || job.cursor.phase === 'discard') return { dueAt: null }
  return endJob(job, 'failed', now)
}
