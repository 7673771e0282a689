// The documentation of /changes.php.

import { withConfiguration } from '../../../domain/declarations/configuration.ts'
import type { Resource, Resources } from '../../../domain/declarations/resource.ts'
import { actions } from '../../../domain/history/history.ts'
import { defaultLimit, maxLimit } from '../../../domain/lists/request/request.ts'
import { invalidRequest } from '../../../problem.ts'
import type { EndpointDocs } from '../../endpoint.ts'
import { exampleRecord, exampleTimes, knownId, refused } from '../examples.ts'
import {
  choiceSchema,
  countSchema,
  idSchema,
  integerSchema,
  limitParameter,
  limitSchema,
  object,
  orNull,
  queryParameter,
  textSchema,
  timestampSchema,
  uuidSchema,
  wordsParameter,
} from '../schemas/kinds.ts'
import { type Exchange, type Parameter, ref, type Schema, type Tag } from '../types.ts'

export const historyTag: Tag = {
  name: 'changes',
  description: 'The history: all changes of the tenant, in the order in which they took effect. It cannot be edited.',
}

export function changesDocs(resources: Resources): EndpointDocs {
  return {
    id: 'read_changes',
    tag: historyTag,
    summary: 'Read the history',
    description:
      "Returns changes in the order of their sequence numbers, which have no gaps, except that private views of others are left out. A change that starts or stops sharing somebody else's view shows only `is_shared`. To follow the history, pass the `page.since` " +
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
    wordsParameter(
      'resource',
      'Only changes of these kinds of records, separated by commas.',
      withConfiguration(resources).map(({ name }) => name),
    ),
    queryParameter('id', 'Only changes of records with this id.', integerSchema(0)),
    wordsParameter('action', 'Only changes with one of these actions, separated by commas.', actions),
    queryParameter('change_set', 'Only changes of this change set.', { type: 'string', format: 'uuid' }),
    queryParameter('order', 'Oldest first (`asc`) or newest first (`desc`).', {
      ...choiceSchema(['asc', 'desc']),
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

function exchangesOf(resources: Resources): Exchange[] {
  const [resource] = resources
  if (!resource) return []
  const latest = resources.length + 1 // one record of each resource, and the mapping of the imports
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
    refused(
      { query: 'since=yesterday' },
      invalidRequest('since must be a whole number such as since=7, not "yesterday".'),
    ),
  ]
}

function changeSchemas(resources: Resources): Record<string, Schema> {
  const [items, names] = [ref('schemas', 'Change'), withConfiguration(resources).map(({ name }) => name)]
  return {
    Change: object({
      seq: idSchema(
        "The sequence number of the change. Numbers have no gaps, except where somebody else's view changed while it was private.",
      ),
      at: { ...timestampSchema, description: 'When the change was made.' },
      resource: choiceSchema(names, 'The resource of the changed record.'),
      id: idSchema('The id of the record.'),
      action: choiceSchema(actions, 'What was done.'),
      before: valuesSchema('The changed fields before the change; null if the record was created.'),
      after: valuesSchema('The changed fields after the change; null if the record was deleted.'),
      api_key_id: orNull(textSchema('The id of the API key that made the change.')),
      user_id: orNull(textSchema('The panel user who made the change.')),
      request_id: textSchema('The `X-Request-Id` of the request.'),
      change_set: orNull(
        uuidSchema(
          'The change set, shared by all changes of one request. Null for changes made before change sets were introduced.',
        ),
      ),
    }),
    ChangePage: object({
      data: { type: 'array', items, maxItems: maxLimit, description: 'The changes, in order.' },
      page: object({
        limit: { ...limitSchema, description: 'The maximum number of changes on a page.' },
        has_more: { type: 'boolean', description: 'Whether there are more changes in this direction.' },
        since: countSchema('Pass this as `since` to continue from here, now or later.'),
        latest: countSchema("The sequence number of the tenant's newest change, regardless of filters."),
      }),
    }),
  }
}

function valuesSchema(description: string): Schema {
  return {
    type: ['object', 'null'],
    additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
    description,
  }
}

export const exampleChangeSet = '019cad82-10c0-7b3e-9c5f-2d1a6e8b4f70'

/** The first change: the creation of the first example record. */
function exampleChange(resource: Resource): object {
  const { id, created_at, updated_at, ...after } = exampleRecord(resource, {})
  const origin = { api_key_id: '4fJq8sLw2Z', user_id: null, request_id: '5c0f3f0e-6f2b-4a83-9a0e-0c1f7a1d2b3c' }
  const change_set = exampleChangeSet
  const at = exampleTimes[0]
  return {
    seq: 1,
    at,
    resource: resource.name,
    id: knownId,
    action: 'create',
    before: null,
    after,
    ...origin,
    change_set,
  }
}
