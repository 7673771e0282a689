// The SQL that reads and writes jobs.

import type { Database } from '../../engine/database/database.ts'
import { setCounter } from '../../engine/database/statements.ts'
import type { Job, JobChange } from './job.ts'

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

/** Returns undefined if there is no job of this kind with the id. */
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

/** Stores a change to a job, and the job's new lease. */
export function updateJob(database: Database, job: Job, change: JobChange, lease: JobLease | null = null): void {
  const { state, input, cursor, progress, dueAt, finishedAt } = { ...job, ...change }
  const texts = [input, cursor, progress].map((value) => JSON.stringify(value))
  database.runDeferred(
    `update jobs set state = ?, input = ?, cursor = ?, progress = ?, due_at = ?, finished_at = ?, lease_token = ?, lease_until = ?
     where id = ?`,
    [state, ...texts, dueAt, finishedAt, lease?.token ?? null, lease?.until ?? null, job.id],
  )
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
