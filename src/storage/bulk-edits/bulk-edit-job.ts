// Runs a bulk edit of more records than one request can change. The job first checks every record, and applies the edit
// once the user has confirmed it. Each step is committed together with the job's new cursor, so each record is changed
// exactly once.

import type { Database } from '../../database/database.ts'
import { applyEdits } from '../../resources/bulk-edit/apply.ts'
import { countOutcomes, isRefused, noCounts, type PlannedEdit } from '../../resources/bulk-edit/bulk-edit.ts'
import { planEdits } from '../../resources/bulk-edit/plan.ts'
import type { ChangeContext } from '../../resources/records/changes.ts'
import type { Resources } from '../../resources/resource.ts'
import { deleteSome } from '../imports/import-tables.ts'
import type { JobChange, JobKind, StepClock } from '../jobs/job.ts'
import { type BulkEditCursor, type BulkEditJob, insertRefusals, readIds } from './bulk-edit-job-rows.ts'

type BulkEditChange = JobChange<BulkEditJob>

/** How long a draft or a checked edit waits for the user, and how long an edit's result is kept. */
export const draftTtlMs = 24 * 60 * 60 * 1000
const resultTtlMs = 30 * 24 * 60 * 60 * 1000

export const bulkEditJobs: JobKind = {
  step: (database, resources, job, clock) => step(database, resources, job as BulkEditJob, clock),
  fail: (job, now) => fail(job as BulkEditJob, now),
}

async function step(
  database: Database,
  resources: Resources,
  job: BulkEditJob,
  clock: StepClock,
): Promise<BulkEditChange | 'deleted'> {
  switch (job.cursor.phase) {
    case 'check':
    case 'run':
      return processParts(database, resources, job, job.cursor, clock)
    case 'clear':
      return clear(database, job, clock)
    case 'discard':
      return discard(database, job, clock)
  }
}

/** Checks or changes the records of at least one part, and continues with further parts until the step's time is up. */
async function processParts(
  database: Database,
  resources: Resources,
  job: BulkEditJob,
  { phase, pass, part: first }: BulkEditCursor & { phase: 'check' | 'run' },
  clock: StepClock,
): Promise<BulkEditChange> {
  const { edit, parts, seq } = job.input
  if (edit === null) throw new Error(`bulk edit ${job.id} has nothing to apply`)
  let progress = job.progress
  let part = first
  while (part < parts && !(part > first && clock.isOver())) {
    const planned = await planEdits(database, resources, edit, { ids: await readIds(database, job.id, part), seq })
    const results: PlannedEdit[] = []
    if (phase === 'check') results.push(...planned)
    else
      for await (const result of applyEdits(database, resources, edit, planned, contextOf(job, clock.now)))
        results.push(result)
    await insertRefusals(database, job.id, pass, results.filter(isRefused))
    progress = { ...countOutcomes(results, progress), processed: progress.processed + results.length }
    part++
  }
  if (part < parts) return { cursor: { phase, pass, part }, progress, dueAt: clock.now }
  const finished = { progress, finishedAt: clock.now }
  if (phase === 'run') return { ...finished, state: 'done', cursor: { phase: 'clear', pass }, dueAt: clock.now }
  return { ...finished, state: 'checked', cursor: { phase: 'discard', pass }, dueAt: later(clock.now, draftTtlMs) }
}

/** Attributes every change to the request that confirmed the edit. */
function contextOf({ input: { origin } }: BulkEditJob, now: string): ChangeContext {
  return { now, actor: origin.actor, requestId: origin.requestId, changeSet: origin.changeSet }
}

/** Starts a pass that checks the records. */
export function startChecking({ cursor }: BulkEditJob, now: string): BulkEditChange {
  return startPass('checking', { phase: 'check', pass: cursor.pass + 1, part: 0 }, now)
}

export function startRunning({ cursor }: BulkEditJob, now: string): BulkEditChange {
  return startPass('running', { phase: 'run', pass: cursor.pass + 1, part: 0 }, now)
}

function startPass(state: BulkEditJob['state'], cursor: BulkEditCursor, now: string): BulkEditChange {
  return { state, cursor, progress: { ...noCounts, processed: 0 }, finishedAt: null, dueAt: now }
}

/** Deletes the selected ids and the refusals of earlier passes. The last pass's refusals are kept as long as the
 *  job. */
async function clear(database: Database, job: BulkEditJob, clock: StepClock): Promise<BulkEditChange> {
  const { pass } = job.cursor
  const hasMore =
    (await deleteSome(database, 'import_parts', job.id)) ||
    (await deleteSome(database, 'import_failures', job.id, pass))
  if (hasMore) return { dueAt: clock.now }
  return { cursor: { phase: 'discard', pass }, dueAt: later(job.finishedAt ?? clock.now, resultTtlMs) }
}

async function discard(database: Database, job: BulkEditJob, clock: StepClock): Promise<BulkEditChange | 'deleted'> {
  const hasMore =
    (await deleteSome(database, 'import_parts', job.id)) || (await deleteSome(database, 'import_failures', job.id))
  return hasMore ? { state: 'discarded', dueAt: clock.now } : 'deleted'
}

/** Ends a job whose steps fail because of a bug. The changes that the job has already made remain, and can be
 *  undone. */
function fail(job: BulkEditJob, now: string): BulkEditChange {
  const { cursor, finishedAt } = job
  if (finishedAt !== null || cursor.phase === 'discard') return { dueAt: null }
  return { state: 'failed', cursor: { phase: 'clear', pass: cursor.pass }, finishedAt: now, dueAt: now }
}

function later(now: string, milliseconds: number): string {
  return new Date(Date.parse(now) + milliseconds).toISOString()
}
