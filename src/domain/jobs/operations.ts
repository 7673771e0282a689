// The operations on jobs of any kind. Each step is committed together with its cursor, so a job resumes exactly where a
// crash stopped it.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { Resources } from '../declarations/resource.ts'
import { type Job, type JobChange, type JobKind, later, type StepClock } from './job.ts'
import { deleteJob, findDueJob, nextDueTime, updateJob } from './job-rows.ts'
import { jobKinds } from './kinds.ts'

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
async function runDueJob(
  database: Database,
  turn: JobTurn,
  { resources }: { resources: Resources },
): Promise<JobTurnResult> {
  const end = performance.now() + turn.budgetMs
  const clock: StepClock = { now: turn.now, isOver: () => performance.now() > end }
  return changeDueJob(database, turn, (job, kind) => kind.step(database, resources, job, clock))
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
  const found = await findDueJob(database, now)
  if (!found) return { ranStep: false, nextDueAt: await nextDueTime(database), leasedUntil: null }
  const { job, lease } = found
  if (lease && lease.token !== token && lease.until > now)
    return { ranStep: false, nextDueAt: job.dueAt, leasedUntil: lease.until }
  const change = await changeJob(job, kindOf(job))
  if (change === 'deleted') deleteJob(database, job.id)
  else updateJob(database, job, change, { token, until: later(now, leaseTtlMs) })
  return { ranStep: true, nextDueAt: await nextDueTime(database), leasedUntil: null }
}

function kindOf({ kind: name }: Job): JobKind {
  const kind = jobKinds[name]
  if (!kind) throw new Error(`no module has registered jobs of the kind ${name}`)
  return kind
}
