// What imports and bulk edits have in common: jobs that store rows in parts, check all parts in one pass, and apply
// them in another pass. Each step is committed together with the job's new cursor, so each row is applied exactly once.

import type { Database } from '../../engine/database/database.ts'
import type { Actor, ChangeContext } from '../records/changes.ts'
import type { Job, StepClock } from './job.ts'
import { deleteStoredRows } from './job-parts.ts'

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
