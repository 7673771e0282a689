// The operations of resource endpoints, one per method.

import { type Action, scopesFor } from '../../access/scopes.ts'
import { assignmentOf } from '../../resources/history/history.ts'
import type { Resource, Resources } from '../../resources/resource.ts'
import type { ResourceEndpoint } from '../endpoints.ts'
import { type Description, isLimited } from './description.ts'
import { type Exchange, exampleChanges, exampleValues, exchangesOf } from './examples.ts'
import { type HeaderName, listHeaders, listRateLimit } from './headers.ts'
import { listParameters } from './list-parameters.ts'
import { refusalsOf } from './refusals.ts'
import { idSchema, schemaNames } from './schemas.ts'
import {
  type Link,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
  type Response,
  ref,
  type Schema,
} from './types.ts'

export function pathItem(endpoint: ResourceEndpoint, description: Description): PathItem {
  const { resource, methods } = endpoint
  const actions = [...new Set(Object.values(methods))]
  const operations = new Map(actions.map((action) => [action, resourceOperation(action, resource, description)]))
  return Object.fromEntries(
    Object.entries(methods).map(([method, action]) => {
      const operation = operations.get(action)!
      return [method.toLowerCase(), method === 'HEAD' ? withoutBodies(operation) : operation]
    }),
  )
}

function resourceOperation(action: Action, resource: Resource, description: Description): Operation {
  const words = wordsOf(action, resource)
  const scopes = scopesFor(resource.name, action)
  const exchanges = exchangesOf(action, resource, description.resources)
  return {
    operationId: `${action}_${resource.name}`,
    summary: words.summary,
    description: `${words.description} ${scopesSentence(scopes)}`,
    tags: [resource.name],
    'x-required-scopes': scopes,
    parameters: parametersOf(action, resource, description.resources),
    ...bodyOf(action, resource),
    responses: {
      ...successesOf(action, resource, description, exchanges),
      ...refusalsOf(action, resource, description, exchanges),
    },
  }
}

/** The required scopes as a sentence. */
export function scopesSentence(scopes: string[]): string {
  return `The key needs one of the scopes ${scopes.map((each) => `\`${each}\``).join(', ')}.`
}

function wordsOf(action: Action, resource: Resource): { summary: string; description: string } {
  const { name, singular: one } = resource
  const hasAssignments = assignmentOf(resource) !== undefined
  switch (action) {
    case 'read':
      return {
        summary: `Read one ${one}, or a list of ${name}`,
        description:
          `With \`id\` the answer is one ${one}, without it a page of those that match every filter` +
          (hasAssignments ? '; with `id` and `history=assignments` it tells whom the record belonged to. ' : '. ') +
          'Only `include`, `as_of` and `history` go together with `id`; all other parameters are those of a list.',
      }
    case 'create':
      return {
        summary: `Create ${withArticle(one)}`,
        description: 'The answer is the whole record; `Location` is its address.',
      }
    case 'update':
      return {
        summary: `Change ${withArticle(one)}`,
        description: 'Changes the fields that the body names. The answer is the whole record.',
      }
    case 'delete':
      return {
        summary: `Delete ${withArticle(one)}`,
        description: 'Refused while other records refer to it. A body is ignored.',
      }
  }
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

function parametersOf(action: Action, resource: Resource, resources: Resources): (Parameter | Reference)[] {
  const { singular: one } = resource
  const requestId = ref('parameters', 'RequestId')
  const id = { name: 'id', in: 'query', schema: idSchema(`The id of the ${one}.`) } as const
  switch (action) {
    case 'read':
      return [
        { ...id, description: `The ${one} to read. Without it the answer is a list.` },
        ...assignmentsParameter(resource),
        ...listParameters(resource, resources),
        ref('parameters', 'IfNoneMatch'),
        requestId,
      ]
    case 'create':
      return [ref('parameters', 'IdempotencyKey'), requestId]
    case 'update':
    case 'delete': {
      const required = { ...id, required: true, description: `The ${one} that is meant.` }
      return [required, ref('parameters', 'IdempotencyKey'), ref('parameters', 'IfMatch'), requestId]
    }
  }
}

function assignmentsParameter(resource: Resource): Parameter[] {
  const reference = assignmentOf(resource)
  if (reference === undefined) return []
  const description = `Every \`${reference}\` that the ${resource.singular} has had, instead of the record. With \`id\` alone.`
  return [{ name: 'history', in: 'query', description, schema: { type: 'string', enum: ['assignments'] } }]
}

function bodyOf(action: Action, resource: Resource): Pick<Operation, 'requestBody'> {
  if (action === 'create') return body(schemaNames(resource).create, 'created', exampleValues(resource))
  if (action === 'update') return body(schemaNames(resource).update, 'updated', exampleChanges(resource))
  return {}
}

function body(schema: string, name: string, value: object): Pick<Operation, 'requestBody'> {
  const content = { 'application/json': { schema: ref('schemas', schema), examples: { [name]: { value } } } }
  return { requestBody: { required: true, description: 'A JSON object of fields.', content } }
}

function successesOf(
  action: Action,
  resource: Resource,
  description: Description,
  exchanges: Exchange[],
): Record<string, Response> {
  const { record, result } = schemaNames(resource)
  const success = (
    status: number,
    words: string,
    schema: Schema,
    ...headers: HeaderName[]
  ): Record<string, Response> => ({
    [status]: {
      description: words,
      headers: successHeaders(description, ...headers),
      content: {
        'application/json': {
          schema,
          examples: examplesOf(exchanges, status),
        },
      },
    },
  })
  switch (action) {
    case 'read': {
      const known = { description: 'You have it as it is.', headers: successHeaders(description, 'ETag', 'Link') }
      const words = 'The record, or a page of the list.'
      const links = { next: pageLink(resource) }
      return { ...withLinks(success(200, words, ref('schemas', result), 'ETag', 'Link'), links), 304: known }
    }
    case 'create':
      return withLinks(
        success(201, 'The new record.', ref('schemas', record), 'Location', 'ETag', 'Idempotent-Replayed'),
        recordLinks(resource),
      )
    case 'update':
      return success(200, 'The record as it is now.', ref('schemas', record), 'ETag', 'Idempotent-Replayed')
    case 'delete':
      return success(200, 'It is gone.', ref('schemas', 'Deleted'), 'Idempotent-Replayed')
  }
}

function withLinks(responses: Record<string, Response>, links: Record<string, Link>): Record<string, Response> {
  return Object.fromEntries(Object.entries(responses).map(([status, each]) => [status, { ...each, links }]))
}

/** The operations that accept the id of a new record. */
function recordLinks({ name, singular: one }: Resource): Record<string, Link> {
  const parameters = { id: '$response.body#/id' }
  const verbs = { read: 'Read', update: 'Change', delete: 'Delete' }
  return Object.fromEntries(
    Object.entries(verbs).map(([action, verb]) => [
      action,
      { operationId: `${action}_${name}`, parameters, description: `${verb} this ${one}.` },
    ]),
  )
}

function pageLink({ name }: Resource): Link {
  const parameters = { cursor: '$response.body#/page/next_cursor' }
  return { operationId: `read_${name}`, parameters, description: 'The next page of a list, where there is one.' }
}

export function successHeaders(description: Description, ...names: HeaderName[]): Response['headers'] {
  return { ...listHeaders(...names), ...(isLimited(description) && listRateLimit('always')) }
}

/** The exchanges with this status as examples. */
export function examplesOf(exchanges: Exchange[], status: number) {
  const successes = exchanges.filter((each) => each.status === status)
  return Object.fromEntries(
    successes.map(({ name, answer, request }) => [name, { value: answer, 'x-request': request }]),
  )
}

/** Turns GET into HEAD: the same responses without bodies. */
export function withoutBodies(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if ('$ref' in response) return [status, response]
    const { content: _, links: __, ...rest } = response
    return [status, rest]
  })
  return {
    ...operation,
    operationId: operation.operationId.replace('read_', 'head_'),
    summary: `${operation.summary}, headers only`,
    responses: Object.fromEntries(responses),
  }
}
