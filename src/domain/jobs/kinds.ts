import type { Database } from '../../engine/database/database.ts'
import { bulkEditJobs } from '../bulk/bulk-edit-job.ts'
import { importJobs } from '../imports/import-job.ts'
import type { JobKind } from './job.ts'
import { listUnfinishedJobs, updateJob } from './job-rows.ts'

/** The job kinds, by name. Every thread that runs operations loads this file. Add a module's kinds here. */
export const jobKinds: Record<string, JobKind> = { import: importJobs, bulk_edit: bulkEditJobs }

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
