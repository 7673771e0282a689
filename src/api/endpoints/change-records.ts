// POST, PUT and DELETE /{resource}.php: create, update or delete one record.

import type { Caller } from '../../access/authenticator.ts'
import { allows } from '../../access/scopes.ts'
import {
  externalIdField,
  type RecordKey,
  type Resource,
  type Resources,
  resourceNamed,
} from '../../domain/declarations/resource.ts'
import { checkChanges, checkNew, validateChanges, validateNew } from '../../domain/fields/validate.ts'
import { referencesTo } from '../../domain/records/dependents.ts'
import type { RecordMutation } from '../../domain/records/operations.ts'
import { invalidRequest, type ProblemCode } from '../../problem.ts'
import type { ApiRequest, ChangingEndpoint, Endpoint, EndpointDocs } from '../endpoint.ts'
import {
  createExchanges,
  deleteExchanges,
  exampleChanges,
  exampleValues,
  updateExchanges,
} from '../openapi/examples/examples.ts'
import { idSchema, schemaNames } from '../openapi/schemas/schemas.ts'
import { type Link, type Parameter, ref } from '../openapi/types.ts'
import { readHandling, requireKey } from '../parse-request.ts'
import { externalIdParameter } from './external-id-parameter.ts'
import { tagOf } from './tag.ts'

/** An endpoint whose `read` returns the input of the `mutate` operation. */
export type RecordChangingEndpoint = ChangingEndpoint & {
  read(request: ApiRequest, body: () => object): RecordMutation
}

export function createEndpoint({ name }: Resource, resources: Resources): Endpoint & RecordChangingEndpoint {
  return {
    method: 'POST',
    path: `/${name}.php`,
    scope: { resource: name, action: 'create' },
    operation: 'mutate',
    hasBody: true,
    read({ call, caller, resources, services }, body) {
      const given = validateNew(resourceNamed(resources, name), body(), readHandling(call.headers))
      const location = `${services.location}${call.path}?id=`
      return { action: 'create', resource: name, ...given, location, mayRead: mayRead(caller, name) }
    },
    docs: () => createDocs(resourceNamed(resources, name)),
  }
}

export function updateEndpoint({ name, fields }: Resource, resources: Resources): Endpoint & RecordChangingEndpoint {
  return {
    method: 'PUT',
    path: `/${name}.php`,
    scope: { resource: name, action: 'update' },
    ...(externalIdField in fields && { parameterScopes: { [externalIdField]: { resource: name, action: 'create' } } }),
    operation: 'mutate',
    hasBody: true,
    read(request, body) {
      const { call, caller, query, resources } = request
      const resource = resourceNamed(resources, name)
      const key = requireKey(query, resource)
      if (key.column === externalIdField) return readUpsert(request, resource, key, body())
      const given = validateChanges(resource, body(), readHandling(call.headers))
      const ifMatch = call.headers['if-match'] ?? null
      return { action: 'update', resource: name, key, ...given, ifMatch, mayRead: mayRead(caller, name) }
    },
    docs: () => updateDocs(resourceNamed(resources, name)),
  }
}

export function deleteEndpoint({ name }: Resource, resources: Resources): Endpoint & RecordChangingEndpoint {
  return {
    method: 'DELETE',
    path: `/${name}.php`,
    scope: { resource: name, action: 'delete' },
    operation: 'mutate',
    hasBody: false,
    read: ({ call, query, resources }) => ({
      action: 'delete',
      resource: name,
      key: requireKey(query, resourceNamed(resources, name)),
      ifMatch: call.headers['if-match'] ?? null,
    }),
    docs: () => deleteDocs(resourceNamed(resources, name), resources),
  }
}

/** PUT by external id updates the record, or creates it if it does not exist (contract §14). Only the database knows
 *  whether the record exists, so the body is checked for both cases. */
function readUpsert(
  { call, caller, services }: ApiRequest,
  resource: Resource,
  key: RecordKey & { column: typeof externalIdField },
  body: object,
): RecordMutation {
  requireSameExternalId(body, key.value)
  const handling = readHandling(call.headers)
  return {
    action: 'upsert',
    resource: resource.name,
    key,
    changes: checkChanges(resource, body, handling),
    creation: checkNew(resource, { ...body, [externalIdField]: key.value }, handling),
    ifMatch: call.headers['if-match'] ?? null,
    mayExist: call.headers['if-none-match']?.trim() !== '*',
    location: `${services.location}${call.path}?id=`,
    mayRead: mayRead(caller, resource.name),
  }
}

function mayRead({ permissions }: Caller, resource: string): boolean {
  return allows(permissions, { resource, action: 'read' })
}

/** Throws `invalid_request` if the external id in the body differs from the one in the query. */
function requireSameExternalId(body: object, externalId: string): void {
  if (!Object.hasOwn(body, externalIdField)) return
  const { [externalIdField]: given } = body as Record<string, unknown>
  if (typeof given === 'string' && given.trim() === externalId) return
  throw invalidRequest(
    'external_id in the body must equal the one in the query; leave it out, or change it with ?id=N.',
  )
}

function createDocs(resource: Resource): EndpointDocs {
  const { name, singular: one } = resource
  const { record, create } = schemaNames(resource)
  return {
    id: `create_${name}`,
    tag: tagOf(resource),
    summary: `Create ${withArticle(one)}`,
    description: 'Returns the whole record; `Location` is its URL.',
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
    errors: ['invalid_request', 'invalid_json', 'payload_too_large', 'validation_failed', ...missingCodes(resource)],
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
    description:
      'Changes the fields in the body and returns the whole record. With `external_id` instead of `id`, creates the record if it ' +
      'does not exist, following the same rules as POST.',
    parameters: [idParameter(resource), ...externalIdParameter(resource), createOnly, ref('parameters', 'Prefer')],
    precondition: 'IfMatch',
    body: { schema: ref('schemas', update), examples: { updated: { value: exampleChanges(resource) } } },
    responses: {
      200: { description: 'The updated record.', schema: ref('schemas', record), headers: ['ETag'] },
      201: {
        description: 'The new record: there was none with this `external_id`.',
        schema: ref('schemas', record),
        headers: ['Location', 'ETag'],
      },
    },
    errors: [
      'missing_id',
      'invalid_request',
      'invalid_json',
      'payload_too_large',
      'no_fields',
      'validation_failed',
      'not_found',
      'precondition_failed',
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
      'Rejected while other records refer to the record; `dependents` in the error counts these records. The request body is ignored.',
    parameters: [idParameter(resource), ...externalIdParameter(resource)],
    precondition: 'IfMatch',
    responses: { 200: { description: 'The record was deleted.', schema: ref('schemas', 'Deleted') } },
    errors: [
      'missing_id',
      'invalid_request',
      'not_found',
      'precondition_failed',
      ...(referencesTo(resource, resources).length > 0 ? (['conflict'] as const) : []),
    ],
    resource,
    exchanges: deleteExchanges(resource, resources),
  }
}

const createOnly: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: '`*`, only with `external_id`: creates the record, but does not change an existing one.',
  schema: { type: 'string', const: '*' },
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

function idParameter(resource: Resource): Parameter {
  const { singular: one } = resource
  const isRequired = !(externalIdField in resource.fields)
  const schema = idSchema(`The id of the ${one}.`)
  const description = `The id of the ${one}.${isRequired ? '' : ' Either this or `external_id` is required.'}`
  return { name: 'id', in: 'query', schema, ...(isRequired && { required: true }), description }
}

/** Links to the operations that accept a new record's id. */
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
  const codes = Object.values(resource.fields).flatMap((field) => (field.kind === 'reference' ? field.missingCode : []))
  return [...new Set(codes)]
}
