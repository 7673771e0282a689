// The steps of an import: check every row, apply the rows or revert them all, delete the file, and later delete the
// failed rows. Each step is committed together with the job's new cursor, so each row is applied exactly once.

import type { Database } from '../../database/database.ts'
import type { ChangeContext } from '../../resources/records/changes.ts'
import { type Resources, resourceNamed } from '../../resources/resource.ts'
import type { JobChange, JobKind, StepClock } from '../jobs/job.ts'
import { type ImportCursor, type ImportJob, type ImportProgress, noProgress } from './import.ts'
import { importRows, type RowResults } from './import-rows.ts'
import { deleteSome, insertFailures, readPart } from './import-tables.ts'
import type { RowImport } from './read-row.ts'
import { revertSome } from './revert.ts'

/** How long a checked import's file is kept, and how long any import's failed rows are kept (contract §17). */
const fileTtlMs = 24 * 60 * 60 * 1000
const failuresTtlMs = 30 * 24 * 60 * 60 * 1000

type ImportChange = JobChange<ImportJob>

export const importJobs: JobKind = {
  step: (database, resources, job, clock) => step(database, resources, job as ImportJob, clock),
  fail: (job, now) => fail(job as ImportJob, now),
}

async function step(
  database: Database,
  resources: Resources,
  job: ImportJob,
  clock: StepClock,
): Promise<ImportChange | 'deleted'> {
  switch (job.cursor.phase) {
    case 'check':
    case 'run':
      return processParts(database, resources, job, job.cursor, clock)
    case 'revert':
      return revert(database, resources, job, job.cursor, clock)
    case 'clear':
      return clear(database, job, job.cursor, clock)
    case 'forget':
      return forget(database, job, clock)
    case 'discard':
      return discard(database, job, clock)
  }
}

/** Checks or applies at least one part of the file, and continues with further parts until the step's time is up. */
async function processParts(
  database: Database,
  resources: Resources,
  job: ImportJob,
  { phase, pass, part: first }: ImportCursor & { phase: 'check' | 'run' },
  clock: StepClock,
): Promise<ImportChange> {
  const { input } = job
  const isAtomic = phase === 'run' && input.mode === 'all_or_nothing'
  const rowImport: RowImport = {
    jobId: job.id,
    resource: resourceNamed(resources, input.resource),
    columns: input.columns,
    context: phase === 'run' ? contextOf(job, clock.now) : null,
  }
  let progress = job.progress
  let part = first
  while (part < input.parts && !(part > first && clock.isOver())) {
    const rows = await readPart(database, job.id, part)
    const results = await importRows(database, rowImport, rows, isAtomic)
    await insertFailures(database, job.id, pass, results.failures)
    progress = addTo(progress, results)
    part++
    if (isAtomic && results.failures.length > 0) return startReverting(progress, pass, clock.now)
  }
  if (part < input.parts) return { cursor: { phase, pass, part }, progress, dueAt: clock.now }
  return phase === 'run' ? finish('done', progress, pass, clock.now) : endCheck(job, progress, pass, clock.now)
}

/** Attributes every change to the request that started the import. */
function contextOf({ input: { origin } }: ImportJob, now: string): ChangeContext {
  return { now, actor: origin.actor, requestId: origin.requestId, changeSet: origin.changeSet }
}

function addTo(progress: ImportProgress, { counts, failures }: RowResults): ImportProgress {
  const { created, updated, unchanged } = counts
  return {
    processed: progress.processed + created + updated + unchanged + failures.length,
    created: progress.created + created,
    updated: progress.updated + updated,
    unchanged: progress.unchanged + unchanged,
    invalid: progress.invalid + failures.length,
  }
}

/** Ends a dry run. In the other modes, the import goes on to apply the rows, unless all rows must be valid and some are
 *  not. */
function endCheck({ input: { mode } }: ImportJob, progress: ImportProgress, pass: number, now: string): ImportChange {
  if (mode === 'dry_run') {
    const dueAt = later(now, fileTtlMs)
    return { state: 'checked', cursor: { phase: 'clear', pass }, progress, finishedAt: now, dueAt }
  }
  if (mode === 'all_or_nothing' && progress.invalid > 0) return finish('failed', unchangedCounts(progress), pass, now)
  return startRunning(pass, now)
}

/** Starts a pass that applies the rows. The pass records failed rows again, because the data may have changed since the
 *  check. */
export function startRunning(pass: number, now: string): ImportChange {
  return {
    ...{ state: 'running', cursor: { phase: 'run', pass: pass + 1, part: 0 }, progress: noProgress },
    ...{ finishedAt: null, dueAt: now },
  }
}

/** Starts a pass that checks the rows. */
export function startChecking(pass: number, now: string): ImportChange {
  return {
    ...{ state: 'checking', cursor: { phase: 'check', pass: pass + 1, part: 0 }, progress: noProgress },
    ...{ finishedAt: null, dueAt: now },
  }
}

/** Returns the counts of an import whose rows were never applied, or were reverted except for some records. */
function unchangedCounts({ processed, invalid, keptCreated = 0, keptUpdated = 0 }: ImportProgress): ImportProgress {
  return { ...noProgress, processed, invalid, created: keptCreated, updated: keptUpdated }
}

/** Ends the import. The next step deletes its file. */
function finish(state: 'done' | 'failed', progress: ImportProgress, pass: number, now: string): ImportChange {
  return { state, cursor: { phase: 'clear', pass }, progress, finishedAt: now, dueAt: now }
}

/** Starts to revert all of the import's changes. This is rare: it happens only if a row has become invalid since the
 *  check, or if a step fails because of a bug. */
function startReverting(progress: ImportProgress, pass: number, now: string): ImportChange {
  return { cursor: { phase: 'revert', pass, before: Number.MAX_SAFE_INTEGER }, progress, dueAt: now }
}

async function revert(
  database: Database,
  resources: Resources,
  job: ImportJob,
  { pass, before }: ImportCursor & { phase: 'revert' },
  clock: StepClock,
): Promise<ImportChange> {
  const { resource, origin } = job.input
  const context = { ...contextOf(job, clock.now), changeSet: origin.revertSet }
  const scope = { resource, changeSet: origin.changeSet, before }
  const reverted = await revertSome(database, resources, context, scope)
  const progress = {
    ...job.progress,
    keptCreated: (job.progress.keptCreated ?? 0) + reverted.keptCreated,
    keptUpdated: (job.progress.keptUpdated ?? 0) + reverted.keptUpdated,
  }
  if (reverted.before === null) return finish('failed', unchangedCounts(progress), pass, clock.now)
  return { cursor: { phase: 'revert', pass, before: reverted.before }, progress, dueAt: clock.now }
}

/** Deletes the file, and failures that a later pass has replaced. */
async function clear(
  database: Database,
  job: ImportJob,
  { pass }: ImportCursor,
  clock: StepClock,
): Promise<ImportChange> {
  const hasMore =
    (await deleteSome(database, 'import_parts', job.id)) ||
    (await deleteSome(database, 'import_values', job.id)) ||
    (await deleteSome(database, 'import_failures', job.id, pass))
  if (hasMore) return { dueAt: clock.now }
  const dueAt = job.progress.invalid > 0 ? later(job.finishedAt ?? clock.now, failuresTtlMs) : null
  return { cursor: { phase: 'forget', pass }, dueAt }
}

async function forget(database: Database, job: ImportJob, clock: StepClock): Promise<ImportChange> {
  return { dueAt: (await deleteSome(database, 'import_failures', job.id)) ? clock.now : null }
}

async function discard(database: Database, job: ImportJob, clock: StepClock): Promise<ImportChange | 'deleted'> {
  const hasMore =
    (await deleteSome(database, 'import_parts', job.id)) ||
    (await deleteSome(database, 'import_values', job.id)) ||
    (await deleteSome(database, 'import_failures', job.id))
  return hasMore ? { state: 'discarded', dueAt: clock.now } : 'deleted'
}

/** Ends an import whose steps fail because of a bug. In `all_or_nothing` mode, the import's changes are reverted first;
 *  if the revert fails too, the changes remain. */
function fail(job: ImportJob, now: string): ImportChange {
  const { cursor, progress, input, finishedAt } = job
  if (finishedAt !== null || cursor.phase === 'discard') return { dueAt: null }
  if (cursor.phase === 'run' && input.mode === 'all_or_nothing') return startReverting(progress, cursor.pass, now)
  return finish('failed', progress, cursor.pass, now)
}

function later(now: string, milliseconds: number): string {
  return new Date(Date.parse(now) + milliseconds).toISOString()
}
