import { bulkEditJobs } from '../bulk/bulk-edit-job.ts'
import { importJobs } from '../imports/import-job.ts'
import type { JobKind } from './job.ts'

/** The job kinds, by name. Every thread that runs operations loads this file. Add a module's kinds here. */
export const jobKinds: Record<string, JobKind> = { import: importJobs, bulk_edit: bulkEditJobs }
