// GET /{resource}.php: returns one record, its assignments, a page of a list, or an export (export-records.ts).

import type { ParsedUrlQuery } from 'node:querystring'
import {
  noSuchRecord,
  type RecordKey,
  type Resource,
  type Resources,
  resourceNamed,
} from '../../domain/declarations/resource.ts'
import { isExport } from '../../domain/exports/request.ts'
import { assignmentFieldOf } from '../../domain/history/history.ts'
import { type ListPage, readListPage } from '../../domain/lists/list-page.ts'
import {
  allowedList,
  isListParameter,
  quote,
  readAsOf,
  readIncludes,
  readListRequest,
  requireOnce,
} from '../../domain/lists/request/request.ts'
import { TooSlow } from '../../engine/database/database.ts'
import type { TaggedRecord } from '../../engine/responses/entity-tags.ts'
import { invalidRequest, Problem } from '../../problem.ts'
import type { Answer, ApiRequest, Endpoint, EndpointDocs } from '../endpoint.ts'
import { readExchanges } from '../openapi/examples/examples.ts'
import { listParameters, resourceListParameters, sharedListParameters } from '../openapi/list-parameters.ts'
import { exportExchanges, exportParameters, exportTypes } from '../openapi/schemas/exports.ts'
import { idSchema, resourceSchemas, schemaNames } from '../openapi/schemas/schemas.ts'
import { type Parameter, ref } from '../openapi/types.ts'
import { readKey } from '../parse-request.ts'
import { nextLink, unlessNotModified } from '../reply.ts'
import { answerExport } from './export-records.ts'
import { externalIdParameter } from './external-id-parameter.ts'
import { readScopes } from './read-scopes.ts'
import { tagOf } from './tag.ts'

export function readEndpoint({ name }: Resource, resources: Resources): Endpoint {
  return {
    method: 'GET',
    path: `/${name}.php`,
    scope: { resource: name, action: 'read' },
    queryScopes: (query) => readScopes(query, resourceNamed(resources, name), resources),
    isList: isListParameter,
    answer: (request) => answer(request, resourceNamed(request.resources, name)),
    docs: () => docsOf(resourceNamed(resources, name), resources),
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
  if (isAssignmentsRequest(query, resource)) return services.storage.run(tenant, 'assignments', input)
  const includes = readIncludes(query, resource, resources)
  const moment = readAsOf(query, services.now())
  if (moment === null) return services.storage.run(tenant, 'find', { ...input, includes })
  return services.storage.run(tenant, 'findAsOf', { ...input, includes: includes ?? {}, moment })
}

/** Whether the request asks for the record's assignments instead of the record. Throws `invalid_request`. */
function isAssignmentsRequest(query: ParsedUrlQuery, resource: Resource): boolean {
  const { history, include, as_of } = requireOnce({
    history: query.history,
    include: query.include,
    as_of: query.as_of,
  })
  if (history === undefined) return false
  const known = assignmentFieldOf(resource) === undefined ? [] : ['assignments']
  if (!known.includes(history)) throw invalidRequest(`history ${quote(history)} is unknown; ${allowedList(known)}`)
  if (include === undefined && as_of === undefined) return true
  throw invalidRequest('history cannot be combined with include or as_of; leave them out.')
}

async function answerList(request: ApiRequest, resource: Resource): Promise<Answer> {
  const { query, tenant, resources, services } = request
  const listRequest = readListRequest(query, resource, resources, services.now())
  const listing = readListPage(services, tenant, resource.name, listRequest)
  const page = await (listRequest.asOf ? listing.catch(adviseAsOf) : listing)
  const headers = page.next === null ? {} : nextLink(request, { ...query, cursor: page.next })
  return unlessNotModified(request, page.etag, () => pageText(listRequest.limit, page), headers)
}

/** Returns a page's body (contract §8). */
function pageText(limit: number, { data, next, total }: ListPage): string {
  const page = { limit, has_more: next !== null, next_cursor: next, ...(total !== null && { total }) }
  return `{"data":[${data}],"page":${JSON.stringify(page)}}`
}

/** Replaces the default advice of `query_too_slow`, which does not help for an `as_of` list. */
function adviseAsOf(error: unknown): never {
  if (!(error instanceof TooSlow)) throw error
  const advice = 'Request a later as_of, or leave out sort and filters: a list by id is fast.'
  throw new Problem('query_too_slow', { message: `This takes longer than this server allows. ${advice}` })
}

function docsOf(resource: Resource, resources: Resources): EndpointDocs {
  const { name, singular: one } = resource
  const hasAssignments = assignmentFieldOf(resource) !== undefined
  const next = { cursor: '$response.body#/page/next_cursor' }
  return {
    id: `read_${name}`,
    tag: tagOf(resource),
    summary: `Read one ${one}, or a list of ${name}`,
    description:
      `With \`id\` or \`external_id\`, returns one ${one}. Without them, returns a page of the list: records that match all ` +
      'filters. ' +
      (hasAssignments ? 'With `id` and `history=assignments`, returns whom the record was assigned to. ' : '') +
      'Only `include`, `as_of` and `history` can be combined with `id`; all other parameters are for lists. With `format`, ' +
      'returns the whole list as a file, as it was at the start of the export.',
    parameters: [
      {
        name: 'id',
        in: 'query',
        schema: idSchema(`The id of the ${one}.`),
        description: `The ${one} to read. If omitted, a list is returned.`,
      },
      ...externalIdParameter(resource),
      ...assignmentsParameter(resource),
      ...exportParameters(resource, resources),
      ...listParameters(resource, resources),
    ],
    precondition: 'IfNoneMatch',
    responses: {
      200: {
        description: 'The record, or a page of the list.',
        schema: ref('schemas', schemaNames(resource).result),
        otherTypes: exportTypes,
        headers: ['ETag', 'Link', 'Content-Disposition'],
        links: {
          next: {
            operationId: `read_${name}`,
            parameters: next,
            description: 'The next page of a list, if there is one.',
          },
        },
      },
      304: { description: 'Not modified: the caller has the current version.', headers: ['ETag', 'Link'] },
    },
    errors: ['missing_id', 'invalid_request', 'not_found', 'query_too_slow'],
    resource,
    exchanges: [...readExchanges(resource, resources), ...exportExchanges(resource, resources)],
    components: {
      schemas: resourceSchemas(resource, resources),
      parameters: { ...sharedListParameters(), ...resourceListParameters(resource, resources) },
    },
  }
}

function assignmentsParameter(resource: Resource): Parameter[] {
  const reference = assignmentFieldOf(resource)
  if (reference === undefined) return []
  const description =
    `Instead of the record, returns every \`${reference}\` that the ${resource.singular} has had, even if it has been ` +
    'deleted. Only with `id`.'
  return [{ name: 'history', in: 'query', description, schema: { type: 'string', enum: ['assignments'] } }]
}
