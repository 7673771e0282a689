// Derives an endpoint's OpenAPI operation from the endpoint's declaration and documentation.

import { scopesFor } from '../../access/api-key.ts'
import type { Config } from '../../config.ts'
import type { ProblemCode } from '../../problem.ts'
import { actionOf, type Endpoint, type EndpointDocs, type RequestBody, type SuccessResponse } from '../endpoint.ts'
import { listHeaders, listRateLimit } from './headers.ts'
import { type DocumentedEndpoint, type DocumentedEndpoints, mergeDocs } from './merge-docs.ts'
import { refusalsFor } from './refusals.ts'
import {
  type ActionOperation,
  type Examples,
  type Exchange,
  type OpenApiOperation,
  type Parameter,
  type Reference,
  type Response,
  type Responses,
  ref,
} from './types.ts'

/** Returns the operation of a path and method. OpenAPI allows only one, so it covers all actions; `x-actions` describes
 *  each of them. */
export function describeOperation(endpoints: DocumentedEndpoints, config: Config): OpenApiOperation {
  const [{ endpoint }] = endpoints
  const actions = endpoints.filter((each) => actionOf(each.endpoint) !== undefined)
  const scopes =
    actions.length < endpoints.length ? scopesOf(endpoint) : endpoints.flatMap((each) => scopesOf(each.endpoint))
  const parameterScopes = parameterScopesOf(endpoint)
  const docs = mergeDocs(endpoints)
  const { resource, errorMembers, exchanges } = docs
  return {
    operationId: docs.id,
    summary: docs.summary,
    description: endpoints.map(descriptionOf).join('\n\n'),
    tags: [docs.tag.name],
    'x-required-scopes': [...new Set(scopes)],
    ...(parameterScopes.length > 0 && { 'x-parameter-scopes': Object.fromEntries(parameterScopes) }),
    ...(actions.length > 0 && { 'x-actions': Object.fromEntries(actions.map(actionEntry)) }),
    parameters: parametersOf(endpoint, docs),
    ...(docs.body && requestBody(docs.body)),
    responses: {
      ...successes(endpoint, docs),
      ...refusalsFor(errorsOf(endpoint, docs, config), {
        ...(resource && { resource }),
        ...(errorMembers && { errorMembers }),
        exchanges,
      }),
    },
  }
}

/** Returns an action with what distinguishes it from the other endpoints of its path and method. */
function actionEntry({ endpoint, docs }: DocumentedEndpoint): [string, ActionOperation] {
  const operation = {
    operationId: docs.id,
    summary: docs.summary,
    'x-required-scopes': scopesOf(endpoint),
    parameters: parametersOf(endpoint, docs),
    ...(docs.body && requestBody(docs.body)),
    responses: successes(endpoint, docs),
  }
  return [String(actionOf(endpoint)), operation]
}

function successes(endpoint: Endpoint, { responses, exchanges }: EndpointDocs): Responses {
  const entries = Object.entries(responses).map(([status, response]) => [
    status,
    success(Number(status), response, endpoint, exchanges),
  ])
  return Object.fromEntries(entries)
}

function descriptionOf({ endpoint, docs }: DocumentedEndpoint): string {
  const sentences = [scopesSentence(scopesOf(endpoint)), ...parameterScopesOf(endpoint).map(parameterScopesSentence)]
  return [choiceOf(endpoint) + docs.description, ...sentences].join(' ')
}

/** Returns the words that say which requests the endpoint answers, if its path and method have several endpoints. */
function choiceOf(endpoint: Endpoint): string {
  if (!('operation' in endpoint) || endpoint.action === undefined) return ''
  return endpoint.chosenBy ? `With \`${endpoint.chosenBy}\`: ` : `With \`action=${endpoint.action}\`: `
}

function parameterScopesOf({ parameterScopes = {} }: Endpoint): [parameter: string, scopes: string[]][] {
  return Object.entries(parameterScopes).map(([name, scope]) => [name, scopesFor(scope)])
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

function parameterScopesSentence([parameter, scopes]: [string, string[]]): string {
  return `With \`${parameter}\`, the key also needs one of ${listAsCode(scopes)}.`
}

function listAsCode(names: string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

function parametersOf(
  endpoint: Endpoint,
  { parameters = [], precondition }: EndpointDocs,
): OpenApiOperation['parameters'] {
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

function requestBody({ schema, examples, type, isOptional }: RequestBody): Pick<OpenApiOperation, 'requestBody'> {
  const content = { schema, examples }
  const required = !isOptional
  if (type) return { requestBody: { required, description: 'A file.', content: { [type]: content } } }
  const description = 'A JSON object of fields.'
  return { requestBody: { required, description, content: { 'application/json': content } } }
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
function errorsOf(endpoint: Endpoint, { errors }: EndpointDocs, { IDEMPOTENCY_REUSE: reuse }: Config): ProblemCode[] {
  if (!('operation' in endpoint) || reuse === 'replay') return errors
  const position = errors.indexOf('validation_failed') + 1 || errors.length
  return errors.toSpliced(position, 0, 'idempotency_key_reused')
}
