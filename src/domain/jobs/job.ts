// A job: work on a tenant's data that takes longer than a request. A job is a row in the tenant's own database, so it
// survives crashes, moves with the tenant, and can be continued by any node. Each step is committed together with the
// job's new cursor, so each row is applied exactly once.
//
// Imports and bulk edits store their rows in parts. One pass checks all parts, and a further pass applies them:
//
//   receiving ─▶ draft ─▶ checking ─▶ checked ─▶ running ─▶ done, cancelled or failed ─▶ undone
//
//   receiving ─▶ checking   an import by the API or the command line, which need no draft
//   checking ─▶ running     an import that is not a dry run
//   checking ─▶ failed      an `all_or_nothing` import with an invalid row
//   checked ─▶ draft        the user assigns other columns
//   checked ─▶ checking     the user chooses another edit, or runs an import in the mode `all_or_nothing`
//   other ─▶ discarded      the user does not want the job any more, but a running job is cancelled
//
// A step does what the phase of the cursor says:
//
//   check, run   processes parts of a job that is checking or running
//   revert       reverts the changes of an `all_or_nothing` import in which a row has become invalid since the check
//   clear        deletes the parts of a job that has ended, or of an import that was checked a day ago
//   forget       deletes an import's failed rows a month after its end
//   discard      deletes the job: a discarded one, a file or a draft that has waited too long, a bulk edit that was
//                checked a day ago or has ended a month ago

import type { Database } from '../../engine/database/database.ts'
import type { Resources } from '../declarations/resource.ts'
import type { Actor, ChangeContext } from '../records/changes.ts'
import { deleteStoredRows } from './job-parts.ts'

/** `state`: one of its kind's states. `input`: what to do. `cursor`: where the next step continues. `progress`: what
 *  has been done so far. `dueAt`: when the job's next step is due; null if the job needs no further step. */
export type Job<Input = unknown, Cursor = unknown, Progress = unknown> = {
  id: number
  kind: string
  state: string
  input: Input
  cursor: Cursor
  progress: Progress
  dueAt: string | null
  createdAt: string
  finishedAt: string | null
}

/** The parts of a job that a step changes. */
export type JobChange<AnyJob extends Job = Job> = Partial<Omit<AnyJob, 'id' | 'kind' | 'createdAt'>>

/** `now`: the step's time. `isOver`: whether the step has used up its time. Even then, a step does a minimum of
 *  work. */
export type StepClock = { now: string; isOver(): boolean }

/** A kind of job, which operations.ts lists. Its functions are called only with jobs of this kind. */
export type JobKind = {
  /** Does a small part of the work, in the transaction that stores the changed job. Returns `deleted` if the job's row
   *  is to be deleted. */
  step(database: Database, resources: Resources, job: Job, clock: StepClock): Promise<JobChange | 'deleted'>
  /** Called if a job's steps fail because of a bug. Returns the change that ends the job, or that starts to revert its
   *  changes. */
  fail(job: Job, now: string): JobChange
}

/** Returns the time that is this many milliseconds after `now`. */
export function later(now: string, milliseconds: number): string {
  return new Date(Date.parse(now) + milliseconds).toISOString()
}

/** How long a checked job waits for the user, and how long a job's failed rows are kept (contract §17). */
export const checkedTtlMs = 24 * 60 * 60 * 1000
export const failuresTtlMs = 30 * 24 * 60 * 60 * 1000

/** `pass`: the number of the current pass through the parts; each failure belongs to a pass. `part`: the next part to
 *  process. */
export type PassCursor = { phase: 'check' | 'run'; pass: number; part: number }

/** `clear` deletes the parts and the failures of earlier passes. `discard` deletes the whole job. */
export type PartsCursor = PassCursor | { phase: 'clear' | 'discard'; pass: number }

/** The request that started a job, its actor, and the change set that contains the job's changes. */
export type JobOrigin = { actor: Actor; requestId: string; changeSet: string }

/** A change that starts a phase. */
type PhaseChange<State> = { state: State; cursor: PartsCursor; finishedAt?: string | null; dueAt: string }

type WithPass = { cursor: { pass: number } }

/** Starts a pass through all parts. Each pass records failed rows again, because the data may have changed since the
 *  last one. */
export function startPass(
  { cursor: { pass } }: WithPass,
  phase: PassCursor['phase'],
  now: string,
): PhaseChange<'checking' | 'running'> {
  const state = phase === 'check' ? 'checking' : 'running'
  return { state, cursor: { phase, pass: pass + 1, part: 0 }, finishedAt: null, dueAt: now }
}

/** Ends the job. The next step starts to clear it. */
export function endJob<State extends 'done' | 'failed' | 'cancelled'>(
  { cursor: { pass } }: WithPass,
  state: State,
  now: string,
): PhaseChange<State> {
  return { state, cursor: { phase: 'clear', pass }, finishedAt: now, dueAt: now }
}

export function startDiscarding({ cursor: { pass } }: WithPass, now: string): PhaseChange<'discarded'> {
  return { state: 'discarded', cursor: { phase: 'discard', pass }, dueAt: now }
}

/** Deletes some of the rows that the job has stored, or the job if no rows are left. Changes the state of an expired
 *  draft, so that nobody can use the draft while its rows are being deleted. */
export async function discardJob(
  database: Database,
  job: Job & WithPass,
  { now }: StepClock,
): Promise<PhaseChange<'discarded'> | 'deleted'> {
  return (await deleteStoredRows(database, job.id)) ? startDiscarding(job, now) : 'deleted'
}

/** Attributes every change to the request that started the job. */
export function contextOf({ actor, requestId, changeSet }: JobOrigin, now: string): ChangeContext {
  return { now, actor, requestId, changeSet }
}
