import type { Database } from '../../database/database.ts'
import { listUnfinishedJobs, updateJob } from './job-rows.ts'
import { jobKinds } from './kinds.ts'

/** Ends the jobs that were running when the backup of a restored database was made: nobody expects them to continue. */
export async function failUnfinishedJobs(database: Database, now: string): Promise<void> {
  for (const job of await listUnfinishedJobs(database, now)) {
    const change = jobKinds[job.kind]?.fail(job, now)
    const endsJob = change?.state !== undefined || change?.cursor !== undefined
    if (change && endsJob) updateJob(database, job, change, null) // other jobs only delete their rows
  }
}
