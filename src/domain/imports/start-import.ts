// Turns a file into an import. The API, the command line and the panel's drafts all start imports here.

import type { Engine } from '../../engine/engine.ts'
import type { TenantLocation } from '../../engine/tenant-databases.ts'
import { invalidRequest } from '../../problem.ts'
import { type Resources, resourceNamed } from '../declarations/resource.ts'
import { decimalsOf } from '../fields/text-formats.ts'
import { newChangeSet } from '../records/changes.ts'
import { settingsOperations } from '../settings/operations.ts'
import type { ColumnOptions } from './columns/columns.ts'
import { faultOfSet, requireNoFault } from './columns/set-values.ts'
import { requireMatchColumn, requireTargets } from './columns/targets.ts'
import { amountUnits, type Currency } from './file/amounts.ts'
import { type CheckedFile, checkFile, type FileSource, readParts, type TenantData } from './file/check-file.ts'
import { requireCharset } from './file/syntax.ts'
import { type ImportCaller, type ImportInput, type ImportMode, importModes } from './import.ts'
import { type ImportMapping, type MappingToSave, mergeMappings } from './mappings/mapping.ts'
import { importMappingOperations } from './mappings/operations.ts'
import { requireMappingName } from './mappings/saved-mappings.ts'
import { importOperations } from './operations.ts'

type Runner = Pick<Engine, 'run'>

export type ImportContext = { tenant: TenantLocation; resources: Resources }

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
  if (Object.keys(set).length > 0) requireNoFault(faultOfSet(declaration, resources, options))
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

export function tenantData(engine: Runner, tenant: TenantLocation): TenantData {
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
