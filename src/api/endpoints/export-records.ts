// GET /{resource}.php?format=csv or ndjson: exports a whole list as a file (contract §17).

import { allows } from '../../access/scopes.ts'
import type { Resource } from '../../domain/declarations/resource.ts'
import { openExport } from '../../domain/exports/export-stream.ts'
import { readExportRequest } from '../../domain/exports/request.ts'
import { exportFile } from '../../domain/exports/write.ts'
import { utcDayOf } from '../../domain/lists/request/timestamp.ts'
import type { Answer, ApiRequest } from '../endpoint.ts'

/** The key is re-checked before each page, so that revoking the key or suspending the tenant ends the export. */
export async function answerExport(request: ApiRequest, resource: Resource): Promise<Answer> {
  const { query, caller, resources, services, reauthenticate } = request
  const canRead = (name: string) => allows(caller.permissions, { resource: name, action: 'read' })
  const now = services.now()
  const exportRequest = readExportRequest(query, resource, resources, canRead, now)
  const body = await openExport(services, resource.name, exportRequest, async () => (await reauthenticate()).tenant)
  return { status: 200, body, headers: exportFile(`${resource.name}-${utcDayOf(now)}`, exportRequest.layout) }
}
