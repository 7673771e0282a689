// Runs a bulk edit of more records than one request can change. The job first checks every record, and applies the edit
// once the user has confirmed it.

import type { Database } from '../../engine/database/database.ts'
import type { Resources } from '../declarations/resource.ts'
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
import { applyEdits } from './apply.ts'
import { countOutcomes, isRefused, type PlannedEdit } from './bulk-edit.ts'
import { type BulkEditJob, insertRefusals, noProgress, readIds } from './bulk-edit-job-rows.ts'
import { planEdits } from './plan.ts'

type BulkEditChange = JobChange<BulkEditJob>

export const bulkEditJobs: JobKind = { step, fail }

async function step(
  database: Database,
  resources: Resources,
  job: BulkEditJob,
  clock: StepClock,
): Promise<BulkEditChange | 'deleted'> {
  switch (job.cursor.phase) {
    case 'check':
    case 'run':
      return processParts(database, resources, { ...job, cursor: job.cursor }, clock)
    case 'clear':
      return clear(database, job, clock)
    case 'discard':
      return discardJob(database, job, clock)
  }
}

/** Checks or changes the records of at least one part, and continues with further parts until the step's time is up. */
async function processParts(
  database: Database,
  resources: Resources,
  job: BulkEditJob & { cursor: PassCursor },
  clock: StepClock,
): Promise<BulkEditChange> {
  const { phase, pass, part: first } = job.cursor
  const { edit, parts, seq } = job.input
  const { now } = clock
  if (edit === null) throw new Error(`bulk edit ${job.id} has nothing to apply`)
  const change = { resources, context: contextOf(job.input.origin, now) }
  const apply = (planned: PlannedEdit[]) => Array.fromAsync(applyEdits(database, edit, planned, change))
  let progress = job.progress
  let part = first
  while (part < parts && !(part > first && clock.isOver())) {
    const planned = await planEdits(database, resources, edit, { ids: await readIds(database, job.id, part), seq })
    const results = phase === 'check' ? planned : await apply(planned)
    await insertRefusals(database, job.id, pass, results.filter(isRefused))
    progress = { ...countOutcomes(results, progress), processed: progress.processed + results.length }
    part++
  }
  if (part < parts) return { cursor: { phase, pass, part }, progress, dueAt: now }
  if (phase === 'run') return { ...endJob(job, 'done', now), progress }
  const dueAt = later(now, checkedTtlMs)
  return { state: 'checked', cursor: { phase: 'discard', pass }, progress, finishedAt: now, dueAt }
}

/** Starts to check the records, or to change them. */
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
