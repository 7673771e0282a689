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
import { setCounter } from '../../engine/database/statements.ts'
import type { Resources } from '../declarations/resource.ts'
import type { Actor, ChangeContext } from '../records/changes.ts'
import { deleteStoredRows } from './job-parts.ts'

/** `state`: one of its kind's states. `input`: what to do. `cursor`: where the next step continues. `progress`: what
 *  has been done so far. `dueAt`: when the job's next step is due; null if the job needs no further step. */
export type Job<Input = unknown, Cursor = { phase: string; pass: number }, Progress = unknown> = {
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

/** Does a small part of a job's work, in the transaction that stores the changed job. Returns `deleted` if the job's row
 *  is to be deleted. */
type Step = (database: Database, job: never, clock: StepClock, resources: Resources) => Promise<JobChange | 'deleted'>

/** A kind of job, which operations.ts lists. Its functions are called only with jobs of this kind. */
export type JobKind = {
  phases: { readonly [phase: string]: Step }
  /** Called if a job's steps fail because of a bug. Returns the change that ends the job, or that starts to revert its
   *  changes. */
  fail(job: Job, now: string): JobChange
  /** Called after a step. `change`: what the step returned. */
  afterStep?(database: Database, job: Job, clock: StepClock, change: JobChange | 'deleted'): Promise<void>
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

export type JobOrigin = { actor: Actor; requestId: string; changeSet: string }

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
  job: Job,
  { now }: StepClock,
): Promise<PhaseChange<'discarded'> | 'deleted'> {
  return (await deleteStoredRows(database, job.id)) ? startDiscarding(job, now) : 'deleted'
}

/** Attributes every change to the request that started the job. */
export function contextOf({ actor, requestId, changeSet }: JobOrigin, now: string): ChangeContext {
  return { now, actor, requestId, changeSet }
}

type JobRow = {
  id: number
  kind: string
  state: string
  input: string
  cursor: string
  progress: string
  due_at: string | null
  created_at: string
  finished_at: string | null
}

/** `token`: identifies the node that runs the job until `until`. */
export type JobLease = { token: string; until: string }

const columns = 'id, kind, state, input, cursor, progress, due_at, created_at, finished_at'

/** Returns the id of the new job. */
export async function insertJob(database: Database, job: Omit<Job, 'id' | 'finishedAt'>): Promise<number> {
  const sql = `insert into jobs (id, kind, state, input, cursor, progress, due_at, created_at)
    select last + 1, ?, ?, ?, ?, ?, ?, ? from counters where name = 'jobs' returning id`
  const texts = [job.input, job.cursor, job.progress].map((value) => JSON.stringify(value))
  const row = await database.get<{ id: number }>(sql, [job.kind, job.state, ...texts, job.dueAt, job.createdAt])
  const { id } = row!
  setCounter(database, 'jobs', id)
  return id
}

export async function findJob<AnyJob extends Job>(
  database: Database,
  kind: string,
  id: number,
): Promise<AnyJob | undefined> {
  const row = await database.get<JobRow>(`select ${columns} from jobs where id = ? and kind = ?`, [id, kind])
  return row && toJob(row)
}

/** Returns jobs of one kind, newest first. `except`: leaves out jobs in these states. `below`: returns only jobs with a
 *  lower id. */
export async function listJobs<AnyJob extends Job>(
  database: Database,
  { kind, except, below, limit }: { kind: string; except: readonly string[]; below: number; limit: number },
): Promise<AnyJob[]> {
  const sql = `select ${columns} from jobs where kind = ? and id < ? and state not in (${except.map(() => '?').join(', ')})
    order by id desc limit ${limit}`
  return (await database.all<JobRow>(sql, [kind, below, ...except])).map((row) => toJob(row))
}

/** Returns finished jobs of one kind, newest first. `except`: leaves out the job with this id. */
export async function listFinishedJobs<AnyJob extends Job>(
  database: Database,
  { kind, except, offset, limit }: { kind: string; except: number; offset: number; limit: number },
): Promise<AnyJob[]> {
  const sql = `select ${columns} from jobs where kind = ? and id <> ? and finished_at is not null and state <> 'discarded'
    order by id desc limit ${limit} offset ${offset}`
  return (await database.all<JobRow>(sql, [kind, except])).map((row) => toJob(row))
}

/** Returns the oldest job whose next step is due. Other jobs wait, because jobs run one after another. `lease`: the
 *  job's last lease, which may have ended. */
export async function findDueJob(
  database: Database,
  now: string,
): Promise<{ job: Job; lease: JobLease | null } | undefined> {
  const sql = `select ${columns}, lease_token, lease_until from jobs where due_at <= ? order by id limit 1`
  const row = await database.get<JobRow & { lease_token: string | null; lease_until: string }>(sql, [now])
  if (!row) return undefined
  const { lease_token: token, lease_until: until } = row
  return { job: toJob(row), lease: token === null ? null : { token, until } }
}

/** Returns the jobs that are due and have not ended. */
export async function listUnfinishedJobs(database: Database, now: string): Promise<Job[]> {
  const sql = `select ${columns} from jobs where due_at <= ? and finished_at is null order by id`
  return (await database.all<JobRow>(sql, [now])).map((row) => toJob(row))
}

/** Returns the earliest time at which a job's next step is due, or null if no job needs a further step. */
export async function nextDueTime(database: Database): Promise<string | null> {
  const sql = 'select min(due_at) as due_at from jobs where due_at is not null'
  return (await database.get<Pick<JobRow, 'due_at'>>(sql))?.due_at ?? null
}

/** Stores a change to a job, and the job's new lease. The input, which can have some hundred kilobytes, is written only if
 *  it has changed. */
export function updateJob(database: Database, job: Job, change: JobChange, lease: JobLease | null = null): void {
  const { state, cursor, progress, dueAt, finishedAt } = { ...job, ...change }
  const texts = [cursor, progress].map((value) => JSON.stringify(value))
  database.runDeferred(
    `update jobs set state = ?, cursor = ?, progress = ?, due_at = ?, finished_at = ?, lease_token = ?, lease_until = ?
     where id = ?`,
    [state, ...texts, dueAt, finishedAt, lease?.token ?? null, lease?.until ?? null, job.id],
  )
  if (change.input !== undefined) updateJobInput(database, job.id, change.input)
}

/** Stores a job's input, and leaves its lease as it is. */
export function updateJobInput(database: Database, id: number, input: unknown): void {
  database.runDeferred('update jobs set input = ? where id = ?', [JSON.stringify(input), id])
}

export function deleteJob(database: Database, id: number): void {
  database.runDeferred('delete from jobs where id = ?', [id])
}

/** The job's kind determines the type of its state, input, cursor and progress. */
function toJob<AnyJob extends Job>(row: JobRow): AnyJob {
  const { id, kind, state, due_at: dueAt, created_at: createdAt, finished_at: finishedAt } = row
  const [input, cursor, progress] = [row.input, row.cursor, row.progress].map((text) => JSON.parse(text))
  return { id, kind, state, input, cursor, progress, dueAt, createdAt, finishedAt } as AnyJob
}
