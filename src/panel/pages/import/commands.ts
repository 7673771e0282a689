// What users can do with an uploaded import: run, cancel or discard it. A refusal is not reported, because the import's
// page shows the current state anyway.

import { type ImportDraft, importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import { changeResource } from '../../../domain/imports/drafts.ts'
import type { ImportCaller } from '../../../domain/imports/import.ts'
import { importMappingOperations } from '../../../domain/imports/mappings/operations.ts'
import { type ImportRun, importOperations } from '../../../domain/imports/operations.ts'
import type { ImportReport } from '../../../domain/imports/report.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'

export function callerOf({ session, requestId }: TenantRequest): ImportCaller {
  return { actor: { userId: session.user.id }, requestId }
}

/** Imports a checked file. Does nothing if another request has already started or discarded the import, and if the file
 *  has been checked again since the user saw what would happen. */
export async function runImport(request: TenantRequest, { id, finished_at }: ImportReport): Promise<PageResponse> {
  const { deps, tenant, form, baseParams } = request
  if (form.has('checked') && form.get('checked') !== finished_at)
    return redirectTo('import.php', { ...baseParams, id, notice: 'importChanged' })
  const mode = form.get('run')
  if (mode !== 'all_or_nothing' && mode !== 'valid_rows') throw new PageError(400, 'bad_request')
  const input = changeInput<ImportRun>(request, { id, mode, writable: null, location: '' })
  await deps.jobs.schedule(tenant, () => deps.engine.run(tenant, importOperations.runImport, input))
  return redirectTo('import.php', { ...baseParams, id })
}

/** Cancels the import if it is running. Otherwise deletes it. */
export async function discardImport(request: TenantRequest, { id, state }: ImportReport): Promise<PageResponse> {
  const { deps, tenant, baseParams } = request
  const input = changeInput(request, { id, writable: null })
  const discard = () => deps.engine.run(tenant, importOperations.discardImport, input)
  const { status } = await deps.jobs.schedule(tenant, discard)
  if (status >= 400) return redirectTo('import.php', { ...baseParams, id })
  if (state === 'running') return redirectTo('import.php', { ...baseParams, id, notice: 'importCancelled' })
  return redirectTo('import.php', { ...baseParams, notice: 'importDiscarded' })
}

export async function discardDraft(request: TenantRequest, id: number): Promise<PageResponse> {
  const { deps, tenant, baseParams } = request
  const now = deps.now().toISOString()
  await deps.jobs.schedule(tenant, () => deps.engine.run(tenant, importDraftOperations.discardImportDraft, { id, now }))
  return redirectTo('import.php', { ...baseParams, notice: 'importDiscarded' })
}

/** Makes the draft one of another resource, and asks for its columns anew. */
export async function changeKind(request: TenantRequest, draft: ImportDraft): Promise<PageResponse> {
  const { deps, tenant, baseParams, form, resources } = request
  const resource = form.get('resource') ?? ''
  if (!resources.some(({ name }) => name === resource)) throw new PageError(400, 'bad_request')
  const now = deps.now().toISOString()
  await deps.jobs.schedule(tenant, () => changeResource(deps.engine, request, draft, { resource, now }))
  return redirectTo('import.php', { ...baseParams, id: draft.id, step: 'columns' })
}

/** Keeps the answers under a name, for files with the same titles. */
export async function keepAnswers(request: TenantRequest, { id }: ImportReport): Promise<PageResponse> {
  const { deps, tenant, baseParams, form, texts } = request
  const name = (form.get('keep') ?? '').trim()
  const input = changeInput(request, { id, name })
  const { status } = await deps.jobs.schedule(tenant, () =>
    deps.engine.run(tenant, importDraftOperations.keepAnswers, input),
  )
  const { kept, notKept } = texts.imports
  return redirectTo('import.php', { ...baseParams, id }, { text: status < 400 ? kept(name) : notKept })
}

/** Deletes the tenant's own mapping that was proposed. */
export async function forgetMapping(request: TenantRequest, draft: ImportDraft): Promise<PageResponse> {
  const { deps, tenant, baseParams, form, texts } = request
  const name = form.get('mapping') ?? ''
  const input = changeInput(request, { resource: draft.resource, name, writable: null })
  const { changeSet } = await deps.jobs.schedule(tenant, () =>
    deps.engine.run(tenant, importMappingOperations.forgetMapping, input),
  )
  const toast = { text: texts.imports.forgotten(name), changeSet }
  return redirectTo('import.php', { ...baseParams, id: draft.id, step: 'columns' }, toast)
}
