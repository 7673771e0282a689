// Reads records for the pages, using the same operations as the API.

import type { ParsedUrlQuery } from 'node:querystring'
import { byId, type RecordKey, type Resource, resourceNamed } from '../../../domain/declarations/resource.ts'
import { readListPage } from '../../../domain/lists/list-page.ts'
import { type Filter, filtersOf, memberName } from '../../../domain/lists/request/options.ts'
import { type ListRequest, readListRequest } from '../../../domain/lists/request/request.ts'
import { recordOperations } from '../../../domain/records/operations.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { readNumber } from '../../requests/read-number.ts'
import type { RecordRequest, TenantRequest } from '../../requests/request.ts'
import { PageError } from '../../responses.ts'

/** A record and its entity tag. */
export type FoundRecord = { record: PanelRecord; etag: string }

type RecordPage = { records: PanelRecord[]; next: string | null; total: number | null }

/** Throws a PageError with 404 if the record does not exist. */
export async function readRecord(request: RecordRequest, id: number): Promise<FoundRecord> {
  const foundRecord = await findRecord(request, request.resource, id)
  if (!foundRecord) throw new PageError(404, 'not_found')
  return foundRecord
}

/** `key`: the record's id, or another value that identifies it. */
export async function findRecord(
  { deps, tenant }: TenantRequest,
  resource: Resource,
  key: number | RecordKey,
): Promise<FoundRecord | undefined> {
  const recordKey = typeof key === 'number' ? byId(key) : key
  const response = await deps.engine.run(tenant, recordOperations.find, { resource: resource.name, key: recordKey })
  return response ? { record: JSON.parse(response.body), etag: response.etag } : undefined
}

/** Returns undefined for an unknown or invalid id. */
export async function findById(
  request: TenantRequest,
  resource: string,
  id: string | null,
): Promise<FoundRecord | undefined> {
  const number = readNumber(id)
  return number === undefined ? undefined : findRecord(request, resourceNamed(request.resources, resource), number)
}

/** Reads one page of a list. The page includes the records that `include` names, or else all referenced records. Throws
 *  a Problem for invalid parameters. */
export async function readList(
  request: TenantRequest,
  resource: Resource,
  params: Record<string, string>,
): Promise<RecordPage> {
  const { deps, tenant } = request
  const references = Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'reference')
  const include = params.include ?? references.map(memberName).join(',')
  const allParams = { ...params, ...(include && { include }) }
  const listRequest = readPanelListRequest(request, allParams, resource)
  const { data, next, total } = await readListPage(deps, tenant, resource.name, listRequest)
  return { records: JSON.parse(`[${data}]`), next, total }
}

/** Returns the lists that can be filtered by a record of this resource, each with that filter. */
export function referringLists({ resource, resources }: RecordRequest): { from: Resource; filter: Filter }[] {
  return resources.flatMap((from) => {
    const { filters } = filtersOf(from, resources)
    const leading = filters.filter(({ field }) => field.kind === 'reference' && field.to === resource.name)
    return leading.map((filter) => ({ from, filter }))
  })
}

/** Parses list parameters for the panel. Relative dates such as `today` are in the tenant's time zone here, but in UTC
 *  in the API. Throws the Problem `invalid_request`, as readListRequest does. */
export function readPanelListRequest(
  { deps, resources, texts }: Pick<TenantRequest, 'deps' | 'resources' | 'texts'>,
  query: ParsedUrlQuery,
  resource: Resource,
): ListRequest {
  return readListRequest(query, { resource, resources, now: deps.now(), toDay: (moment) => dayOf(texts, moment) })
}
