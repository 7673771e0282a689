// Derives an endpoint's OpenAPI operation from the endpoint's declaration and documentation.

import { scopesFor } from '../../access/scopes.ts'
import type { ProblemCode } from '../../problem.ts'
import type { Endpoint, EndpointDocs, SuccessResponse } from '../endpoint.ts'
import type { Description } from './description.ts'
import { listHeaders, listRateLimit } from './headers.ts'
import { refusalsFor } from './refusals.ts'
import {
  type Examples,
  type Exchange,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
  type Response,
  ref,
} from './types.ts'

/** Returns an endpoint's operation, by its method. */
export function operationsOf(endpoint: Endpoint, docs: EndpointDocs, description: Description): PathItem {
  return { [endpoint.method.toLowerCase()]: operationOf(endpoint, docs, description) }
}

function operationOf(endpoint: Endpoint, docs: EndpointDocs, description: Description): Operation {
  const scopes = scopesOf(endpoint)
  const parameterScopes = Object.entries(endpoint.parameterScopes ?? {}).map(
    ([name, scope]) => [name, scopesFor(scope)] as const,
  )
  const { resource, errorMembers, exchanges } = docs
  return {
    operationId: docs.id,
    summary: docs.summary,
    description: [docs.description, scopesSentence(scopes), ...parameterScopes.map(parameterScopesSentence)].join(' '),
    tags: [docs.tag.name],
    'x-required-scopes': scopes,
    ...(parameterScopes.length > 0 && { 'x-parameter-scopes': Object.fromEntries(parameterScopes) }),
    parameters: parametersOf(endpoint, docs),
    ...(docs.body && requestBody(docs.body)),
    responses: {
      ...Object.fromEntries(
        Object.entries(docs.responses).map(([status, response]) => [
          status,
          success(Number(status), response, endpoint, exchanges),
        ]),
      ),
      ...refusalsFor(errorsOf(endpoint, docs, description), {
        ...(resource && { resource }),
        ...(errorMembers && { errorMembers }),
        exchanges,
      }),
    },
  }
}

/** Returns the alternative scopes: a key needs only one of them. */
function scopesOf({ scope, eitherScopes = [] }: Endpoint): string[] {
  const permittingAll = eitherScopes.flatMap((needed) => {
    const [candidates = [], ...rest] = needed.map(scopesFor)
    return candidates.filter((candidate) => rest.every((scopes) => scopes.includes(candidate)))
  })
  return [...new Set([...(scope ? scopesFor(scope) : []), ...permittingAll])]
}

function scopesSentence(scopes: string[]): string {
  if (scopes.length === 0) return 'Any API key can be used.'
  return `The key needs one of the scopes ${listAsCode(scopes)}.`
}

function parameterScopesSentence([parameter, scopes]: readonly [string, string[]]): string {
  return `With \`${parameter}\`, the key also needs one of ${listAsCode(scopes)}.`
}

function listAsCode(names: string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

function parametersOf(endpoint: Endpoint, { parameters = [], precondition }: EndpointDocs): Operation['parameters'] {
  return [
    ...parameters.map(withExample),
    ...('operation' in endpoint ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(precondition ? [ref('parameters', precondition)] : []),
    ref('parameters', 'RequestId'),
  ]
}

/** Some tools refuse a parameter that selects a record and has no example. */
function withExample(parameter: Parameter | Reference): Parameter | Reference {
  return 'name' in parameter && parameter.name === 'id' ? { ...parameter, example: 1 } : parameter
}

/** A file is optional, because a request can refer to a file that was uploaded earlier. */
function requestBody({ schema, examples, type }: NonNullable<EndpointDocs['body']>): Pick<Operation, 'requestBody'> {
  const content = { schema, examples }
  if (type) return { requestBody: { required: false, description: 'A file.', content: { [type]: content } } }
  const description = 'A JSON object of fields.'
  return { requestBody: { required: true, description, content: { 'application/json': content } } }
}

function success(
  status: number,
  { description, schema, otherTypes = {}, headers = [], links }: SuccessResponse,
  endpoint: Endpoint,
  exchanges: Exchange[],
): Response {
  const names =
    'operation' in endpoint
      ? ([...headers, 'Change-Set', 'Idempotent-Replayed', 'Idempotency-Mismatch'] as const)
      : headers
  const otherContent = Object.fromEntries(
    Object.entries(otherTypes).map(([type, otherSchema]) => [
      type,
      { schema: otherSchema, examples: examplesOf(exchanges, status, type) },
    ]),
  )
  return {
    description,
    headers: { ...listHeaders(...names), ...listRateLimit() },
    ...(schema && {
      content: { 'application/json': { schema, examples: examplesOf(exchanges, status) }, ...otherContent },
    }),
    ...(links && { links }),
  }
}

/** Returns the exchanges with this status as examples. `type`: the media type of the body; undefined for JSON. */
function examplesOf(exchanges: Exchange[], status: number, type?: string): Examples {
  const successes = exchanges.filter((exchange) => exchange.status === status && exchange.type === type)
  return Object.fromEntries(
    successes.map(({ name, answer, request }) => [name, { value: answer, 'x-request': request }]),
  )
}

/** Returns the endpoint's error codes. If reused Idempotency-Keys are rejected, `idempotency_key_reused` follows the
 *  errors about the input. */
function errorsOf(endpoint: Endpoint, { errors }: EndpointDocs, { reuse }: Description): ProblemCode[] {
  if (!('operation' in endpoint) || reuse === 'replay') return errors
  const position = errors.indexOf('validation_failed') + 1 || errors.length
  return errors.toSpliced(position, 0, 'idempotency_key_reused')
}
