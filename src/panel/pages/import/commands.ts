// What users do with an import besides uploading it: run, cancel and discard it, and assign its columns anew.

import { newChangeSet } from '../../../resources/records/changes.ts'
import type { ImportCaller } from '../../../storage/imports/import.ts'
import type { ImportCommand, ImportReport } from '../../../storage/operations/imports.ts'
import type { TenantRequest } from '../../request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'

export function callerOf({ session, requestId }: TenantRequest): ImportCaller {
  return { actor: { userId: session.user.id }, requestId }
}

/** Imports a checked file. If it has been started or discarded meanwhile, its page shows that. */
export async function runImport(request: TenantRequest, { id }: ImportReport): Promise<PageResponse> {
  const mode = request.form.get('run')
  if (mode !== 'all_or_nothing' && mode !== 'valid_rows') throw new PageError(400, 'bad_request')
  await command(request, { action: 'run', id, mode, writable: null, location: '' })
  return redirectTo('import.php', { ...request.baseParams, id })
}

/** Cancels a running import, and deletes any other. */
export async function discardImport(request: TenantRequest, { id, state }: ImportReport): Promise<PageResponse> {
  const { baseParams } = request
  await command(request, { action: 'discard', id, writable: null })
  if (state === 'running') return redirectTo('import.php', { ...baseParams, id, notice: 'importCancelled' })
  return redirectTo('import.php', { ...baseParams, notice: 'importDiscarded' })
}

/** Refusals are not shown: the page of the import shows its state. */
async function command(request: TenantRequest, input: ImportCommand): Promise<void> {
  const { deps, tenant } = request
  const now = deps.now()
  const context = { now: now.toISOString(), ...callerOf(request), changeSet: newChangeSet(now) }
  await deps.jobs.schedule(tenant, () =>
    deps.storage.run(tenant, 'commandImport', { context, idempotency: null, request: input }),
  )
}

export async function discardDraft(request: TenantRequest, id: number): Promise<PageResponse> {
  const { deps, tenant, baseParams } = request
  const now = deps.now().toISOString()
  await deps.jobs.schedule(tenant, () => deps.storage.run(tenant, 'discardImportDraft', { id, now }))
  return redirectTo('import.php', { ...baseParams, notice: 'importDiscarded' })
}

/** Makes a checked import a draft again. */
export async function reopenImport(request: TenantRequest, id: number): Promise<PageResponse> {
  const { deps, tenant, baseParams } = request
  const now = deps.now().toISOString()
  await deps.jobs.schedule(tenant, () => deps.storage.run(tenant, 'openImportDraft', { id, now }))
  return redirectTo('import.php', { ...baseParams, id })
}
