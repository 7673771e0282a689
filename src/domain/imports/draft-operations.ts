// The operations on imports that only the panel uses. In the panel, an import is a draft until a user has assigned its
// file's columns. The file is then checked, and the user sees a preview of its first rows.

import type { Database } from '../../engine/database/database.ts'
import { mutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { Problem } from '../../problem.ts'
import { type Declared, resourceNamed } from '../declarations/resource.ts'
import { checkedTtlMs, later, listJobs, updateJob } from '../jobs/job.ts'
import { deleteSome, type PartRow, readPart } from '../jobs/job-parts.ts'
import type { Actor, OngoingChange } from '../records/changes.ts'
import type { FileColumn } from './columns/columns.ts'
import type { Assumption } from './file/assumptions.ts'
import {
  type ImportAnswers,
  type ImportCaller,
  type ImportInput,
  type ImportJob,
  type ImportView,
  importKind,
} from './import.ts'
import { startImportPass } from './import-job.ts'
import { mappingOfAnswers } from './mappings/fitting.ts'
import { saveMapping } from './mappings/saved-mappings.ts'
import { findImportJob, hasFile } from './operations.ts'
import { previewRows, type RowPreview } from './rows/import-rows.ts'

/** `isChecked`: whether the file has been checked with the answers; answering again turns the import back into a draft.
 *  `fileName`: null if it is not known. `columns`: the file's columns, assigned to fields as far as possible. `match`: the
 *  column that identifies records. `isExport`: whether the file is an export of this product. `answers`: null until a
 *  person has answered. `syntax`: what was assumed about the encoding and the delimiter. */
export type ImportDraft = {
  id: number
  isChecked: boolean
  fileName: string | null
  answers: ImportAnswers | null
  resource: string
  columns: FileColumn[]
  match: string
  isExport: boolean
  syntax: Assumption[]
  rows: number
  parts: number
}

/** The file's columns, and what the import would do with its first rows. */
export type ImportPreview = { columns: FileColumn[]; rows: RowPreview[] }

export const importDraftOperations = defineOperations({
  listRecentImports: { writes: false, run: listRecentImports },
  saveImportDraft: { writes: true, run: saveImportDraft },
  findImportDraft: { writes: false, run: findImportDraft },
  readImportPart: { writes: false, run: readImportPart },
  clearImportValues: { writes: true, run: clearImportValues },
  checkImportDraft: { writes: true, run: checkImportDraft },
  discardImportDraft: { writes: true, run: discardImportDraft },
  previewImport: { writes: false, run: previewImport },
  hasAnswers: { writes: false, run: hasAnswers },
  keepAnswers: mutation(keepAnswers),
})

/** An import in the panel's list. `fileName`: null if it is not known. */
export type RecentImport = Pick<ImportView, 'id' | 'resource' | 'rows' | 'state' | 'created_at'> & {
  fileName: string | null
  actor: Actor
}

/** Leaves out the drafts of other users. */
async function listRecentImports(
  database: Database,
  { limit, userId }: { limit: number; userId: string },
): Promise<RecentImport[]> {
  const below = Number.MAX_SAFE_INTEGER
  const jobs = await listJobs<ImportJob>(database, {
    kind: importKind,
    except: ['receiving', 'discarded'],
    below,
    limit,
  })
  const shown = jobs.filter((job) => job.state !== 'draft' || canAnswer(job, userId))
  return shown.map(({ id, input, state, createdAt }) => {
    const { resource, rows, fileName = null, origin } = input
    return { id, resource, rows, state, created_at: createdAt, fileName, actor: origin.actor }
  })
}

/** Only the user who uploads a file answers the questions about it. Files from the API and the command line are anyone's. */
function canAnswer({ input }: ImportJob, userId: string): boolean {
  const { actor } = input.origin
  return !('userId' in actor) || actor.userId === userId
}

/** A draft is deleted this long after a user last worked on it. */
const draftTtlMs = checkedTtlMs

type DraftChange = { id: number; now: string } & Partial<
  Pick<ImportInput, 'answers' | 'resource' | 'match' | 'columns'>
>

/** Changes the input of a draft. An import whose file has just been stored, or that has been checked, becomes a draft
 *  first. `changed`: what changes in the input; answers that are not given are discarded. Returns whether the import is a
 *  draft now; if it is not, nothing changes. */
async function saveImportDraft(database: Database, { id, now, ...changed }: DraftChange): Promise<boolean> {
  const job = await findImportJob(database, id)
  const canOpen =
    job?.state === 'receiving' || job?.state === 'draft' || (job?.state === 'checked' && hasFile(job, now))
  if (!job || !canOpen) return false
  const change = { state: 'draft', cursor: { phase: 'discard', pass: job.cursor.pass }, finishedAt: null } as const
  const input = { ...job.input, answers: undefined, ...changed }
  updateJob(database, job, { ...change, dueAt: later(now, draftTtlMs), input })
  return true
}

/** Returns the user's draft, or the checked import whose questions the user can answer again; null for every other import. */
async function findImportDraft(
  database: Database,
  { id, now, userId }: { id: number; now: string; userId: string },
): Promise<ImportDraft | null> {
  const job = await findImportJob(database, id)
  const isChecked = job?.state === 'checked' && hasFile(job, now)
  if (!job || (job.state !== 'draft' && !isChecked) || !canAnswer(job, userId)) return null
  const { resource, fileName = null, columns, match, assumptions, rows, parts } = job.input
  const answers = job.input.answers ?? (isChecked ? answersOf(job.input) : null)
  const syntax = assumptions.filter(({ code }) => ['encoding', 'delimiter', 'header_row', 'total_row'].includes(code))
  const isExport = columns.exportKey !== undefined
  return { id, isChecked, fileName, resource, columns: columns.columns, match, isExport, answers, syntax, rows, parts }
}

/** The answers that lead to the columns of an import that was started without questions. */
function answersOf({ columns: { columns, match } }: ImportInput): ImportAnswers {
  const names = columns.map(({ target }) => target?.name ?? null)
  return { names, match: match === null ? null : names[match]!, set: {}, value: {} }
}

async function readImportPart(database: Database, { id, part }: { id: number; part: number }): Promise<PartRow[]> {
  return readPart(database, id, part)
}

/** Deletes values stored by an earlier check, which may have used other columns. Returns whether there may be more. */
async function clearImportValues(database: Database, { id }: { id: number }): Promise<boolean> {
  return deleteSome(database, 'import_values', id)
}

type AssignedDraft = Pick<ImportInput, 'columns' | 'match' | 'assumptions'> & {
  id: number
  caller: ImportCaller
  now: string
}

/** Throws `not_found` if the import is not a draft. */
async function checkImportDraft(database: Database, { id, caller, now, ...assigned }: AssignedDraft): Promise<null> {
  const job = await requireDraft(database, id)
  const input = { ...job.input, ...assigned, origin: { ...job.input.origin, stockCreation: undefined, ...caller } }
  updateJob(database, job, { ...startImportPass(job, 'check', now), input })
  return null
}

/** Throws `not_found` if the import is not a draft. */
async function discardImportDraft(database: Database, { id, now }: { id: number; now: string }): Promise<null> {
  updateJob(database, await requireDraft(database, id), { state: 'discarded', dueAt: now })
  return null
}

async function requireDraft(database: Database, id: number): Promise<ImportJob> {
  const job = await findImportJob(database, id)
  if (job?.state !== 'draft') throw new Problem('not_found', { message: 'There is no such draft.' })
  return job
}

/** Returns null if the import is not in the `checked` state or its file has been deleted. */
async function previewImport(
  database: Database,
  { id, limit, now }: { id: number; limit: number; now: string },
  { resources }: Declared,
): Promise<ImportPreview | null> {
  const job = await findImportJob(database, id)
  if (job?.state !== 'checked' || !hasFile(job, now)) return null
  const { resource, columns, parts } = job.input
  const rows = parts === 0 ? [] : (await readPart(database, id, 0)).slice(0, limit)
  const { stockCreation } = job.input.origin
  const rowImport = { jobId: id, resource: resourceNamed(resources, resource), resources, columns, stockCreation }
  return { columns: columns.columns, rows: await previewRows(database, rowImport, rows) }
}

async function hasAnswers(database: Database, { id }: { id: number }): Promise<boolean> {
  return (await findImportJob(database, id))?.input.answers !== undefined
}

/** Keeps the answers as a mapping for further files. Throws `not_found` if the import has no answers, and
 *  `invalid_request` if a mapping cannot have the name. */
async function keepAnswers(
  database: Database,
  { id, name }: { id: number; name: string },
  { context, resources }: OngoingChange,
): Promise<StoredResponse> {
  const job = await findImportJob(database, id)
  if (!job?.input.answers) throw new Problem('not_found', { message: 'There is no import with answers.' })
  const { resource, columns, answers } = job.input
  const titles = columns.columns.map(({ title }) => title)
  const mapping = mappingOfAnswers(answers, titles, resourceNamed(resources, resource), resources)
  const hasChanged = await saveMapping(database, { ...mapping, name, resource }, context)
  return { status: 200, body: '{}', location: null, changeSet: hasChanged ? context.changeSet : null }
}
