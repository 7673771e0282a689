// The operation of an endpoint: what its declaration documents, and what follows from the declaration.

import { scopesFor } from '../../access/scopes.ts'
import type { ProblemCode } from '../../problem.ts'
import { type Endpoint, type EndpointDocs, methodsOf, type SuccessResponse } from '../endpoint.ts'
import type { Description } from './description.ts'
import { listHeaders, listRateLimit } from './headers.ts'
import { refusalsFor } from './refusals.ts'
import { type Examples, type Exchange, type Operation, type PathItem, type Response, ref } from './types.ts'

/** The operations of an endpoint by method. GET has one for HEAD too. */
export function operationsOf(endpoint: Endpoint, docs: EndpointDocs, description: Description): PathItem {
  const operation = operationOf(endpoint, docs, description)
  return Object.fromEntries(
    methodsOf(endpoint).map((method) => [
      method.toLowerCase(),
      method === 'HEAD' ? withoutBodies(operation) : operation,
    ]),
  )
}

function operationOf(endpoint: Endpoint, docs: EndpointDocs, description: Description): Operation {
  const scopes = scopesOf(endpoint)
  const more = Object.entries(endpoint.parameterScopes ?? {}).map(([name, scope]) => [name, scopesFor(scope)] as const)
  const { resource, errorMembers, exchanges } = docs
  return {
    operationId: docs.id,
    summary: docs.summary,
    description: [docs.description, scopesSentence(scopes), ...more.map(moreScopesSentence)].join(' '),
    tags: [docs.tag.name],
    'x-required-scopes': scopes,
    ...(more.length > 0 && { 'x-parameter-scopes': Object.fromEntries(more) }),
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

/** The scopes of which one is enough. */
function scopesOf({ scope, eitherScopes = [] }: Endpoint): string[] {
  const permittingAll = eitherScopes.flatMap((needed) => {
    const [first = [], ...others] = needed.map(scopesFor)
    return first.filter((each) => others.every((other) => other.includes(each)))
  })
  return [...new Set([...(scope ? scopesFor(scope) : []), ...permittingAll])]
}

/** The required scopes as a sentence. */
function scopesSentence(scopes: string[]): string {
  if (scopes.length === 0) return 'Any key may use it.'
  return `The key needs one of the scopes ${quoted(scopes)}.`
}

function moreScopesSentence([parameter, scopes]: readonly [string, string[]]): string {
  return `With \`${parameter}\` it also needs one of ${quoted(scopes)}.`
}

function quoted(names: string[]): string {
  return names.map((each) => `\`${each}\``).join(', ')
}

function parametersOf(endpoint: Endpoint, { parameters = [], precondition }: EndpointDocs): Operation['parameters'] {
  return [
    ...parameters,
    ...('operation' in endpoint ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(precondition ? [ref('parameters', precondition)] : []),
    ref('parameters', 'RequestId'),
  ]
}

/** A file is optional, because a request can refer to one that was uploaded before. */
function requestBody({ schema, examples, type }: NonNullable<EndpointDocs['body']>): Pick<Operation, 'requestBody'> {
  const content = { schema, examples }
  if (type) return { requestBody: { required: false, description: 'A file.', content: { [type]: content } } }
  const description = 'A JSON object of fields.'
  return { requestBody: { required: true, description, content: { 'application/json': content } } }
}

function success(
  status: number,
  { description: words, schema, otherTypes = {}, headers = [], links }: SuccessResponse,
  endpoint: Endpoint,
  exchanges: Exchange[],
): Response {
  const names = 'operation' in endpoint ? ([...headers, 'Change-Set', 'Idempotent-Replayed'] as const) : headers
  const others = Object.fromEntries(
    Object.entries(otherTypes).map(([type, each]) => [
      type,
      { schema: each, examples: examplesOf(exchanges, status, type) },
    ]),
  )
  return {
    description: words,
    headers: { ...listHeaders(...names), ...listRateLimit() },
    ...(schema && { content: { 'application/json': { schema, examples: examplesOf(exchanges, status) }, ...others } }),
    ...(links && { links }),
  }
}

/** The exchanges with this status as examples. `type`: of the body; undefined for JSON. */
function examplesOf(exchanges: Exchange[], status: number, type?: string): Examples {
  const successes = exchanges.filter((each) => each.status === status && each.type === type)
  return Object.fromEntries(
    successes.map(({ name, answer, request }) => [name, { value: answer, 'x-request': request }]),
  )
}

/** The endpoint's error codes, with the one of a reused Idempotency-Key behind those of the input. */
function errorsOf(endpoint: Endpoint, { errors }: EndpointDocs, { reuse }: Description): ProblemCode[] {
  if (!('operation' in endpoint) || reuse === 'replay') return errors
  const at = errors.indexOf('validation_failed') + 1 || errors.length
  return errors.toSpliced(at, 0, 'idempotency_key_reused')
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
