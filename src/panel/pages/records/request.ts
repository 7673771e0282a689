// The request for pages about the records of one resource.

import type { Resource } from '../../../domain/declarations/resource.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { Presentation } from '../../resources/presentation.ts'
import { PageError } from '../../responses.ts'

/** A request about the records of one resource. Links to its pages start with `baseParams`. */
export type RecordRequest = TenantRequest & {
  resource: Resource
  presentation: Presentation
  baseParams: { resource: string }
}

/** Throws a PageError with 404 if there is no such resource. */
export function toRecordRequest(request: TenantRequest, name: string): RecordRequest {
  const resource = request.resources.find((each) => each.name === name)
  if (!resource) throw new PageError(404, 'not_found')
  const presentation = request.deps.presentationOf(resource)
  return { ...request, resource, presentation, baseParams: { ...request.baseParams, resource: name } }
}
