// POST, PUT and DELETE /{resource}.php: create, update or delete one record.

import { allows } from '../../access/api-key.ts'
import type { Caller } from '../../access/authenticator.ts'
import { externalIdField, type RecordKey, type Resource, resourceNamed } from '../../domain/declarations/resource.ts'
import { type CheckedInput, checkChanges, checkNew, requireFields } from '../../domain/fields/validate.ts'
import { type RecordMutation, recordOperations } from '../../domain/records/operations.ts'
import { cleanText } from '../../lib/text.ts'
import { invalidRequest } from '../../problem.ts'
import { stockCreationOf } from '../checks.ts'
import type { ApiRequest, ChangingEndpoint, Endpoint, JsonObject } from '../endpoint.ts'
import { createRecordDocs, deleteRecordDocs, updateRecordDocs } from '../openapi/docs/records.ts'
import { readHandling, requireRecordKey } from '../parse-request.ts'

/** An endpoint whose `read` returns the input of the `mutate` operation. */
export type RecordEndpoint = Endpoint &
  ChangingEndpoint & { read(request: ApiRequest, body: () => JsonObject): RecordMutation }

export function createEndpoint({ name }: Resource): RecordEndpoint {
  return {
    method: 'POST',
    path: `/${name}.php`,
    scope: { resource: name, action: 'create' },
    operation: recordOperations.mutate,
    hasBody: true,
    read({ call, caller, resources, services }, body) {
      const input = checkNew(resourceNamed(resources, name), body(), readHandling(call.headers))
      const location = `${services.location}${call.path}?id=`
      return { action: 'create', resource: name, ...input, location, ...permissionsOf(caller, name, input) }
    },
    docs: (resources) => createRecordDocs(resourceNamed(resources, name)),
  }
}

export function updateEndpoint({ name, fields }: Resource): RecordEndpoint {
  return {
    method: 'PUT',
    path: `/${name}.php`,
    scope: { resource: name, action: 'update' },
    ...(externalIdField in fields && { parameterScopes: { [externalIdField]: { resource: name, action: 'create' } } }),
    operation: recordOperations.mutate,
    hasBody: true,
    read(request, body) {
      const { call, caller, query, resources } = request
      const resource = resourceNamed(resources, name)
      const key = requireRecordKey(query, resource)
      if (key.column === externalIdField) return readUpsert(request, resource, key, body())
      const input = checkChanges(resource, body(), readHandling(call.headers))
      requireFields(input)
      const ifMatch = call.headers['if-match'] ?? null
      return { action: 'update', resource: name, key, ...input, ifMatch, ...permissionsOf(caller, name, input) }
    },
    docs: (resources) => updateRecordDocs(resourceNamed(resources, name)),
  }
}

export function deleteEndpoint({ name }: Resource): RecordEndpoint {
  return {
    method: 'DELETE',
    path: `/${name}.php`,
    scope: { resource: name, action: 'delete' },
    operation: recordOperations.mutate,
    hasBody: false,
    read: ({ call, query, resources }) => ({
      action: 'delete',
      resource: name,
      key: requireRecordKey(query, resourceNamed(resources, name)),
      ifMatch: call.headers['if-match'] ?? null,
    }),
    docs: (resources) => deleteRecordDocs(resourceNamed(resources, name), resources),
  }
}

/** PUT by external id updates the record, or creates it if it does not exist (contract §14). Only the database knows
 *  whether the record exists, so the body is checked for both cases. */
function readUpsert(
  { call, caller, services }: ApiRequest,
  resource: Resource,
  key: RecordKey & { column: typeof externalIdField },
  body: JsonObject,
): RecordMutation {
  requireSameExternalId(body, key.value)
  const handling = readHandling(call.headers)
  const changes = checkChanges(resource, body, handling)
  const creation = checkNew(resource, { ...body, [externalIdField]: key.value }, handling)
  if (!creation.assignsTag) requireFields(changes) // asking for a tag concerns only a creation
  return {
    action: 'upsert',
    resource: resource.name,
    key,
    changes,
    creation,
    ifMatch: call.headers['if-match'] ?? null,
    mayExist: call.headers['if-none-match']?.trim() !== '*',
    location: `${services.location}${call.path}?id=`,
    ...permissionsOf(caller, resource.name, changes),
  }
}

/** Returns what the caller may read and create besides the record itself. */
function permissionsOf(caller: Caller, resource: string, input: CheckedInput) {
  const mayRead = allows(caller.permissions, { resource, action: 'read' })
  return { mayRead, ...('stockOf' in input && input.stockOf !== undefined && stockCreationOf(caller)) }
}

/** Throws `invalid_request` if the external id in the body differs from the one in the query. */
function requireSameExternalId(body: JsonObject, externalId: string): void {
  if (!Object.hasOwn(body, externalIdField)) return
  const value = body[externalIdField]
  if (typeof value === 'string' && cleanText(value) === externalId) return
  throw invalidRequest(
    'external_id in the body must equal the one in the query; leave it out, or change it with ?id=N.',
  )
}
