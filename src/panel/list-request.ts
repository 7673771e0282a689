// Parses the parameters of a list for the panel. Relative days such as `today` refer to the tenant's time zone; in the
// API, they refer to UTC.

import type { ParsedUrlQuery } from 'node:querystring'
import { type ListRequest, readListRequest } from '../resources/lists/request.ts'
import type { Resource } from '../resources/resource.ts'
import { dayOf } from './i18n/conventions.ts'
import type { TenantRequest } from './request.ts'

/** Throws `invalid_request`, as readListRequest does. */
export function readPanelListRequest(
  { deps, resources, texts }: Pick<TenantRequest, 'deps' | 'resources' | 'texts'>,
  query: ParsedUrlQuery,
  resource: Resource,
): ListRequest {
  return readListRequest(query, resource, resources, deps.now(), (moment) => dayOf(texts, moment))
}
