// What users can do with an uploaded import: run, cancel or discard it. A refusal is not reported, because the import's
// page shows the current state anyway.

import { importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import type { ImportCaller } from '../../../domain/imports/import.ts'
import { type ImportRun, importOperations } from '../../../domain/imports/operations.ts'
import type { ImportReport } from '../../../domain/imports/report.ts'
import { type ChangeInput, newChangeSet } from '../../../domain/records/changes.ts'
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

function changeInput<Command>(request: TenantRequest, command: Command): ChangeInput<Command> {
  const now = request.deps.now()
  const context = { now: now.toISOString(), ...callerOf(request), changeSet: newChangeSet(now) }
  return { context, idempotency: null, request: command }
}

export async function discardDraft(request: TenantRequest, id: number): Promise<PageResponse> {
  const { deps, tenant, baseParams } = request
  const now = deps.now().toISOString()
  await deps.jobs.schedule(tenant, () => deps.engine.run(tenant, importDraftOperations.discardImportDraft, { id, now }))
  return redirectTo('import.php', { ...baseParams, notice: 'importDiscarded' })
}
