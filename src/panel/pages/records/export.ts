// The whole list as a file, for spreadsheets.

import { hasSession } from '../../../accounts/sessions.ts'
import { Problem } from '../../../problem.ts'
import { readExportRequest } from '../../../resources/exports/request.ts'
import { exportFile } from '../../../resources/exports/write.ts'
import { openExport } from '../../../storage/export-stream.ts'
import type { TenantLocation } from '../../../storage/storage.ts'
import { toTenantRequest } from '../../authorize.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { listParams, omit } from './filters.ts'
import type { RecordRequest } from './request.ts'

/** The same file as in the API. Signing out, or suspending the tenant, ends the export. */
export async function exportList(request: RecordRequest): Promise<PageResponse> {
  const { deps, resource, resources } = request
  const now = deps.now()
  const asked = readExportRequest(listParams(request), resource, resources, () => true, now)
  const body = await openExport(deps, resource.name, asked, () => locateAgain(request))
  return { kind: 'file', body, headers: exportFile(resource, asked.form, now) }
}

/** Where the tenant is now. Throws a Problem if the user has lost access: the response has begun, so that no page with
 *  the reason can be shown. */
async function locateAgain(request: RecordRequest): Promise<TenantLocation> {
  const { deps, session } = request
  if (!(await hasSession(deps.catalog, session.id))) throw new Problem('unauthorized')
  const { tenant } = await toTenantRequest(request).catch((cause: Error) => {
    throw cause instanceof PageError ? new Problem('forbidden') : cause
  })
  return tenant
}

/** The address of the file with these parameters of a list, separated as spreadsheets of the user's language expect. */
export function exportUrl({ texts, baseParams }: RecordRequest, params: Record<string, string>): string {
  const list = omit(params, ['cursor', 'limit', 'total', 'include'])
  return pageUrl('records.php', { ...baseParams, ...list, format: 'csv', delimiter: texts.csvDelimiter })
}
