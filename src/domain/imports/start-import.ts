// Turns a file into an import. The API, the command line and the panel all start imports here. In the panel, the file
// is a draft until a user has assigned its columns.

import type { Engine } from '../../engine/engine.ts'
import type { TenantLocation } from '../../engine/tenant-databases.ts'
import { invalidRequest } from '../../problem.ts'
import { type Resources, resourceNamed } from '../declarations/resource.ts'
import { decimalsOf } from '../fields/text-formats.ts'
import { newChangeSet } from '../records/changes.ts'
import { settingsOperations } from '../settings/operations.ts'
import { type AssignmentFault, applyAssignment, type ColumnAssignment } from './columns/assignment.ts'
import type { ColumnOptions, FileColumns } from './columns/columns.ts'
import { namesPart } from './columns/guess.ts'
import { matchColumns } from './columns/match-columns.ts'
import { faultInTenant, requireSetValues } from './columns/set-values.ts'
import { defaultMatch, fieldOf, requireMatchColumn, requireTargets, uniqueColumns } from './columns/targets.ts'
import { findTargets, titleTest } from './columns/titles.ts'
import { type ImportDraft, importDraftOperations } from './draft-operations.ts'
import { amountUnits, type Currency } from './file/amounts.ts'
import { assumptionsOf } from './file/assumptions.ts'
import { type CheckedFile, checkFile, type FileSource, readParts, type TenantData } from './file/check-file.ts'
import { watchFormats } from './file/formats.ts'
import { watchReadings } from './file/readings.ts'
import { watchRepeatedValues } from './file/repeated-values.ts'
import { readTitles, requireCharset } from './file/syntax.ts'
import { type ImportAnswers, type ImportCaller, type ImportInput, type ImportMode, importModes } from './import.ts'
import { type ImportMapping, type MappingToSave, mergeMappings, withMapping } from './mappings/mapping.ts'
import { importMappingOperations } from './mappings/operations.ts'
import { requireMappingName } from './mappings/saved-mappings.ts'
import { importOperations } from './operations.ts'
import { type FileWords, findWords, wordOperations } from './unknown-words.ts'

type Runner = Pick<Engine, 'run'>

type ImportContext = { tenant: TenantLocation; resources: Resources }

/** `mapping`: what the file's columns mean unless the other options say otherwise. */
export type ImportOptions = ColumnOptions & { resource: string; mode: ImportMode; mapping: ImportMapping | null }

/** `caller`: who uploads the file, and in which request. `name`: the file's name. */
export type UploadedFile = { source: FileSource; options: ImportOptions; caller: ImportCaller; name?: string }

/** One operation stores about this many bytes, which takes a few milliseconds. */
const bytesPerOperation = 256 * 1024

/** Checks the options that can be checked without the file. Throws `invalid_request`. */
function requireImportOptions(resources: Resources, options: Omit<ImportOptions, 'mapping'>): void {
  const { resource, mode, map, set, match, amounts } = options
  requireCharset(options.charset)
  const names = resources.map(({ name }) => name)
  if (!names.includes(resource))
    throw invalidRequest(`resource is ${JSON.stringify(resource)}; it must be one of ${names.join(', ')}.`)
  if (!importModes.includes(mode))
    throw invalidRequest(`mode is ${JSON.stringify(mode)}; it must be one of ${importModes.join(', ')}.`)
  if (amounts !== null && !amountUnits.includes(amounts))
    throw invalidRequest(`amounts is ${JSON.stringify(amounts)}; it must be one of ${amountUnits.join(', ')}.`)
  const declaration = resourceNamed(resources, resource)
  const targets = Object.values(map).filter((name) => name !== '')
  requireTargets(declaration, resources, targets)
  if (Object.keys(set).length > 0) requireSetValues(declaration, resources, options)
  if (match !== null) requireMatchColumn(declaration, match)
}

/** What a caller asks for. `mappingName`: the mapping to use. `saveAs`: the name under which the mapping is kept. */
export type RequestedImport = Omit<ImportOptions, 'mapping'> & { mappingName: string | null; saveAs: string | null }

/** The options with the mapping, and the mapping that is to be kept. Throws `invalid_request`. */
export async function resolveImport(
  engine: Runner,
  { tenant, resources }: ImportContext,
  { mappingName: name, saveAs, ...requested }: RequestedImport,
): Promise<{ options: ImportOptions; save: MappingToSave | null }> {
  requireImportOptions(resources, requested)
  if (saveAs !== null) requireMappingName(saveAs)
  const { resource } = requested
  const mapping = name === null ? null : await requireMapping(engine, tenant, resource, name)
  const save = saveAs === null ? null : { ...mergeMappings(requested, mapping), name: saveAs, resource }
  return { options: { ...requested, mapping }, save }
}

async function requireMapping(
  engine: Runner,
  tenant: TenantLocation,
  resource: string,
  name: string,
): Promise<ImportMapping> {
  const found = await engine.run(tenant, importMappingOperations.findMapping, { resource, name })
  if ('mapping' in found) return found.mapping
  throw invalidRequest(`There is no mapping ${JSON.stringify(name)} for ${resource}; known: ${found.names.join(', ')}.`)
}

/** A person assigns the columns of a draft. */
const draftOptions: ColumnOptions = {
  ...{ map: {}, set: {}, value: {}, match: null, amounts: null, charset: null },
  isDraft: true,
}

/** Stores a file as a draft. A panel user assigns its columns later. `resource`: null if the file's titles decide. Returns
 *  the import's id. */
export async function receiveDraft(
  engine: Runner,
  context: ImportContext,
  { resource: given, ...file }: Omit<UploadedFile, 'options'> & { resource: string | null },
  now: () => Date,
): Promise<number> {
  const resource = given ?? (await likelyResource(engine, context, file.source))
  const options: ImportOptions = { ...draftOptions, resource, mode: 'dry_run', mapping: null }
  const id = await receiveFile(engine, context, { ...file, options }, now)
  await engine.run(context.tenant, importDraftOperations.openImportDraft, { id, now: now().toISOString() })
  return id
}

/** Returns the resource that a file is about: the one of which the file's titles name the most fields. */
async function likelyResource(
  engine: Runner,
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
  engine: Runner,
  { tenant, resources }: ImportContext,
  draft: ImportDraft,
  { resource, now }: { resource: string; now: string },
): Promise<void> {
  const titles = draft.columns.map(({ title }) => title)
  const matched = matchColumns(titles, resourceNamed(resources, resource), resources, draftOptions)
  const samples = draft.columns.map((column) => column.samples ?? [])
  const columns = matched.columns.map((column, at) => ({ ...column, samples: samples[at]! }))
  const changed = { resource, match: defaultMatch, columns: { ...matched, columns } }
  await engine.run(tenant, importDraftOperations.changeImportResource, { id: draft.id, now, ...changed })
}

/** Checks the whole file, stores its rows in the tenant's database, and returns the import's id. The `startImport`
 *  operation can then start the import. Throws `invalid_request` before it stores anything if the file is invalid,
 *  and also if the file changes while it is being read. */
export async function receiveFile(
  engine: Runner,
  { tenant, resources }: ImportContext,
  { source, options, ...file }: UploadedFile,
  now: () => Date,
): Promise<number> {
  const checked = await checkFile(source, resources, options, tenantData(engine, tenant))
  const input = inputOf(checked, options, file, now())
  const id = await engine.run(tenant, importOperations.receiveImport, { input, now: now().toISOString() })
  let from = 0
  for await (const parts of groupForOperations(
    readParts(source, resourceNamed(resources, options.resource), checked),
  )) {
    await engine.run(tenant, importOperations.storeImportParts, { id, from, parts })
    from += parts.length
  }
  if (from !== checked.parts) throw invalidRequest('The file changed while it was being read.')
  return id
}

const maxNameLength = 200

function inputOf(
  checked: CheckedFile,
  { resource, mode }: ImportOptions,
  { caller, name }: Pick<UploadedFile, 'caller' | 'name'>,
  now: Date,
): ImportInput {
  const { columns, syntax, match, rows, parts, assumptions } = checked
  const origin = { ...caller, changeSet: newChangeSet(now), revertSet: newChangeSet(now) }
  const fileName = name?.slice(0, maxNameLength) || null
  return { fileName, resource, mode, match, columns, delimiter: syntax.delimiter, assumptions, rows, parts, origin }
}

async function* groupForOperations(parts: AsyncIterable<string>): AsyncGenerator<string[]> {
  let group: string[] = []
  let size = 0
  for await (const part of parts) {
    group.push(part)
    size += part.length
    if (size < bytesPerOperation) continue
    yield group
    group = []
    size = 0
  }
  if (group.length > 0) yield group
}

/** Starts checking the draft; the caller schedules the job. Returns the fault in the assignment, or null if there is
 *  none. Throws `not_found` if the draft no longer exists. */
export async function checkDraft(
  engine: Runner,
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
  engine: Runner,
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
  engine: Runner,
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

function tenantData(engine: Runner, tenant: TenantLocation): TenantData {
  return {
    findCurrency: () => findCurrency(engine, tenant),
    findReadings: (references) => engine.run(tenant, importOperations.findReadings, { references }),
    hasTagFormat: async () => (await findSettings(engine, tenant)).tag_format !== null,
  }
}

async function findCurrency(engine: Runner, tenant: TenantLocation): Promise<Currency> {
  const { currency } = await findSettings(engine, tenant)
  return { code: currency, digits: decimalsOf(currency) }
}

async function findSettings(
  engine: Runner,
  tenant: TenantLocation,
): Promise<{ currency: string; tag_format: string | null }> {
  const { body } = await engine.run(tenant, settingsOperations.settings, { name: '' })
  return JSON.parse(body)
}
