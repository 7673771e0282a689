// /import.php: uploads a CSV file, assigns its columns, checks it and imports it. The query, the form and the import's
// state decide which of these steps a request performs.

import { Readable } from 'node:stream'
import { importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import { failedRowsCsv } from '../../../domain/imports/failed-rows.ts'
import { type ImportReport, importOperations } from '../../../domain/imports/operations.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { readId } from '../../requests/read-number.ts'
import type { SignedInRequest, TenantRequest } from '../../requests/request.ts'
import { findAction } from '../../requests/submit.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { assignColumns, columnsPage } from './columns.ts'
import { discardDraft, discardImport, reopenImport, runImport } from './commands.ts'
import { isInProgress, progressFragment, progressPage } from './progress.ts'
import { reportPage } from './report.ts'
import { startPage, uploadFile } from './start.ts'

export async function showImports(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const { deps, tenant, query } = tenantRequest
  const id = readId(query)
  if (id === null) return startPage(tenantRequest)
  const draft = await deps.storage.run(tenant, importDraftOperations.findImportDraft, { id })
  if (draft) return columnsPage(tenantRequest, draft)
  const report = await requireImport(tenantRequest, id)
  if (query.has('format')) return failedRows(tenantRequest, id)
  if (query.has('progress')) return progressFragment(tenantRequest, report)
  return isInProgress(report) ? progressPage(tenantRequest, report) : reportPage(tenantRequest, report)
}

const actions = { columns: reopenImport, run: runImport, discard: discardImport }

export async function submitImports(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const { deps, tenant, query, form } = tenantRequest
  const id = readId(query)
  if (id === null) return uploadFile(tenantRequest)
  const draft = await deps.storage.run(tenant, importDraftOperations.findImportDraft, { id })
  if (draft) return form.has('discard') ? discardDraft(tenantRequest, id) : assignColumns(tenantRequest, draft)
  const report = await requireImport(tenantRequest, id)
  const action = findAction(request, actions)
  if (action) return action(tenantRequest, report)
  return redirectTo('import.php', { ...tenantRequest.baseParams, id }) // the user submitted a draft's form twice
}

/** Throws a PageError with 404 if there is no such import. */
async function requireImport({ deps, tenant }: TenantRequest, id: number): Promise<ImportReport> {
  const report = await deps.storage.run(tenant, importOperations.findImport, { id })
  if (!report) throw new PageError(404, 'not_found')
  return report
}

/** Returns the same file as the API. */
function failedRows({ deps, tenant }: TenantRequest, id: number): PageResponse {
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="import-${id}-failed-rows.csv"`,
  }
  return { kind: 'file', body: Readable.from(failedRowsCsv(deps.storage, tenant, id)), headers }
}
