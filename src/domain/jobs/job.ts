// A job: work on a tenant's data that takes longer than a request. A job is a row in the tenant's own database, so it
// survives crashes, moves with the tenant, and can be continued by any node.

import type { Database } from '../../engine/database/database.ts'
import type { Resources } from '../declarations/resource.ts'

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

/** A kind of job, as a module registers it (kinds.ts). Its functions are called only with jobs of this kind. */
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
