// The steps of an import: check every row, apply the rows or revert them all, delete the file, and later delete the
// failed rows.

import type { Database } from '../../engine/database/database.ts'
import { Problem } from '../../problem.ts'
import { byId, type Resources, resourceNamed } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import {
  checkedTtlMs,
  contextOf,
  discardJob,
  endJob,
  failuresTtlMs,
  type JobChange,
  type JobKind,
  later,
  listFinishedJobs,
  type PassCursor,
  type StepClock,
  startDiscarding,
  startPass,
  updateJob,
} from '../jobs/job.ts'
import { deleteSome, deleteStoredRows, insertFailures, readPart } from '../jobs/job-parts.ts'
import { type ChangeContext, findRecordsByIds } from '../records/changes.ts'
import { deleteRecord, updateRecord } from '../records/records.ts'
import { type Assumption, maxAssumptions } from './file/assumptions.ts'
import {
  addErrors,
  type ImportInput,
  type ImportJob,
  type ImportProgress,
  noImportProgress,
  withoutSamples,
} from './import.ts'
import { importRows, type RowResults } from './rows/import-rows.ts'
import type { RowImport } from './rows/read-row.ts'

export type ImportChange = JobChange<ImportJob>

/** At most this many failed rows of an import are kept; the rest is only counted (contract §17). */
export const maxFailures = 10_000

export const importJobs: JobKind = {
  phases: { check: processParts, run: processParts, revert, clear, forget, discard: discardJob },
  fail,
  afterStep: forgetOldImports,
}

/** Checks or applies at least one part of the file, and continues with further parts until the step's time is up. */
async function processParts(
  database: Database,
  job: ImportJob & { cursor: PassCursor },
  clock: StepClock,
  resources: Resources,
): Promise<ImportChange> {
  const { input } = job
  const { phase, pass, part: first } = job.cursor
  const isAtomic = phase === 'run' && input.mode === 'all_or_nothing'
  const rowImport: RowImport = {
    jobId: job.id,
    resource: resourceNamed(resources, input.resource),
    resources,
    columns: input.columns,
    context: phase === 'run' ? contextOf(job.input.origin, clock.now) : null,
    stockCreation: input.origin.stockCreation,
  }
  let progress = job.progress
  let part = first
  while (part < input.parts && !(part > first && clock.isOver())) {
    const rows = await readPart(database, job.id, part)
    const results = await importRows(database, rowImport, rows, isAtomic)
    const room = Math.max(0, maxFailures - progress.invalid)
    await insertFailures(database, job.id, pass, results.failures.slice(0, room))
    progress = addTo(progress, results)
    part++
    if (isAtomic && results.failures.length > 0) return { ...startReverting(job, clock.now), progress }
  }
  if (part < input.parts) return { cursor: { phase, pass, part }, progress, dueAt: clock.now }
  return phase === 'run' ? { ...endJob(job, 'done', clock.now), progress } : endCheck({ ...job, progress }, clock.now)
}

function addTo(progress: ImportProgress, { counts, existing, kept, failures }: RowResults): ImportProgress {
  const { created, updated, unchanged } = counts
  return {
    processed: progress.processed + created + updated + unchanged + failures.length,
    created: progress.created + created,
    updated: progress.updated + updated,
    unchanged: progress.unchanged + unchanged,
    invalid: progress.invalid + failures.length,
    errors: failures.length > 0 ? addErrors(progress.errors ?? [], failures) : (progress.errors ?? []),
    existing: addCounts(progress.existing ?? {}, existing),
    kept: addCounts(progress.kept ?? {}, kept),
  }
}

function addCounts(counts: Record<string, number>, more: Record<string, number>): Record<string, number> {
  const sums = Object.entries(more).map(([name, count]) => [name, (counts[name] ?? 0) + count])
  return { ...counts, ...Object.fromEntries(sums) }
}

/** Ends a dry run. In the other modes, the import goes on to apply the rows, unless all rows must be valid and some are
 *  not. */
function endCheck(job: ImportJob, now: string): ImportChange {
  const { cursor, progress } = job
  const input = withExistingValues(job)
  if (input.mode === 'dry_run') {
    const dueAt = later(now, checkedTtlMs)
    return { state: 'checked', input, cursor: { phase: 'clear', pass: cursor.pass }, progress, finishedAt: now, dueAt }
  }
  if (input.mode === 'all_or_nothing' && progress.invalid > 0) return { ...endUnchanged(job, progress, now), input }
  return { ...startImportPass(job, 'run', now), input }
}

/** Adds what the check has found: new records with a serial number or an email address that existing records have, and
 *  cells that a spreadsheet has damaged. */
function withExistingValues({ input, progress }: ImportJob): ImportInput {
  const isOfCheck = ({ code }: Assumption) => code === 'existing_values' || code === 'kept_values'
  const assumptions = input.assumptions.filter((each) => !isOfCheck(each)) // without those of an earlier check
  const found = input.columns.columns.flatMap(({ title: column, target }): Assumption[] => {
    const name = target?.kind === 'field' ? target.name : ''
    const [existing, kept] = [progress.existing?.[name] ?? 0, progress.kept?.[name] ?? 0]
    return [
      ...(existing > 0 ? [{ code: 'existing_values' as const, column, value: String(existing) }] : []),
      ...(kept > 0 ? [{ code: 'kept_values' as const, column, value: String(kept) }] : []),
    ]
  })
  return { ...input, assumptions: [...found, ...assumptions].slice(0, maxAssumptions) }
}

/** Starts to check the rows, or to apply them. */
export function startImportPass(job: ImportJob, phase: PassCursor['phase'], now: string): ImportChange {
  return { ...startPass(job, phase, now), progress: noImportProgress }
}

/** Ends an import whose rows were never applied, or were reverted except for some records. */
function endUnchanged(job: ImportJob, progress: ImportProgress, now: string): ImportChange {
  const { processed, invalid, errors = [], keptCreated = 0, keptUpdated = 0 } = progress
  const counts = { ...noImportProgress, processed, invalid, errors, created: keptCreated, updated: keptUpdated }
  return { ...endJob(job, 'failed', now), progress: counts }
}

/** Starts to revert all of the import's changes. This is rare: it happens only if a row has become invalid since the
 *  check, or if a step fails because of a bug. */
function startReverting({ cursor: { pass } }: ImportJob, now: string): ImportChange {
  return { cursor: { phase: 'revert', pass, before: Number.MAX_SAFE_INTEGER }, dueAt: now }
}

async function revert(
  database: Database,
  job: ImportJob & { cursor: { phase: 'revert' } },
  { now }: StepClock,
  resources: Resources,
): Promise<ImportChange> {
  const { resource, origin } = job.input
  const { pass, before } = job.cursor
  const context = { ...contextOf(origin, now), changeSet: origin.revertSet }
  const scope = { resource, changeSet: origin.changeSet, before }
  const reverted = await revertSome(database, resources, context, scope)
  const progress = {
    ...job.progress,
    keptCreated: (job.progress.keptCreated ?? 0) + reverted.keptCreated,
    keptUpdated: (job.progress.keptUpdated ?? 0) + reverted.keptUpdated,
  }
  if (reverted.before === null) return endUnchanged(job, progress, now)
  return { cursor: { phase: 'revert', pass, before: reverted.before }, progress, dueAt: now }
}

/** Deletes the file, the filter of its repeated values, and failures that a later pass has replaced. */
async function clear(database: Database, job: ImportJob, { now }: StepClock): Promise<ImportChange> {
  const { id, cursor, finishedAt, input } = job
  if (await deleteStoredRows(database, id, cursor.pass)) return { dueAt: now }
  const change = {
    cursor: { phase: 'forget', pass: cursor.pass },
    dueAt: later(finishedAt ?? now, failuresTtlMs),
  } as const
  const { repeated, ...columns } = input.columns
  return repeated ? { ...change, input: { ...input, columns } } : change
}

/** A tenant keeps at most this many finished imports (contract §17). */
const maxFinished = 1000

/** Called after each step. If the step has ended the import or cleared a part of it, starts to delete the oldest of the
 *  finished imports if there are more than `maxFinished`, including this one. */
async function forgetOldImports(
  database: Database,
  { id, kind, cursor }: ImportJob,
  { now }: StepClock,
  change: ImportChange | 'deleted',
): Promise<void> {
  const hasFinished = cursor.phase === 'clear' || (change !== 'deleted' && change.finishedAt)
  if (!hasFinished) return
  const others = { kind, except: id, offset: maxFinished - 1, limit: maxFinished }
  for (const job of await listFinishedJobs<ImportJob>(database, others))
    updateJob(database, job, startDiscarding(job, now))
}

/** Deletes the failed rows, and the samples of the file's cells. */
async function forget(database: Database, { id, input }: ImportJob, { now }: StepClock): Promise<ImportChange> {
  if (await deleteSome(database, 'job_failures', id)) return { dueAt: now }
  return { input: withoutSamples(input), dueAt: null }
}

/** Ends an import whose steps fail because of a bug. In `all_or_nothing` mode, the import's changes are reverted first;
 *  if the revert fails too, the changes remain. */
function fail(job: ImportJob, now: string): ImportChange {
  const { cursor, input, finishedAt } = job
  if (finishedAt !== null || cursor.phase === 'discard') return { dueAt: null }
  if (cursor.phase === 'run' && input.mode === 'all_or_nothing') return startReverting(job, now)
  return endJob(job, 'failed', now)
}

const changesPerStep = 50

/** The result of a step. `before`: where the next step continues; null after the last step. `keptCreated`: how many
 *  created records could not be reverted, for example because other records now depend on them. `keptUpdated`: how many
 *  updated records could not be reverted. */
type Reverted = { before: number | null; keptCreated: number; keptUpdated: number }

type ChangeRow = {
  seq: number
  resource: string
  record_id: number
  action: string
  before: string | null
  after: string | null
}

/** Reverts an import's changes, newest first, while other requests may change records too (docs/decisions/0036). Unlike
 *  an undo, a revert does not stop at conflicts. If an updated record has changed since, only the fields that still
 *  have the import's values are reset. `before`: only changes with lower numbers are reverted. */
async function revertSome(
  database: Database,
  resources: Resources,
  context: ChangeContext,
  { resource, changeSet, before }: { resource: string; changeSet: string; before: number },
): Promise<Reverted> {
  const sql = `select seq, resource, record_id, action, before, after from changes where change_set = ? and seq < ?
    order by seq desc limit ${changesPerStep}`
  const rows = await database.all<ChangeRow>(sql, [changeSet, before])
  const reverted: Reverted = { before: null, keptCreated: 0, keptUpdated: 0 }
  for (const row of rows) {
    const isReverted = await revertOne(database, resources, context, row)
    if (isReverted || row.resource !== resource) continue // a stock that holds other equipment by now stays
    if (row.action === 'create') reverted.keptCreated++
    else reverted.keptUpdated++
  }
  if (rows.length === changesPerStep) reverted.before = rows.at(-1)!.seq
  return reverted
}

async function revertOne(
  database: Database,
  resources: Resources,
  context: ChangeContext,
  { record_id: id, action, ...row }: ChangeRow,
): Promise<boolean> {
  const resource = resourceNamed(resources, row.resource)
  const record = (await findRecordsByIds(database, resource, [id])).get(id)
  if (!record) return true // deleted since
  const change = { resource, context, key: byId(id) }
  const before: Values = JSON.parse(row.before ?? '{}')
  const after: Values = JSON.parse(row.after ?? '{}')
  try {
    if (action === 'create') await deleteRecord(database, { ...change, resources })
    else {
      const names = Object.keys(after).filter((name) => record[name] === after[name])
      const values = Object.fromEntries(names.map((name) => [name, before[name]!]))
      if (names.length > 0) await updateRecord(database, { ...change, values })
    }
    return true
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return false
  }
}
