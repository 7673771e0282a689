// Reads one operation of a bulk request with the endpoint of the equivalent single request, so that the errors are the
// same.

import type { ParsedUrlQuery } from 'node:querystring'
import type { Scope } from '../../access/api-key.ts'
import type { FieldError } from '../../domain/fields/field-values.ts'
import { quote, unknownNames } from '../../domain/fields/unknown-names.ts'
import { validationFailed } from '../../domain/fields/validate.ts'
import type { RecordMutation } from '../../domain/records/operations.ts'
import { type Refusal, refusalOf } from '../../engine/responses/stored-response.ts'
import { invalidRequest, Problem } from '../../problem.ts'
import { requireScopes, scopesNeeded } from '../checks.ts'
import type { ApiRequest, JsonObject } from '../endpoint.ts'
import type { RecordEndpoint } from '../endpoints/change-records.ts'
import { isObject, parseJson, readHandling, requireObject, tooLarge } from '../parse-request.ts'
import type { OperationText } from './split-operations.ts'

/** `scopes`: the scopes that the equivalent single request requires. */
export type ReadOperation = { change: RecordMutation | Refusal; scopes: Scope[] }

const memberNames = ['method', 'resource', 'id', 'external_id', 'if_match', 'if_none_match', 'body'] as const

type Members = { readonly [Name in (typeof memberNames)[number]]?: unknown }

/** Limits of one operation. They leave enough room for a record, which has about 30 fields. */
const operationLimits = { nesting: 32, members: 200 }

/** `place`: where in the body the operation is, such as `operations[3]`. Throws `invalid_json`, and `invalid_request`
 *  if the operation is malformed. Any other problem becomes the refusal of this operation. */
export function readOperation(
  { bytes, nesting, members }: OperationText,
  place: string,
  request: ApiRequest,
  endpoints: readonly RecordEndpoint[],
): ReadOperation {
  if (nesting > operationLimits.nesting || members > operationLimits.members) {
    const { nesting: maxLevels, members: maxMembers } = operationLimits
    throw invalidRequest(
      `${place} may be nested at most ${maxLevels} levels deep and have at most ${maxMembers} members in all.`,
    )
  }
  const operation = requireOperation(parseJson(bytes.toString()), place)
  const endpoint = endpointOf(operation, place, endpoints)
  const query = queryOf(operation)
  const scopes = scopesNeeded(endpoint, query)
  try {
    requireScopes(request.caller, scopes)
    const { BODY_LIMIT_BYTES } = request.services.config
    if (bytes.length > BODY_LIMIT_BYTES) throw tooLarge(place, BODY_LIMIT_BYTES)
    return { change: readAsSeparateRequest(operation, endpoint, query, request), scopes }
  } catch (error) {
    return { change: refusalOf(error), scopes }
  }
}

function requireOperation(value: unknown, place: string): Members {
  if (isObject(value)) return value
  throw invalidRequest(`${place} must be an object such as {"method": "DELETE", "resource": "customers", "id": 7}.`)
}

function endpointOf(
  { method, resource }: Members,
  place: string,
  endpoints: readonly RecordEndpoint[],
): RecordEndpoint {
  const resourceEndpoints = endpoints.filter(({ scope }) => scope!.resource === resource)
  if (resourceEndpoints.length === 0) {
    const names = [...new Set(endpoints.map(({ scope }) => scope!.resource))]
    throw invalidRequest(`${place}.resource must be one of ${names.join(', ')}; it is ${describeValue(resource)}.`)
  }
  const endpoint = resourceEndpoints.find((candidate) => candidate.method === method)
  if (endpoint) return endpoint
  const methods = resourceEndpoints.map((candidate) => candidate.method)
  throw invalidRequest(`${place}.method must be one of ${methods.join(', ')}; it is ${describeValue(method)}.`)
}

/** Returns the query of the equivalent single request, which selects the record. */
function queryOf({ id, external_id: externalId }: Members): ParsedUrlQuery {
  return {
    ...(isGiven(id) && { id: idText(id) }),
    ...(isGiven(externalId) && { external_id: String(externalId) }),
  }
}

/** Accepts an integer of any size, or text. */
function idText(id: unknown): string {
  if (typeof id === 'string') return id
  return typeof id === 'number' && Number.isInteger(id) ? BigInt(id).toString() : JSON.stringify(id)
}

function readAsSeparateRequest(
  operation: Members,
  endpoint: RecordEndpoint,
  query: ParsedUrlQuery,
  request: ApiRequest,
): RecordMutation {
  const { call } = request
  if (readHandling(call.headers) === 'strict') requireKnownMembers(operation)
  requireText('external_id', operation.external_id)
  const headers = {
    prefer: call.headers.prefer,
    'if-match': requireText('if_match', operation.if_match),
    'if-none-match': requireText('if_none_match', operation.if_none_match),
  }
  const separateRequest = { ...request, call: { ...call, path: endpoint.path, search: '', headers }, query }
  return endpoint.read(separateRequest, () => requireBody(operation))
}

/** Throws `validation_failed` for unknown members. */
function requireKnownMembers(operation: Members): void {
  const errors = unknownNames(operation, memberNames).listed.map(({ name, suggestion }): [string, FieldError] => {
    const message = `An operation has no such member${suggestion}.`
    return [name, { code: 'unknown_field', message }]
  })
  if (errors.length > 0) throw validationFailed(errors)
}

/** Throws `invalid_request` unless the value is absent or well-formed text. Unlike query strings and headers, JSON can
 *  contain unpaired surrogates. */
function requireText(name: string, value: unknown): string | undefined {
  if (!isGiven(value)) return undefined
  if (typeof value === 'string' && value.isWellFormed()) return value
  throw invalidRequest(`${name} must be text; it is ${describeValue(value)}.`)
}

function requireBody(operation: Members): JsonObject {
  if (operation.body !== undefined) return requireObject(operation.body)
  const message = 'The operation has no body; give it as an object such as {"name": "value"}.'
  throw new Problem('invalid_json', { message })
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing'
  return typeof value === 'string' ? quote(value) : JSON.stringify(value).slice(0, 60)
}
