// A bulk edit of more records than one request can change: a job that first looks at every record, and applies the edit when
// the user confirms it. Each step is one transaction with the job's new cursor, so each record is changed exactly once.

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

/** How long a checked edit waits for its confirmation, and how long its result can be looked at. */
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
      return goThrough(database, resources, job, job.cursor, clock)
    case 'clear':
      return clear(database, job, clock)
    case 'discard':
      return discard(database, job, clock)
  }
}

/** Plans or applies parts of the selection until the time is up. */
async function goThrough(
  database: Database,
  resources: Resources,
  job: BulkEditJob,
  { phase, pass, part: first }: BulkEditCursor & { phase: 'check' | 'run' },
  clock: StepClock,
): Promise<BulkEditChange> {
  const { edit, parts, seq } = job.input
  if (edit === null) throw new Error(`the bulk edit ${job.id} has not been chosen`)
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

/** Every change has the form that confirmed the edit. */
function contextOf({ input: { origin } }: BulkEditJob, now: string): ChangeContext {
  return { now, actor: origin.actor, requestId: origin.requestId, changeSet: origin.changeSet }
}

/** Looks at the records, anew if it has done so before. */
export function startChecking({ cursor }: BulkEditJob, now: string): BulkEditChange {
  return begin('checking', { phase: 'check', pass: cursor.pass + 1, part: 0 }, now)
}

export function startRunning({ cursor }: BulkEditJob, now: string): BulkEditChange {
  return begin('running', { phase: 'run', pass: cursor.pass + 1, part: 0 }, now)
}

function begin(state: BulkEditJob['state'], cursor: BulkEditCursor, now: string): BulkEditChange {
  return { state, cursor, progress: { ...noCounts, processed: 0 }, finishedAt: null, dueAt: now }
}

/** Deletes the ids and the refusals of earlier passes. The refusals of the last one stay for as long as the job. */
async function clear(database: Database, job: BulkEditJob, clock: StepClock): Promise<BulkEditChange> {
  const { pass } = job.cursor
  const isMore =
    (await deleteSome(database, 'import_parts', job.id)) ||
    (await deleteSome(database, 'import_failures', job.id, pass))
  if (isMore) return { dueAt: clock.now }
  return { cursor: { phase: 'discard', pass }, dueAt: later(job.finishedAt ?? clock.now, resultTtlMs) }
}

async function discard(database: Database, job: BulkEditJob, clock: StepClock): Promise<BulkEditChange | 'deleted'> {
  const isMore =
    (await deleteSome(database, 'import_parts', job.id)) || (await deleteSome(database, 'import_failures', job.id))
  return isMore ? { state: 'discarded', dueAt: clock.now } : 'deleted'
}

/** A bug made the steps fail. What has been changed can be undone. */
function fail(job: BulkEditJob, now: string): BulkEditChange {
  const { cursor, finishedAt } = job
  if (finishedAt !== null || cursor.phase === 'discard') return { dueAt: null }
  return { state: 'failed', cursor: { phase: 'clear', pass: cursor.pass }, finishedAt: now, dueAt: now }
}

function later(now: string, milliseconds: number): string {
  return new Date(Date.parse(now) + milliseconds).toISOString()
}
