// POST, PUT and DELETE /{resource}.php: one record is created, updated or deleted.

import type { ProblemCode } from '../../problem.ts'
import { referencesTo } from '../../resources/records/dependents.ts'
import { type Resource, type Resources, resourceNamed } from '../../resources/resource.ts'
import { validateChanges, validateNew } from '../../resources/validate.ts'
import type { RecordMutation } from '../../storage/operations/records.ts'
import type { ApiRequest, Changing, Endpoint, EndpointDocs } from '../endpoint.ts'
import {
  createExchanges,
  deleteExchanges,
  exampleChanges,
  exampleValues,
  updateExchanges,
} from '../openapi/examples.ts'
import { idSchema, schemaNames } from '../openapi/schemas.ts'
import { type Link, type Parameter, ref } from '../openapi/types.ts'
import { readHandling, requireId } from '../parse-request.ts'
import { tagOf } from './tag.ts'

/** An endpoint whose `read` returns the input of the operation `mutate`. */
type RecordChanging = Changing & { read(request: ApiRequest, body: () => object): RecordMutation }

export function createEndpoint({ name }: Resource, resources: Resources): Endpoint & RecordChanging {
  return {
    method: 'POST',
    path: `/${name}.php`,
    scope: { resource: name, action: 'create' },
    operation: 'mutate',
    hasBody: true,
    read({ call, resources, services }, body) {
      const values = validateNew(resourceNamed(resources, name), body(), readHandling(call.headers))
      return { action: 'create', resource: name, values, location: `${services.location}${call.path}?id=` }
    },
    docs: () => createDocs(resourceNamed(resources, name)),
  }
}

export function updateEndpoint({ name }: Resource, resources: Resources): Endpoint & RecordChanging {
  return {
    method: 'PUT',
    path: `/${name}.php`,
    scope: { resource: name, action: 'update' },
    operation: 'mutate',
    hasBody: true,
    read({ call, query, resources }, body) {
      const id = requireId(query)
      const values = validateChanges(resourceNamed(resources, name), body(), readHandling(call.headers))
      return { action: 'update', resource: name, id, values, ifMatch: call.headers['if-match'] ?? null }
    },
    docs: () => updateDocs(resourceNamed(resources, name)),
  }
}

export function deleteEndpoint({ name }: Resource, resources: Resources): Endpoint & RecordChanging {
  return {
    method: 'DELETE',
    path: `/${name}.php`,
    scope: { resource: name, action: 'delete' },
    operation: 'mutate',
    hasBody: false,
    read: ({ call, query }) => ({
      action: 'delete',
      resource: name,
      id: requireId(query),
      ifMatch: call.headers['if-match'] ?? null,
    }),
    docs: () => deleteDocs(resourceNamed(resources, name), resources),
  }
}

function createDocs(resource: Resource): EndpointDocs {
  const { name, singular: one } = resource
  const { record, create } = schemaNames(resource)
  return {
    id: `create_${name}`,
    tag: tagOf(resource),
    summary: `Create ${withArticle(one)}`,
    description: 'Returns the whole record. `Location` is its URL.',
    parameters: [ref('parameters', 'Prefer')],
    body: { schema: ref('schemas', create), examples: { created: { value: exampleValues(resource) } } },
    responses: {
      201: {
        description: 'The new record.',
        schema: ref('schemas', record),
        headers: ['Location', 'ETag'],
        links: recordLinks(resource),
      },
    },
    errors: [
      ...(['invalid_request', 'invalid_json', 'payload_too_large', 'validation_failed'] as const),
      ...missingCodes(resource),
    ],
    resource,
    exchanges: createExchanges(resource),
  }
}

function updateDocs(resource: Resource): EndpointDocs {
  const { name, singular: one } = resource
  const { record, update } = schemaNames(resource)
  return {
    id: `update_${name}`,
    tag: tagOf(resource),
    summary: `Change ${withArticle(one)}`,
    description: 'Changes the fields in the body, and returns the whole record.',
    parameters: [requiredId(resource), ref('parameters', 'Prefer')],
    precondition: 'IfMatch',
    body: { schema: ref('schemas', update), examples: { updated: { value: exampleChanges(resource) } } },
    responses: {
      200: { description: 'The updated record.', schema: ref('schemas', record), headers: ['ETag'] },
    },
    errors: [
      ...(['missing_id', 'invalid_request', 'invalid_json', 'payload_too_large', 'no_fields'] as const),
      ...(['validation_failed', 'not_found', 'precondition_failed'] as const),
      ...missingCodes(resource),
    ],
    resource,
    exchanges: updateExchanges(resource),
  }
}

function deleteDocs(resource: Resource, resources: Resources): EndpointDocs {
  const { name, singular: one } = resource
  return {
    id: `delete_${name}`,
    tag: tagOf(resource),
    summary: `Delete ${withArticle(one)}`,
    description:
      'Refused while other records refer to the record; `dependents` of the error tells how many. A body is ignored.',
    parameters: [requiredId(resource)],
    precondition: 'IfMatch',
    responses: { 200: { description: 'The record was deleted.', schema: ref('schemas', 'Deleted') } },
    errors: [
      ...(['missing_id', 'invalid_request', 'not_found', 'precondition_failed'] as const),
      ...(referencesTo(resource, resources).length > 0 ? (['conflict'] as const) : []),
    ],
    resource,
    exchanges: deleteExchanges(resource, resources),
  }
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

function requiredId({ singular: one }: Resource): Parameter {
  const schema = idSchema(`The id of the ${one}.`)
  return { name: 'id', in: 'query', schema, required: true, description: `The id of the ${one}.` }
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

function missingCodes(resource: Resource): ProblemCode[] {
  const codes = Object.values(resource.fields).flatMap((each) => (each.kind === 'reference' ? each.missingCode : []))
  return [...new Set(codes)]
}
