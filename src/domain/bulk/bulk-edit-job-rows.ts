// The jobs that run bulk edits. The selected ids are stored as rows without cells, and records that cannot be changed
// are stored as failures.

import type { Database } from '../../engine/database/database.ts'
import type { Job, JobOrigin, PartsCursor } from '../jobs/job.ts'
import { insertFailures, insertParts, listErrors, readPart, writePart } from '../jobs/job-parts.ts'
import { type BulkEdit, type EditCounts, noCounts, type PlannedRefusal, type RefusalReason } from './bulk-edit.ts'

export const bulkEditKind = 'bulk_edit'

/** `draft`: the user is still choosing what to do. `discarded`: the job is being deleted. */
export type BulkEditState =
  | 'draft'
  | 'checking'
  | 'checked'
  | 'running'
  | 'done'
  | 'cancelled'
  | 'failed'
  | 'undone'
  | 'discarded'

/** `task`: what the user wants to do. `edit`: the details from the task's form; null until the form is submitted.
 *  `selected`: the number of selected records, whose ids are stored in `parts` parts. `seq`: the number of the newest
 *  change when the user saw the records: when they were selected by filters, or else when the form was submitted (null
 *  until then). */
export type BulkEditInput = {
  resource: string
  task: string
  edit: BulkEdit | null
  selected: number
  parts: number
  seq: number | null
  origin: JobOrigin
}

export type BulkEditProgress = EditCounts & { processed: number }

export const noProgress: BulkEditProgress = { ...noCounts, processed: 0 }

export type BulkEditJob = Job<BulkEditInput, PartsCursor, BulkEditProgress> & { state: BulkEditState }

/** A part of this size is planned with a few statements, and takes a few milliseconds to apply. */
const idsPerPart = 50

/** Stores the ids in parts, numbered from `first`. Returns the number of parts. */
export async function insertIds(
  database: Database,
  jobId: number,
  first: number,
  ids: readonly number[],
): Promise<number> {
  const count = Math.ceil(ids.length / idsPerPart)
  const parts = Array.from({ length: count }, (_, index) => ids.slice(index * idsPerPart, (index + 1) * idsPerPart))
  const texts = parts.map((part) => writePart(part.map((row) => ({ row, cells: [] }))))
  await insertParts(database, jobId, first, texts)
  return count
}

export async function readSelectedIds(database: Database, jobId: number, part: number): Promise<number[]> {
  return (await readPart(database, jobId, part)).map(({ row }) => row)
}

export async function insertRefusals(
  database: Database,
  jobId: number,
  pass: number,
  refused: readonly PlannedRefusal[],
): Promise<void> {
  const failures = refused.map(({ id: row, reason }) => {
    return { row, cells: [], errors: [{ column: null, code: reason, message: '' }] }
  })
  await insertFailures(database, jobId, pass, failures)
}

/** Returns the first records that cannot be changed, ordered by id. */
export async function listRefusals(
  database: Database,
  jobId: number,
  pass: number,
  limit: number,
): Promise<{ id: number; reason: RefusalReason }[]> {
  const failures = await listErrors(database, { jobId, pass, limit })
  return failures.map(({ row, errors }) => ({ id: row, reason: errors[0]!.code as RefusalReason }))
}
