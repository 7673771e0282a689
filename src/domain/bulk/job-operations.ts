// The operations on bulk edits that run as jobs. A command that the job's state does not allow is ignored without an
// error, because the job's page shows the current state anyway.

import type { Database } from '../../engine/database/database.ts'
import type { Operations } from '../../engine/operation.ts'
import type { Resources } from '../declarations/resource.ts'
import { endJob, type JobChange, later, startDiscarding } from '../jobs/job.ts'
import { findJob, insertJob, updateJob } from '../jobs/job-rows.ts'
import type { BulkEdit, RefusalReason } from './bulk-edit.ts'
import { startBulkEditPass } from './bulk-edit-job.ts'
import {
  type BulkEditInput,
  type BulkEditJob,
  type BulkEditProgress,
  type BulkEditState,
  bulkEditKind,
  insertIds,
  listRefusals,
  noProgress,
  readIds,
} from './bulk-edit-job-rows.ts'

/** A bulk edit as its page shows it. `refused`: the first records that cannot be changed. `first`: the ids of the first
 *  selected records; empty unless the state is `checked`. */
export type BulkEditReport = {
  id: number
  state: BulkEditState
  resource: string
  task: string
  edit: BulkEdit | null
  selected: number
  progress: BulkEditProgress
  refused: { id: number; reason: RefusalReason }[]
  first: number[]
  change_set: string | null
}

/** `origin`: the user and the request that confirm the edit, and the edit's change set. */
export type BulkEditCommand =
  | { action: 'choose'; edit: BulkEdit }
  | { action: 'run'; origin: BulkEditInput['origin'] }
  | { action: 'discard' }

export const bulkEditJobOperations = {
  draftBulkEdit: { writes: true, run: draftBulkEdit },
  addToBulkEdit: { writes: true, run: addToBulkEdit },
  commandBulkEdit: { writes: true, run: commandBulkEdit },
  findBulkEdit: { writes: false, run: findBulkEdit },
} as const satisfies Operations

/** How long a user has to choose what to do. After that, the draft is deleted. */
const draftTtlMs = 24 * 60 * 60_000

/** Returns the id of the new job. `addToBulkEdit` adds the selected records. */
async function draftBulkEdit(
  database: Database,
  _: Resources,
  { input, now }: { input: Omit<BulkEditInput, 'edit' | 'parts'>; now: string },
): Promise<number> {
  return insertJob(database, {
    kind: bulkEditKind,
    state: 'draft',
    input: { ...input, edit: null, parts: 0 },
    cursor: { phase: 'discard', pass: 0 },
    progress: noProgress,
    dueAt: later(now, draftTtlMs),
    createdAt: now,
  })
}

async function addToBulkEdit(
  database: Database,
  _: Resources,
  { id, ids }: { id: number; ids: number[] },
): Promise<null> {
  const job = await findBulkEditJob(database, id)
  if (job?.state !== 'draft') throw new Error(`the bulk edit ${id} is not a draft`)
  const parts = await insertIds(database, id, job.input.parts, ids)
  updateJob(database, job, { input: { ...job.input, parts: job.input.parts + parts } }, null)
  return null
}

async function commandBulkEdit(
  database: Database,
  _: Resources,
  { id, command, now }: { id: number; command: BulkEditCommand; now: string },
): Promise<null> {
  const job = await findBulkEditJob(database, id)
  const change = job && changeOf(job, command, now)
  if (change) updateJob(database, job, change)
  return null
}

/** Returns undefined if the job's state does not allow the command. */
function changeOf(job: BulkEditJob, command: BulkEditCommand, now: string): JobChange<BulkEditJob> | undefined {
  const { state, input } = job
  if (command.action === 'choose' && (state === 'draft' || state === 'checked'))
    return { ...startBulkEditPass(job, 'check', now), input: { ...input, edit: command.edit } }
  if (command.action === 'run' && state === 'checked')
    return { ...startBulkEditPass(job, 'run', now), input: { ...input, origin: command.origin } }
  if (command.action === 'discard' && state === 'running') return endJob(job, 'cancelled', now)
  if (command.action === 'discard' && ['draft', 'checking', 'checked'].includes(state)) return startDiscarding(job, now)
  return undefined
}

/** The page lists at most this many records that cannot be changed. */
const shownRefusals = 50

async function findBulkEdit(database: Database, _: Resources, { id }: { id: number }): Promise<BulkEditReport | null> {
  const job = await findBulkEditJob(database, id)
  if (!job) return null
  const { state, input, cursor, progress } = job
  const { resource, task, edit, selected, origin } = input
  const hasChanged = !['draft', 'checking', 'checked'].includes(state) && progress.changed > 0
  return {
    id,
    state,
    resource,
    task,
    edit,
    selected,
    progress,
    refused: await listRefusals(database, id, cursor.pass, shownRefusals),
    first: state === 'checked' ? await readIds(database, id, 0) : [],
    change_set: hasChanged ? origin.changeSet : null,
  }
}

async function findBulkEditJob(database: Database, id: number): Promise<BulkEditJob | undefined> {
  const job = await findJob<BulkEditJob>(database, bulkEditKind, id)
  return job?.state === 'discarded' ? undefined : job
}
