// Turns a file into an import. The API, the command line and the panel all start imports here.

import type { Storage, TenantContext } from '../../engine/storage.ts'
import { invalidRequest } from '../../problem.ts'
import { type Resources, resourceNamed } from '../declarations/resource.ts'
import { newChangeSet } from '../records/changes.ts'
import { type CheckedFile, checkFile, type FileSource, readParts } from './check-file.ts'
import { findDecimals } from './find-decimals.ts'
import { type ImportCaller, type ImportInput, type ImportMode, importModes } from './import.ts'
import { type ColumnOptions, requireMatchColumn, requireTargets } from './reading/columns.ts'

export type ImportOptions = ColumnOptions & { resource: string; mode: ImportMode }

/** One operation stores about this many bytes, which takes a few milliseconds. */
const bytesPerOperation = 256 * 1024

/** Checks the options that can be checked without the file. Throws `invalid_request`. */
export function requireImportOptions(resources: Resources, { resource, mode, map, match }: ImportOptions): void {
  const names = resources.map(({ name }) => name)
  if (!names.includes(resource))
    throw invalidRequest(`resource is ${JSON.stringify(resource)}; it must be one of ${names.join(', ')}.`)
  if (!importModes.includes(mode))
    throw invalidRequest(`mode is ${JSON.stringify(mode)}; it must be one of ${importModes.join(', ')}.`)
  const declaration = resourceNamed(resources, resource)
  const targets = Object.values(map).filter((name) => name !== '')
  requireTargets(declaration, resources, targets)
  if (match !== null) requireMatchColumn(declaration, match)
}

/** Stores a file as a draft. A panel user assigns its columns later. Returns the import's id. */
export async function receiveDraft(
  storage: Pick<Storage, 'run'>,
  context: TenantContext,
  source: FileSource,
  resource: string,
  caller: ImportCaller,
  now: () => Date,
): Promise<number> {
  const options: ImportOptions = { resource, mode: 'dry_run', map: {}, match: null, isDraft: true }
  const id = await receiveFile(storage, context, source, options, caller, now)
  await storage.run(context.tenant, 'openImportDraft', { id, now: now().toISOString() })
  return id
}

/** Checks the whole file, stores its rows in the tenant's database, and returns the import's id. The `commandImport`
 *  operation can then start the import. Throws `invalid_request` before it stores anything if the file is invalid,
 *  and also if the file changes while it is being read. */
export async function receiveFile(
  storage: Pick<Storage, 'run'>,
  context: TenantContext,
  source: FileSource,
  options: ImportOptions,
  caller: ImportCaller,
  now: () => Date,
): Promise<number> {
  const { tenant, resources } = context
  const resource = resourceNamed(resources, options.resource)
  const checked = await checkFile(source, resource, resources, options, await findDecimals(storage, tenant))
  const input = inputOf(checked, options, caller, now())
  const id = await storage.run(tenant, 'receiveImport', { input, now: now().toISOString() })
  let from = 0
  for await (const parts of groupForOperations(readParts(source, checked))) {
    await storage.run(tenant, 'storeImportParts', { id, from, parts })
    from += parts.length
  }
  if (from !== checked.parts) throw invalidRequest('The file changed while it was being read.')
  return id
}

function inputOf(
  checked: CheckedFile,
  { resource, mode }: ImportOptions,
  caller: ImportCaller,
  now: Date,
): ImportInput {
  const { columns, delimiter, match, rows, parts, assumptions } = checked
  const origin = { ...caller, changeSet: newChangeSet(now), revertSet: newChangeSet(now) }
  return { resource, mode, match, columns, delimiter, assumptions, rows, parts, origin }
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
