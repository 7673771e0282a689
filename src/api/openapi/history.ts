// The history in the OpenAPI document: the read operation and the schemas of changes.

import { scopesFor } from '../../access/scopes.ts'
import { actions } from '../../resources/history/history.ts'
import { highestLimit, standardLimit } from '../../resources/lists/request.ts'
import type { Resources } from '../../resources/resource.ts'
import type { HistoryEndpoint } from '../endpoints.ts'
import type { Description } from './description.ts'
import { type Exchange, historyExchanges } from './examples.ts'
import { examplesOf, scopesSentence, successHeaders, withoutBodies } from './operations.ts'
import { refusalsFor } from './refusals.ts'
import { idSchema, integerSchema, object, timestampSchema } from './schemas.ts'
import { type Operation, type Parameter, type PathItem, type Response, ref, type Schema } from './types.ts'

export const historyTag = {
  name: 'changes',
  description: 'The history: every change of the tenant, in the order in which they took effect. Nothing edits it.',
}

/** GET and HEAD. */
export function historyPath(endpoint: HistoryEndpoint, description: Description): PathItem {
  const get = readOperation(endpoint, description)
  return { get, head: withoutBodies(get) }
}

function readOperation({ name }: HistoryEndpoint, description: Description): Operation {
  const scopes = scopesFor(name, 'read')
  const exchanges = historyExchanges(description.resources)
  return {
    operationId: `read_${name}`,
    summary: 'Read the history',
    description:
      'Changes by their number, which has no gaps. To follow the history, ask again with `since` as the last page had it in ' +
      `\`page.since\`: each change comes once, in order, and none is missed. ${scopesSentence(scopes)}`,
    tags: [historyTag.name],
    'x-required-scopes': scopes,
    parameters: [
      ...parameters(description.resources),
      ref('parameters', 'IfNoneMatch'),
      ref('parameters', 'RequestId'),
    ],
    responses: {
      ...successes(description, exchanges),
      ...refusalsFor(['invalid_request', 'query_too_slow'], description, { exchanges }),
    },
  }
}

function parameters(resources: Resources): Parameter[] {
  const names = resources.map(({ name }) => name)
  return [
    parameter('resource', 'Only changes of these records.', { type: 'string', enum: names }),
    parameter('id', 'Only changes of records with this id.', integerSchema(0)),
    parameter('action', 'Only changes of this kind.', { type: 'string', enum: actions }),
    parameter('since', 'A number: only the changes behind it.', { ...integerSchema(0), default: 0 }),
    parameter('limit', 'How many changes a page holds at most.', {
      ...{ type: 'integer', minimum: 1, maximum: highestLimit, default: standardLimit },
    }),
  ]
}

function parameter(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', description, schema }
}

function successes(description: Description, exchanges: Exchange[]): Record<string, Response> {
  const headers = successHeaders(description, 'ETag', 'Link')
  const content = { schema: ref('schemas', 'ChangePage'), examples: examplesOf(exchanges, 200) }
  return {
    200: { description: 'A page of changes.', headers, content: { 'application/json': content } },
    304: { description: 'You have it as it is.', headers },
  }
}

export function historySchemas(resources: Resources): Record<string, Schema> {
  const [items, names] = [ref('schemas', 'Change'), resources.map(({ name }) => name)]
  return {
    Change: object({
      seq: {
        ...integerSchema(1),
        description: 'The number of the change: one more than that of the change before it.',
      },
      at: { ...timestampSchema, description: 'When it was made.' },
      resource: { type: 'string', enum: names, description: 'What kind of record was changed.' },
      id: idSchema('The id of the record.'),
      action: { type: 'string', enum: actions, description: 'What was done.' },
      before: values('The fields as they were, as far as they changed; null where a record was created.'),
      after: values('The fields as they are since; null where a record was deleted.'),
      api_key_id: textOrNull('The id of the API key that did it.'),
      user_id: textOrNull('The person who did it.'),
      request_id: { type: 'string', description: 'The `X-Request-Id` of the request.' },
    }),
    ChangePage: object({
      data: { type: 'array', items, maxItems: highestLimit, description: 'Changes in their order.' },
      page: object({
        limit: { type: 'integer', minimum: 1, maximum: highestLimit, description: 'How many it holds at most.' },
        has_more: { type: 'boolean', description: 'Whether there are more by now.' },
        since: { ...integerSchema(0), description: 'Where to go on, now or later: the `since` of the next request.' },
      }),
    }),
  }
}

function values(description: string): Schema {
  return {
    type: ['object', 'null'],
    additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
    description,
  }
}

function textOrNull(description: string): Schema {
  return { type: ['string', 'null'], description }
}
