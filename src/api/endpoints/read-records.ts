// GET /{resource}.php: returns one record, its assignments, a page of a list, or an export.

import type { ParsedUrlQuery } from 'node:querystring'
import { allows, type Scope } from '../../access/api-key.ts'
import {
  noSuchRecord,
  type RecordKey,
  type Resource,
  type Resources,
  resourceNamed,
} from '../../domain/declarations/resource.ts'
import { openExport } from '../../domain/exports/export-stream.ts'
import { readExportRequest, resourcesOfColumns } from '../../domain/exports/request.ts'
import { exportFile } from '../../domain/exports/write.ts'
import { allowedList, quote } from '../../domain/fields/unknown-names.ts'
import { assignmentFieldOf } from '../../domain/history/assignments.ts'
import { historyOperations } from '../../domain/history/operations.ts'
import { type CursorPage, readListPage } from '../../domain/lists/list-page.ts'
import { utcDayOf } from '../../domain/lists/request/operands.ts'
import { scopesOfFilters } from '../../domain/lists/request/options.ts'
import {
  includedResources,
  isExport,
  isListParameter,
  readAsOf,
  readIncludes,
  readListRequest,
  requireOnce,
} from '../../domain/lists/request/request.ts'
import { recordOperations } from '../../domain/records/operations.ts'
import { TooSlow } from '../../engine/database/database.ts'
import type { TaggedRecord } from '../../engine/responses/stored-response.ts'
import { invalidRequest, Problem } from '../../problem.ts'
import { nextLink, unlessNotModified } from '../answers.ts'
import type { Answer, ApiRequest, Endpoint } from '../endpoint.ts'
import { readRecordsDocs } from '../openapi/docs/records.ts'
import { readKey } from '../parse-request.ts'

export function readEndpoint({ name }: Resource, resources: Resources): Endpoint {
  return {
    method: 'GET',
    path: `/${name}.php`,
    scope: { resource: name, action: 'read' },
    queryScopes: (query) => readScopes(query, resourceNamed(resources, name), resources),
    isList: isListParameter,
    answer: (request) => answer(request, resourceNamed(request.resources, name)),
    docs: (resources) => readRecordsDocs(resourceNamed(resources, name), resources),
  }
}

async function answer(request: ApiRequest, resource: Resource): Promise<Answer> {
  const { query } = request
  if (isExport(query)) return answerExport(request, resource)
  const key = readKey(query, resource)
  if (!key) return answerList(request, resource)
  const record = await find(request, resource, key)
  if (!record) throw noSuchRecord(resource, key)
  return unlessNotModified(request, record.etag, () => record.body)
}

async function find(request: ApiRequest, resource: Resource, key: RecordKey): Promise<TaggedRecord | null> {
  const { query, tenant, resources, services } = request
  const input = { resource: resource.name, key, timeoutMs: services.listTimeoutMs }
  if (isAssignmentsRequest(query, resource)) return services.engine.run(tenant, historyOperations.assignments, input)
  const includes = readIncludes(query, resource, resources)
  const moment = readAsOf(query, services.now())
  if (moment === null) return services.engine.run(tenant, recordOperations.find, { ...input, includes })
  return services.engine.run(tenant, historyOperations.findAsOf, { ...input, includes: includes ?? {}, moment })
}

/** Whether the request asks for the record's assignments instead of the record. Throws `invalid_request`. */
function isAssignmentsRequest(query: ParsedUrlQuery, resource: Resource): boolean {
  const { history, include, as_of } = requireOnce({
    history: query.history,
    include: query.include,
    as_of: query.as_of,
  })
  if (history === undefined) return false
  const values = assignmentFieldOf(resource) === undefined ? [] : ['assignments']
  if (!values.includes(history)) throw invalidRequest(`history ${quote(history)} is unknown; ${allowedList(values)}`)
  if (include === undefined && as_of === undefined) return true
  throw invalidRequest('history cannot be combined with include or as_of; leave them out.')
}

async function answerList(request: ApiRequest, resource: Resource): Promise<Answer> {
  const { query, tenant, resources, services } = request
  const listRequest = readListRequest(query, { resource, resources, now: services.now() })
  const listing = readListPage(services, tenant, resource.name, listRequest)
  const page = await (listRequest.asOf ? listing.catch(adviseAsOf) : listing)
  const headers = page.next === null ? {} : nextLink(request, { ...query, cursor: page.next })
  return unlessNotModified(request, page.etag, () => pageText(listRequest.limit, page), headers)
}

/** Returns a page's body (contract §8). */
function pageText(limit: number, { data, next, total }: CursorPage): string {
  const page = { limit, has_more: next !== null, next_cursor: next, ...(total !== null && { total }) }
  return `{"data":[${data}],"page":${JSON.stringify(page)}}`
}

/** Replaces the default advice of `query_too_slow`, which does not help for an `as_of` list. */
function adviseAsOf(error: unknown): never {
  if (!(error instanceof TooSlow)) throw error
  const advice = 'Request a later as_of, or leave out sort and filters: a list by id is fast.'
  throw new Problem('query_too_slow', { message: `This takes longer than this server allows. ${advice}` })
}

/** Returns the scopes that reading records requires besides the scope of their own resource (contract §4): whatever a
 *  query shows, filters by or exports of other resources needs the read scope of these resources. Ids are free. Ignores
 *  parameters and values that are invalid. */
function readScopes(query: ParsedUrlQuery, resource: Resource, resources: Resources): Scope[] {
  const others: string[] = []
  if (query.include !== undefined) others.push(...includedResources(query, resource, resources))
  if (query.fields !== undefined) others.push(...resourcesOfColumns(query, resource, resources))
  others.push(...scopesOfFilters(query, resource, resources))
  return [...new Set(others)].map((name) => ({ resource: name, action: 'read' }))
}

/** Exports a whole list as a file (contract §17). The key is re-checked before each page, so that revoking the key or
 *  suspending the tenant ends the export. */
async function answerExport(request: ApiRequest, resource: Resource): Promise<Answer> {
  const { query, caller, resources, services, reauthenticate } = request
  const canRead = (name: string) => allows(caller.permissions, { resource: name, action: 'read' })
  const now = services.now()
  const exportRequest = readExportRequest(query, { resource, resources, now, canRead })
  const body = await openExport(services, resource.name, exportRequest, async () => (await reauthenticate()).tenant)
  return { status: 200, body, headers: exportFile(`${resource.name}-${utcDayOf(now)}`, exportRequest.layout) }
}
