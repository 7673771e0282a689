// The operations on jobs of any kind.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import { bulkEditJobs } from '../bulk/bulk-edit-job.ts'
import type { Declared } from '../declarations/resource.ts'
import { importJobs } from '../imports/import-job.ts'
import {
  deleteJob,
  findDueJob,
  type Job,
  type JobChange,
  type JobKind,
  later,
  listUnfinishedJobs,
  nextDueTime,
  type StepClock,
  updateJob,
} from './job.ts'

/** The job kinds, by name. Add a subject's kinds here. */
const jobKinds: Record<string, JobKind> = { import: importJobs, bulk_edit: bulkEditJobs }

/** `token`: identifies the node. The lease keeps a job on one node. The lease is only an optimization, because the
 *  transaction already ensures that each step happens only once. */
export type JobTurn = { now: string; token: string; leaseTtlMs: number; budgetMs: number }

/** `nextDueAt`: when the tenant's next job step is due; null if no job needs one. `leasedUntil`: when another node's
 *  lease ends; null if no other node has a lease. */
export type JobTurnResult = { ranStep: boolean; nextDueAt: string | null; leasedUntil: string | null }

export const jobOperations = defineOperations({
  runDueJob: { writes: true, run: runDueJob },
  failDueJob: { writes: true, run: failDueJob },
})

/** Runs one step of the tenant's oldest due job. */
async function runDueJob(database: Database, turn: JobTurn, { resources }: Declared): Promise<JobTurnResult> {
  const end = performance.now() + turn.budgetMs
  const clock: StepClock = { now: turn.now, isOver: () => performance.now() > end }
  return changeDueJob(database, turn, async (job, kind) => {
    // The phases of a kind are those of its jobs' cursors.
    const change = await kind.phases[job.cursor.phase]!(database, job as never, clock, resources)
    await kind.afterStep?.(database, job, clock, change)
    return change
  })
}

/** Called if the oldest due job's steps fail because of a bug: ends the job, or starts to revert its changes. */
async function failDueJob(database: Database, turn: JobTurn): Promise<JobTurnResult> {
  return changeDueJob(database, turn, async (job, kind) => kind.fail(job, turn.now))
}

async function changeDueJob(
  database: Database,
  { now, token, leaseTtlMs }: JobTurn,
  changeJob: (job: Job, kind: JobKind) => Promise<JobChange | 'deleted'>,
): Promise<JobTurnResult> {
  const dueJob = await findDueJob(database, now)
  if (!dueJob) return { ranStep: false, nextDueAt: await nextDueTime(database), leasedUntil: null }
  const { job, lease } = dueJob
  if (lease && lease.token !== token && lease.until > now)
    return { ranStep: false, nextDueAt: job.dueAt, leasedUntil: lease.until }
  const kind = jobKinds[job.kind]
  if (!kind) throw new Error(`there are no jobs of the kind ${job.kind}`)
  const change = await changeJob(job, kind)
  if (change === 'deleted') deleteJob(database, job.id)
  else updateJob(database, job, change, { token, until: later(now, leaseTtlMs) })
  return { ranStep: true, nextDueAt: await nextDueTime(database), leasedUntil: null }
}

/** Fails the jobs of a restored database that were still running when the backup was made, because nobody expects them
 *  to continue. */
export async function failUnfinishedJobs(database: Database, now: string): Promise<void> {
  for (const job of await listUnfinishedJobs(database, now)) {
    const change = jobKinds[job.kind]?.fail(job, now)
    const endsJob = change?.state !== undefined || change?.cursor !== undefined
    // The other jobs have already ended. Their remaining steps only delete stored rows.
    if (change && endsJob) updateJob(database, job, change)
  }
}
