// Parses list parameters for the panel. Relative dates such as `today` are in the tenant's time zone here, but in UTC
// in the API.

import type { ParsedUrlQuery } from 'node:querystring'
import type { Resource } from '../../domain/declarations/resource.ts'
import { type ListRequest, readListRequest } from '../../domain/lists/request/request.ts'
import { dayOf } from '../i18n/conventions.ts'
import type { TenantRequest } from './request.ts'

/** Throws the Problem `invalid_request`, as readListRequest does. */
export function readPanelListRequest(
  { deps, resources, texts }: Pick<TenantRequest, 'deps' | 'resources' | 'texts'>,
  query: ParsedUrlQuery,
  resource: Resource,
): ListRequest {
  return readListRequest(query, { resource, resources, now: deps.now(), toDay: (moment) => dayOf(texts, moment) })
}
