// GET /changes.php: the tenant's history, which lists its changes in order.

import type { ParsedUrlQuery } from 'node:querystring'
import { withConfiguration } from '../../domain/declarations/configuration.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import { allowedList, quote } from '../../domain/fields/unknown-names.ts'
import { actions, type ChangesQuery, endOfHistory } from '../../domain/history/history.ts'
import { type History, historyOperations } from '../../domain/history/operations.ts'
import { defaultLimit, readLimit } from '../../domain/lists/request/request.ts'
import { readUuid } from '../../lib/uuid.ts'
import { invalidRequest } from '../../problem.ts'
import type { Answer, ApiRequest, Endpoint, EndpointDocs } from '../endpoint.ts'
import { knownId, refused } from '../openapi/examples/examples.ts'
import { commaSeparated } from '../openapi/list-parameters.ts'
import { changeSchemas, exampleChange } from '../openapi/schemas/change-schemas.ts'
import { choiceSchema, integerSchema, limitParameter, queryParameter } from '../openapi/schemas/kinds.ts'
import { type Exchange, type Parameter, ref, type Tag } from '../openapi/types.ts'
import { readParameters, readQuery } from '../parse-request.ts'
import { nextLink, unlessNotModified } from '../reply.ts'

export function changesEndpoint(): Endpoint {
  return {
    method: 'GET',
    path: '/changes.php',
    scope: { resource: 'changes', action: 'read' },
    isList: (name) => name === 'resource' || name === 'action',
    answer,
    docs: docsOf,
  }
}

async function answer(request: ApiRequest): Promise<Answer> {
  const { query, caller, tenant, resources, services } = request
  const changesQuery = readChangesQuery(query, resources)
  const viewer = { apiKeyId: caller.id }
  const input = { ...changesQuery, viewer, timeoutMs: services.listTimeoutMs }
  const history = await services.storage.run(tenant, historyOperations.changes, input)
  if (!changesQuery.isBackwards) requireKnown(changesQuery.since, history)
  const headers = history.hasMore ? nextLink(request, { ...query, since: String(history.since) }) : {}
  return unlessNotModified(request, history.etag, () => pageText(changesQuery.limit, history), headers)
}

/** Throws `invalid_request` if changes after `since` were removed, because the client would miss these changes. Also
 *  throws if `since` is greater than the latest change number, which happens after an older state was restored. Accepts
 *  0 from a client that has not read any changes yet. */
function requireKnown(since: number, { latest, start }: History): void {
  if (since > 0 && since < start) {
    throw invalidRequest(
      `since is ${since}, but the changes up to number ${start} were removed after their retention period. ` +
        `Start again with since=${start}, and compare the records.`,
    )
  }
  if (since <= latest) return
  throw invalidRequest(
    `since is ${since}, but the latest change is number ${latest}: the history was restored from a backup. ` +
      `Start again with since=${latest}, and compare the records.`,
  )
}

const parameterNames = ['resource', 'id', 'action', 'change_set', 'order', 'since', 'limit']
const orders = ['asc', 'desc'] as const

/** Throws `invalid_request` for unknown parameters and invalid values. */
function readChangesQuery(query: ParsedUrlQuery, resources: Resources): Omit<ChangesQuery, 'viewer' | 'timeoutMs'> {
  const parameters = readParameters(query, parameterNames)
  const isBackwards = readWord('order', parameters.order, orders) === 'desc'
  return {
    limit: readLimit(parameters.limit),
    since: readNumber('since', parameters.since) ?? (isBackwards ? endOfHistory : 0),
    ...(isBackwards && { isBackwards }),
    resources: readWords('resource', parameters.resource, namesOf(resources)),
    id: readNumber('id', parameters.id),
    actions: readWords('action', parameters.action, actions),
    changeSet: readChangeSet(parameters.change_set),
  }
}

function namesOf(resources: Resources): string[] {
  return withConfiguration(resources).map(({ name }) => name)
}

function readWord<Word extends string>(name: string, text: string | undefined, words: readonly Word[]): Word | null {
  if (text === undefined) return null
  const knownWord = words.find((word) => word === text)
  if (knownWord === undefined) throw invalidRequest(`${name} does not take ${quote(text)}; ${allowedList(words)}`)
  return knownWord
}

/** Returns the different words of a list. */
function readWords<Word extends string>(name: string, text: string | undefined, words: readonly Word[]): Word[] | null {
  if (text === undefined) return null
  return [...new Set(text.split(',').map((piece) => readWord(name, piece, words)!))]
}

function readChangeSet(text: string | undefined): string | null {
  if (text === undefined) return null
  const uuid = readUuid(text)
  if (uuid !== undefined) return uuid
  throw invalidRequest(`change_set must be a UUID, as in the Change-Set header, not ${quote(text)}.`)
}

/** Parses an id or a sequence number. 0 is allowed: the position before the first change. */
function readNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw invalidRequest(`${name} must be a whole number such as ${name}=7, not ${quote(text)}.`)
}

/** Returns a page's body. The client continues from `page.since`, even after an empty or partial page. */
function pageText(limit: number, { data, hasMore, since, latest }: History): string {
  return `{"data":[${data}],"page":${JSON.stringify({ limit, has_more: hasMore, since, latest })}}`
}

export const historyTag: Tag = {
  name: 'changes',
  description: 'The history: all changes of the tenant, in the order in which they took effect. It cannot be edited.',
}

function docsOf(resources: Resources): EndpointDocs {
  return {
    id: 'read_changes',
    tag: historyTag,
    summary: 'Read the history',
    description:
      'Returns changes in the order of their sequence numbers, which have no gaps, except that private views of others are left out. To follow the history, pass the `page.since` ' +
      'of one page as `since` of the next request: you get every change once, in order. `order=desc` reads backwards, from the ' +
      'newest change or from `since`. If the tenant has been restored from a backup, a `since` beyond the latest change is rejected: ' +
      'start again from `page.latest` and compare the records. Old changes may be removed after a retention period. Without ' +
      '`since`, or with 0, the list starts at the oldest change left. A `since` before the oldest change left is rejected, because ' +
      'you would miss changes.',
    parameters: parametersOf(resources),
    precondition: 'IfNoneMatch',
    responses: {
      200: { description: 'A page of changes.', schema: ref('schemas', 'ChangePage'), headers: ['ETag', 'Link'] },
      304: { description: 'Not modified: the caller has the current version.', headers: ['ETag', 'Link'] },
    },
    errors: ['invalid_request', 'query_too_slow'],
    exchanges: exchangesOf(resources),
    components: { schemas: changeSchemas(resources) },
  }
}

function parametersOf(resources: Resources): Parameter[] {
  return [
    listParameter('resource', 'Only changes of these kinds of records, separated by commas.', namesOf(resources)),
    queryParameter('id', 'Only changes of records with this id.', integerSchema(0)),
    listParameter('action', 'Only changes with one of these actions, separated by commas.', actions),
    queryParameter('change_set', 'Only changes of this change set.', { type: 'string', format: 'uuid' }),
    queryParameter('order', 'Oldest first (`asc`) or newest first (`desc`).', {
      ...choiceSchema(orders),
      default: 'asc',
    }),
    queryParameter(
      'since',
      'Only changes with a higher number, or with a lower one if `order=desc`. Default: from the start.',
      integerSchema(0),
    ),
    limitParameter('changes'),
  ]
}

function listParameter(name: string, description: string, words: readonly string[]): Parameter {
  const schema = { type: 'array', minItems: 1, items: choiceSchema(words) }
  return { ...queryParameter(name, description, schema), ...commaSeparated }
}

function exchangesOf(resources: Resources): Exchange[] {
  const [resource] = resources
  if (!resource) return []
  const latest = resources.length // one record of each resource
  const page = { limit: defaultLimit, has_more: false, since: 1, latest }
  const exchange = (name: string, query: string, data: object[], since: number): Exchange => {
    return { name, request: { query }, status: 200, answer: { data, page: { ...page, since } } }
  }
  const change = exampleChange(resource)
  return [
    exchange('changes', `resource=${resource.name}`, [change], 1),
    exchange('of a record', `resource=${resource.name}&id=${knownId}&action=create`, [change], 1),
    exchange('with two actions', `resource=${resource.name}&action=create,delete`, [change], 1),
    exchange('newest first', `order=desc&resource=${resource.name}`, [change], 1),
    exchange('nothing new', `since=${latest}`, [], latest),
    refused({ query: 'since=yesterday' }, () => readChangesQuery(readQuery('since=yesterday'), resources)),
  ]
}
