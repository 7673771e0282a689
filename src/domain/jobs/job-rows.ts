// The SQL that reads and writes jobs.

import { setCounter } from '../../engine/database/counters.ts'
import type { Database, Row } from '../../engine/database/database.ts'
import type { Job, JobChange } from './job.ts'

const columns = 'id, kind, state, input, cursor, progress, due_at, created_at, finished_at'

/** Returns the id of the new job. */
export async function insertJob(database: Database, job: Omit<Job, 'id' | 'finishedAt'>): Promise<number> {
  const sql = `insert into jobs (id, kind, state, input, cursor, progress, due_at, created_at)
    select last + 1, ?, ?, ?, ?, ?, ?, ? from counters where name = 'jobs' returning id`
  const texts = [job.input, job.cursor, job.progress].map((value) => JSON.stringify(value))
  const row = await database.get(sql, [job.kind, job.state, ...texts, job.dueAt, job.createdAt])
  const id = row!.id as number
  setCounter(database, 'jobs', id)
  return id
}

export async function findJob(database: Database, id: number): Promise<Job | undefined> {
  const row = await database.get(`select ${columns} from jobs where id = ?`, [id])
  return row && toJob(row)
}

/** Returns jobs of one kind, newest first. `except`: leaves out jobs in these states. `below`: returns only jobs with a
 *  lower id. */
export async function listJobs(
  database: Database,
  { kind, except, below, limit }: { kind: string; except: readonly string[]; below: number; limit: number },
): Promise<Job[]> {
  const sql = `select ${columns} from jobs where kind = ? and id < ? and state not in (${except.map(() => '?').join(', ')})
    order by id desc limit ${limit}`
  return (await database.all(sql, [kind, below, ...except])).map(toJob)
}

/** Returns finished jobs of one kind, newest first. `except`: leaves out the job with this id. */
export async function listFinishedJobs(
  database: Database,
  { kind, except, offset, limit }: { kind: string; except: number; offset: number; limit: number },
): Promise<Job[]> {
  const sql = `select ${columns} from jobs where kind = ? and id <> ? and finished_at is not null and state <> 'discarded'
    order by id desc limit ${limit} offset ${offset}`
  return (await database.all(sql, [kind, except])).map(toJob)
}

/** Returns the oldest job whose next step is due. Other jobs wait, because jobs run one after another. `lease`: the
 *  job's last lease, which may have ended. */
export async function findDueJob(
  database: Database,
  now: string,
): Promise<{ job: Job; lease: { token: string; until: string } | null } | undefined> {
  const sql = `select ${columns}, lease_token, lease_until from jobs where due_at <= ? order by id limit 1`
  const row = await database.get(sql, [now])
  if (!row) return undefined
  const { lease_token: token, lease_until: until } = row
  return { job: toJob(row), lease: token === null ? null : { token: token as string, until: until as string } }
}

/** Returns the jobs that are due and have not ended. */
export async function listUnfinishedJobs(database: Database, now: string): Promise<Job[]> {
  const sql = `select ${columns} from jobs where due_at <= ? and finished_at is null order by id`
  return (await database.all(sql, [now])).map(toJob)
}

/** Returns the earliest time at which a job's next step is due, or null if no job needs a further step. */
export async function nextDueTime(database: Database): Promise<string | null> {
  const row = await database.get('select min(due_at) as due_at from jobs where due_at is not null')
  return (row?.due_at ?? null) as string | null
}

/** Stores a change to a job, and the job's new lease. */
export function updateJob(
  database: Database,
  job: Job,
  change: JobChange,
  lease: { token: string; until: string } | null,
): void {
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

function toJob(row: Row): Job {
  const [input, cursor, progress] = [row.input, row.cursor, row.progress].map((text) => JSON.parse(text as string))
  return {
    id: row.id as number,
    kind: row.kind as string,
    state: row.state as string,
    input,
    cursor,
    progress,
    dueAt: row.due_at as string | null,
    createdAt: row.created_at as string,
    finishedAt: row.finished_at as string | null,
  }
}
