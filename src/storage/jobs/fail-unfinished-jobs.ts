import type { Database } from '../../database/database.ts'
import { listUnfinishedJobs, updateJob } from './job-rows.ts'
import { jobKinds } from './kinds.ts'

/** Ends the jobs of a restored database that were running when its backup was made: nobody expects them to go on. */
export async function failUnfinishedJobs(database: Database, now: string): Promise<void> {
  for (const job of await listUnfinishedJobs(database, now)) {
    const change = jobKinds[job.kind]?.fail(job, now)
    const isEnded = change?.state !== undefined || change?.cursor !== undefined
    if (change && isEnded) updateJob(database, job, change, null) // any other job only cleans up
  }
}
