// The panel's drafts: an uploaded file is a draft until a person has assigned its columns; then it is checked.

import type { Engine } from '../../engine/engine.ts'
import { resourceNamed } from '../declarations/resource.ts'
import { type AssignmentFault, applyAssignment, type ColumnAssignment } from './columns/assignment.ts'
import type { ColumnOptions, FileColumns } from './columns/columns.ts'
import { namesPart } from './columns/guess.ts'
import { matchColumns } from './columns/match-columns.ts'
import { faultInTenant } from './columns/set-values.ts'
import { defaultMatch, fieldOf, uniqueColumns } from './columns/targets.ts'
import { findTargets, titleTest } from './columns/titles.ts'
import { type ImportDraft, importDraftOperations } from './draft-operations.ts'
import { assumptionsOf } from './file/assumptions.ts'
import type { FileSource } from './file/check-file.ts'
import { watchFormats } from './file/formats.ts'
import { watchReadings } from './file/readings.ts'
import { watchRepeatedValues } from './file/repeated-values.ts'
import { readTitles } from './file/syntax.ts'
import type { ImportAnswers, ImportCaller } from './import.ts'
import { withMapping } from './mappings/mapping.ts'
import { importMappingOperations } from './mappings/operations.ts'
import { type ImportContext, type ImportOptions, receiveFile, tenantData, type UploadedFile } from './start-import.ts'
import { type FileWords, findWords, wordOperations } from './unknown-words.ts'

/** A person assigns the columns of a draft. */
const draftOptions: ColumnOptions = {
  ...{ map: {}, set: {}, value: {}, match: null, amounts: null, charset: null },
  isDraft: true,
}

/** Stores a file as a draft. A panel user assigns its columns later. `resource`: null if the file's titles decide. Returns
 *  the import's id. */
export async function receiveDraft(
  engine: Engine,
  context: ImportContext,
  { resource: given, ...file }: Omit<UploadedFile, 'options'> & { resource: string | null },
  now: () => Date,
): Promise<number> {
  const resource = given ?? (await likelyResource(engine, context, file.source))
  const options: ImportOptions = { ...draftOptions, resource, mode: 'dry_run', mapping: null }
  const id = await receiveFile(engine, context, { ...file, options }, now)
  await engine.run(context.tenant, importDraftOperations.saveImportDraft, { id, now: now().toISOString() })
  return id
}

/** Returns the resource that a file is about: the one of which the file's titles name the most fields. */
async function likelyResource(
  engine: Engine,
  { tenant, resources }: ImportContext,
  source: FileSource,
): Promise<string> {
  const counts: { name: string; count: number }[] = []
  for (const resource of resources) {
    const { name } = resource
    const titles = await readTitles(source, titleTest(resource, resources, draftOptions)).catch(() => [])
    const mapping = await engine.run(tenant, importMappingOperations.proposeMapping, { resource: name, titles })
    const options = mapping ? withMapping(draftOptions, mapping, { titles, resource, resources }) : draftOptions
    const targets = findTargets(titles, resource, resources, options)
    const known = new Set(targets.flatMap((target) => (target ? [fieldOf(target)] : [])))
    counts.push({ name, count: known.size + titles.filter((title) => namesPart(resource, title)).length })
  }
  return counts.reduce((first, other) => (other.count > first.count ? other : first)).name
}

/** Makes a draft one of another resource, and proposes its columns anew. */
export async function changeResource(
  engine: Engine,
  { tenant, resources }: ImportContext,
  draft: ImportDraft,
  { resource, now }: { resource: string; now: string },
): Promise<void> {
  const titles = draft.columns.map(({ title }) => title)
  const matched = matchColumns(titles, resourceNamed(resources, resource), resources, draftOptions)
  const samples = draft.columns.map((column) => column.samples ?? [])
  const columns = matched.columns.map((column, at) => ({ ...column, samples: samples[at]! }))
  const changed = { resource, match: defaultMatch, columns: { ...matched, columns } }
  await engine.run(tenant, importDraftOperations.saveImportDraft, { id: draft.id, now, ...changed })
}

/** Starts checking the draft; the caller schedules the job. Returns the fault in the assignment, or null if there is
 *  none. Throws `not_found` if the draft no longer exists. */
export async function checkDraft(
  engine: Engine,
  { tenant, resources }: ImportContext,
  { draft, assignment, caller }: { draft: ImportDraft; assignment: ColumnAssignment; caller: ImportCaller },
  now: () => Date,
): Promise<AssignmentFault | null> {
  const resource = resourceNamed(resources, draft.resource)
  const titles = draft.columns.map(({ title }) => title)
  const assigned = applyAssignment(titles, assignment, resource, resources)
  if ('fault' in assigned) return assigned
  const notFound = await faultInTenant(resource, assigned, tenantData(engine, tenant))
  if (notFound) return { fault: 'invalid_value', ...notFound }
  const read = await readFormats(engine, { tenant, resources }, draft, assigned)
  const withSamples = read.columns.map((column, at) => ({ ...column, samples: draft.columns[at]?.samples ?? [] }))
  const columns: FileColumns = { ...read, columns: withSamples }
  const { match } = assignment
  const map = Object.fromEntries(titles.map((title) => [title, ''])) // columns without a target are skipped on purpose
  const assumptions = assumptionsOf(resource, columns, { map, amounts: null }, draft.syntax)
  while (await engine.run(tenant, importDraftOperations.clearImportValues, { id: draft.id })) {}
  const input = { id: draft.id, columns, match: match ?? defaultMatch, assumptions, caller }
  await engine.run(tenant, importDraftOperations.checkImportDraft, { ...input, now: now().toISOString() })
  return null
}

/** Returns what the questions about a draft depend on, once its columns are assigned. */
export function findFileWords(
  engine: Engine,
  { tenant, resources }: ImportContext,
  draft: ImportDraft,
  answers: Pick<ImportAnswers, 'names' | 'match'>,
): Promise<FileWords> {
  return findWords(resources, draft, answers, {
    countWords: (input) => engine.run(tenant, wordOperations.countUnknownWords, input),
    findReadings: tenantData(engine, tenant).findReadings,
  })
}

/** Returns the columns of a draft with how their cells are written, and with the values that are repeated. */
async function readFormats(
  engine: Engine,
  { tenant, resources }: ImportContext,
  draft: ImportDraft,
  columns: FileColumns,
): Promise<FileColumns> {
  const { findCurrency, findReadings } = tenantData(engine, tenant)
  const resource = resourceNamed(resources, draft.resource)
  const formats = await watchFormats(resource, columns, { findCurrency, unit: null })
  const readings = watchReadings(columns)
  const unique = uniqueColumns(resource, columns)
  const repeated = unique.size > 0 ? watchRepeatedValues(columns, unique) : null
  for (let part = 0; part < draft.parts; part++) {
    for (const { cells } of await engine.run(tenant, importDraftOperations.readImportPart, { id: draft.id, part })) {
      formats.add(cells)
      readings.add(cells)
      repeated?.add(cells)
    }
  }
  const result = { ...formats.result(), ...(repeated && { repeated: repeated.result() }) }
  return readings.decide(result, findReadings)
}
