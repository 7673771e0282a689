// The operations on imports.

import type { Database } from '../../engine/database/database.ts'
import { mutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { Problem } from '../../problem.ts'
import type { Declared } from '../declarations/resource.ts'
import { endJob, findJob, insertJob, later, listJobs, startDiscarding, updateJob } from '../jobs/job.ts'
import { type FailedRow, insertParts, listFailures } from '../jobs/job-parts.ts'
import type { OngoingChange } from '../records/changes.ts'
import { sentenceOf } from './file/assumptions.ts'
import {
  hiddenStates,
  type ImportCaller,
  type ImportInput,
  type ImportJob,
  type ImportMode,
  type ImportView,
  importKind,
  noImportProgress,
} from './import.ts'
import { type ImportChange, startImportPass } from './import-job.ts'
import type { MappingToSave } from './mappings/mapping.ts'
import { saveMapping } from './mappings/saved-mappings.ts'
import { type ImportReport, reportOf, viewOf } from './report.ts'
import { type FoundReading, findReferences, type SoughtReference } from './rows/references.ts'

/** `location`: the import's URL, up to the id. */
type ImportAcceptance = { id: number; location: string }

/** `save`: the mapping that is kept together with the import. */
export type ImportStart = ImportAcceptance & { save: MappingToSave | null }

/** `writable`: the resources that the caller may change; null for all resources. */
export type ImportRun = ImportAcceptance & {
  mode: Exclude<ImportMode, 'dry_run'>
  writable: readonly string[] | null
  stockCreation?: ImportCaller['stockCreation']
}

export type ImportDiscard = { id: number; writable: readonly string[] | null }

export const importOperations = defineOperations({
  findImport: { writes: false, run: findImport },
  listImports: { writes: false, run: listImports },
  listImportFailures: { writes: false, run: listImportFailures },
  findReadings: { writes: false, isScan: true, run: findReadings },
  receiveImport: { writes: true, run: receiveImport },
  storeImportParts: { writes: true, run: storeImportParts },
  startImport: mutation(startImport),
  runImport: mutation(runImport),
  discardImport: mutation(discardImport),
})

async function findImport(database: Database, { id }: { id: number }): Promise<ImportReport | null> {
  const job = await findVisible(database, id)
  return job ? reportOf(database, job) : null
}

/** Lists the imports of the resources that the caller may read, newest first. `readable`: null for all resources. */
async function listImports(
  database: Database,
  { below, limit, readable }: { below: number; limit: number; readable: readonly string[] | null },
): Promise<ImportView[]> {
  const views: ImportView[] = []
  for (let next = below; ; ) {
    const jobs = await listJobs<ImportJob>(database, { kind: importKind, except: hiddenStates, below: next, limit })
    for (const job of jobs) if (isIn(readable, job.input.resource) && views.length < limit) views.push(viewOf(job))
    if (views.length === limit || jobs.length < limit) return views
    next = jobs.at(-1)!.id
  }
}

/** Returns the file's titles and delimiter, and a page of failed rows. Returns null if there is no such import. */
async function listImportFailures(
  database: Database,
  { id, after, limit }: { id: number; after: number; limit: number },
): Promise<{ titles: string[]; delimiter: string; failures: FailedRow[] } | null> {
  const job = await findVisible(database, id)
  if (!job) return null
  const { columns, delimiter } = job.input
  const failures = await listFailures(database, { jobId: id, pass: job.cursor.pass, after, limit })
  return { titles: columns.columns.map(({ title }) => title), delimiter, failures }
}

/** Finds what each of these references may mean. */
async function findReadings(
  database: Database,
  { references }: { references: readonly SoughtReference[] },
  { resources }: Declared,
): Promise<FoundReading[][]> {
  return references.map(await findReferences(database, resources, references))
}

/** How long storing a file may take. After that, the file is deleted. */
const receivingTtlMs = 10 * 60_000

/** Creates an import, which is hidden until it is started. `storeImportParts` then stores the file. Returns the
 *  import's id. */
async function receiveImport(database: Database, { input, now }: { input: ImportInput; now: string }): Promise<number> {
  return insertJob(database, {
    kind: importKind,
    state: 'receiving',
    input,
    cursor: { phase: 'discard', pass: 0 },
    progress: noImportProgress,
    dueAt: later(now, receivingTtlMs),
    createdAt: now,
  })
}

/** `parts`: JSON texts, in order. `from`: the number of the first part. */
async function storeImportParts(
  database: Database,
  { id, from, parts }: { id: number; from: number; parts: string[] },
): Promise<null> {
  await insertParts(database, id, from, parts)
  return null
}

/** Starts to check an import whose file has been stored. */
async function startImport(
  database: Database,
  { id, location, save }: ImportStart,
  { context }: OngoingChange,
): Promise<StoredResponse> {
  const job = await findImportJob(database, id)
  if (job?.state !== 'receiving') throw new Error(`the file of import ${id} was deleted while it was being stored`)
  const response = acceptChange(database, job, startImportPass(job, 'check', context.now), location)
  const hasChanged = save !== null && (await saveMapping(database, save, context))
  return { ...response, changeSet: hasChanged ? context.changeSet : null }
}

/** Applies a checked import. */
async function runImport(
  database: Database,
  { id, mode, writable, stockCreation, location }: ImportRun,
  { context: { now, actor, requestId } }: OngoingChange,
): Promise<StoredResponse> {
  const job = await requireImport(database, id, writable)
  if (job.state !== 'checked') throw conflict(`The import is ${job.state}; only a checked import can be run.`)
  if (!hasFile(job, now)) throw conflict('The file was deleted 24 hours after it was checked; upload it again.')
  const input = { ...job.input, mode, origin: { ...job.input.origin, actor, requestId, stockCreation } }
  const firstPhase = mode === 'all_or_nothing' ? 'check' : 'run'
  return acceptChange(database, job, { ...startImportPass(job, firstPhase, now), input }, location)
}

/** Cancels a running import, which keeps the changes that it has applied, or deletes one that is not running. */
async function discardImport(
  database: Database,
  { id, writable }: ImportDiscard,
  { context: { now } }: OngoingChange,
): Promise<StoredResponse> {
  const job = await requireImport(database, id, writable)
  if (job.cursor.phase === 'revert') throw conflict('The import has failed, and its changes are being reverted.')
  updateJob(database, job, job.state === 'running' ? endJob(job, 'cancelled', now) : startDiscarding(job, now))
  return { status: 200, body: JSON.stringify({ id, deleted: true }), location: null, changeSet: null }
}

/** Changes the import, and returns the response with its new state and with the assumptions as sentences. */
function acceptChange(database: Database, job: ImportJob, change: ImportChange, location: string): StoredResponse {
  updateJob(database, job, change)
  const view = viewOf({ ...job, ...change })
  const body = JSON.stringify({ ...view, assumptions: view.assumptions.map(sentenceOf) })
  return { status: 202, body, location: location + job.id, changeSet: null }
}

function conflict(details: string): Problem {
  return new Problem('conflict', { message: details, members: { details } })
}

async function findVisible(database: Database, id: number): Promise<ImportJob | undefined> {
  const job = await findImportJob(database, id)
  return job && hiddenStates.some((state) => state === job.state) ? undefined : job
}

/** Whether a list of permitted resources contains this one. Null permits every resource. */
function isIn(permitted: readonly string[] | null, resource: string): boolean {
  return permitted === null || permitted.includes(resource)
}

/** Throws `not_found`, and `forbidden` if the caller may not change the resource. */
async function requireImport(database: Database, id: number, writable: readonly string[] | null): Promise<ImportJob> {
  const job = await findVisible(database, id)
  if (!job) throw new Problem('not_found', { message: 'There is no import with this id.' })
  const { resource } = job.input
  if (!isIn(writable, resource)) throw new Problem('forbidden', { missingScopes: [`${resource}:write`] })
  return job
}

export function findImportJob(database: Database, id: number): Promise<ImportJob | undefined> {
  return findJob<ImportJob>(database, importKind, id)
}

/** Whether the import's file is still stored: a checked import's file is deleted after a day. */
export function hasFile({ cursor, dueAt }: ImportJob, now: string): boolean {
  return cursor.phase === 'clear' && dueAt !== null && dueAt > now
}
