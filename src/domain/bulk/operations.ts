// The operations on bulk edits, which are jobs. A command that the job's state does not allow is ignored without an
// error, because the job's page shows the current state anyway.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations, type OperationContext } from '../../engine/operation.ts'
import { type Declared, type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import { latestSeq } from '../history/positions.ts'
import { endJob, findJob, insertJob, type JobChange, later, startDiscarding, updateJob } from '../jobs/job.ts'
import { listRecords, toList } from '../lists/page.ts'
import type { ListInput, Position } from '../lists/query.ts'
import { findRecordsByIds, type StoredRecord } from '../records/changes.ts'
import { type BulkEdit, isChanged, type PlannedChange, type RefusalReason } from './bulk-edit.ts'
import { processParts, startBulkEditPass } from './bulk-edit-job.ts'
import {
  type BulkEditInput,
  type BulkEditJob,
  type BulkEditProgress,
  type BulkEditState,
  bulkEditKind,
  insertIds,
  listRefusals,
  noProgress,
  readSelectedIds,
} from './bulk-edit-job-rows.ts'
import { planEdits } from './plan.ts'

/** The ids of the records on a list page. `seq`: the number of the newest change before the ids were read. */
export type SelectedIds = { ids: number[]; next: Position | null; seq: number }

/** A record that cannot be changed; `record` is null if it has been deleted. */
export type RefusedRecord = { id: number; record: StoredRecord | null; reason: RefusalReason }

/** A bulk edit as its page shows it. `changed`: the first records that the edit would change; in a draft, the first
 *  selected records, with no new values; otherwise empty unless the state is `checked`. `refused`: the first records
 *  that cannot be changed. */
export type BulkEditReport = {
  id: number
  state: BulkEditState
  resource: string
  task: string
  edit: BulkEdit | null
  selected: number
  progress: BulkEditProgress
  changed: PlannedChange[]
  refused: RefusedRecord[]
  change_set: string | null
}

/** `origin`: the user and the request that confirm the edit, and the edit's change set. */
export type BulkEditCommand =
  | { action: 'choose'; edit: BulkEdit }
  | { action: 'run'; origin: BulkEditInput['origin'] }
  | { action: 'discard' }

export const bulkEditOperations = defineOperations({
  selectIds: { writes: false, isScan: true, run: selectIds },
  draftBulkEdit: { writes: true, run: draftBulkEdit },
  addToBulkEdit: { writes: true, run: addToBulkEdit },
  commandBulkEdit: { writes: true, isLong: true, run: commandBulkEdit },
  findBulkEdit: { writes: false, needsSnapshot: true, run: findBulkEdit },
})

async function selectIds(database: Database, input: ListInput, declared: Declared): Promise<SelectedIds> {
  const seq = await latestSeq(database)
  const { records, next } = await listRecords(toList(database, input, declared))
  return { ids: records.map((json) => JSON.parse(json).id), next, seq }
}

/** How long a user has to choose what to do. After that, the draft is deleted. */
const draftTtlMs = 24 * 60 * 60_000

/** Returns the id of the new job. `addToBulkEdit` adds the selected records. */
async function draftBulkEdit(
  database: Database,
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

async function addToBulkEdit(database: Database, { id, ids }: { id: number; ids: number[] }): Promise<null> {
  const job = await findBulkEditJob(database, id)
  if (job?.state !== 'draft') throw new Error(`the bulk edit ${id} is not a draft`)
  const parts = await insertIds(database, id, job.input.parts, ids)
  updateJob(database, job, { input: { ...job.input, parts: job.input.parts + parts } })
  return null
}

/** A command processes this many parts at once, so that an edit of up to 200 records is finished when the command
 *  returns, even if an import of the same tenant is running. */
const partsAtOnce = 4

async function commandBulkEdit(
  database: Database,
  { id, command, now }: { id: number; command: BulkEditCommand; now: string },
  { resources, pause }: OperationContext<Resources>,
): Promise<null> {
  const job = await findBulkEditJob(database, id)
  const change = job && (await changeOf(database, job, command, now))
  if (!change) return null
  let commanded: BulkEditJob = { ...job, ...change }
  for (let parts = 0; parts < partsAtOnce && 'part' in commanded.cursor; parts++) {
    const pass = { ...commanded, cursor: commanded.cursor }
    commanded = { ...commanded, ...(await processParts(database, pass, { now, isOver: () => true }, resources)) }
    await pause()
  }
  updateJob(database, job, commanded)
  return null
}

/** Returns undefined if the job's state does not allow the command. */
async function changeOf(
  database: Database,
  job: BulkEditJob,
  command: BulkEditCommand,
  now: string,
): Promise<JobChange<BulkEditJob> | undefined> {
  const { state, input } = job
  if (command.action === 'choose' && (state === 'draft' || state === 'checked')) {
    const seq = input.seq ?? (await latestSeq(database))
    return { ...startBulkEditPass(job, 'check', now), input: { ...input, edit: command.edit, seq } }
  }
  if (command.action === 'run' && state === 'checked')
    return { ...startBulkEditPass(job, 'run', now), input: { ...input, origin: command.origin } }
  if (command.action === 'discard' && state === 'running') return endJob(job, 'cancelled', now)
  if (command.action === 'discard' && ['draft', 'checking', 'checked'].includes(state)) return startDiscarding(job, now)
  return undefined
}

/** The page lists at most this many records that would be changed, and this many that cannot be changed. */
const maxListed = 50

async function findBulkEdit(
  database: Database,
  { id }: { id: number },
  { resources }: Declared,
): Promise<BulkEditReport | null> {
  const job = await findBulkEditJob(database, id)
  if (!job) return null
  const { state, input, cursor, progress } = job
  const { resource, task, edit, selected, origin } = input
  const hasChanged = !['draft', 'checking', 'checked'].includes(state) && progress.changed > 0
  const refusals = await listRefusals(database, id, cursor.pass, maxListed)
  const ids = refusals.map((each) => each.id)
  const records = await findRecordsByIds(database, resourceNamed(resources, resource), ids)
  return {
    id,
    state,
    resource,
    task,
    edit,
    selected,
    progress,
    changed: state === 'draft' || state === 'checked' ? await planFirst(database, resources, job) : [],
    refused: refusals.map((refusal) => ({ ...refusal, record: records.get(refusal.id) ?? null })),
    change_set: hasChanged ? origin.changeSet : null,
  }
}

/** Plans the edit of the first records for their current state. A draft changes nothing yet. */
async function planFirst(database: Database, resources: Resources, { id, input }: BulkEditJob) {
  const { edit, parts } = input
  const resource = resourceNamed(resources, input.resource)
  const seq = await latestSeq(database)
  const changed: PlannedChange[] = []
  for (let part = 0; part < Math.min(parts, partsAtOnce) && changed.length < maxListed; part++) {
    const ids = await readSelectedIds(database, id, part)
    const planned = edit
      ? await planEdits(database, resources, edit, { ids, seq })
      : await unplanned(database, resource, ids)
    changed.push(...planned.filter(isChanged))
  }
  return changed.slice(0, maxListed)
}

async function unplanned(database: Database, resource: Resource, ids: number[]): Promise<PlannedChange[]> {
  const records = await findRecordsByIds(database, resource, ids)
  return ids.flatMap((id) => {
    const record = records.get(id)
    return record ? [{ id, outcome: 'changed', record, values: {} }] : []
  })
}

async function findBulkEditJob(database: Database, id: number): Promise<BulkEditJob | undefined> {
  const job = await findJob<BulkEditJob>(database, bulkEditKind, id)
  return job?.state === 'discarded' ? undefined : job
}
