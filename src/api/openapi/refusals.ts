// The error responses of an operation: status, codes, headers, body, and examples of each code.

import type { Config } from '../../config.ts'
import { writeOnlyMembers } from '../../domain/declarations/resource.ts'
import { envelope, Problem, type ProblemCode, problems } from '../../problem.ts'
import type { EndpointDocs } from '../endpoint.ts'
import { resultsSchema } from './docs/bulk.ts'
import { allow, type HeaderName, listHeaders, listRateLimit } from './headers.ts'
import { object } from './schemas/kinds.ts'
import { openCodes } from './schemas/schemas.ts'
import { type Example, type Examples, type Exchange, type Response, type Responses, ref, type Schema } from './types.ts'

/** Error responses of every authenticated endpoint, by component name. */
const sharedCodes = {
  Unauthorized: ['unauthorized', 'invalid_key_format', 'invalid_key', 'key_revoked'],
  Forbidden: ['tenant_suspended', 'forbidden'],
  TooManyRequests: ['rate_limited'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  TenantUnavailable: ['tenant_unavailable', 'server_busy'],
} as const satisfies Record<string, ProblemCode[]>

export function sharedResponses(): Record<string, Response> {
  return Object.fromEntries(Object.entries(sharedCodes).map(([name, codes]) => [name, refusalResponse(codes)]))
}

/** Returns the error responses with these codes and the shared codes, by status. */
export function refusalsFor(codes: ProblemCode[], details: Details): Responses {
  const byStatus = Object.groupBy([...sharedCodesWithStatusOf(codes), ...codes], (code) =>
    String(problems[code].status),
  )
  const responses = Object.entries(byStatus).map(([status, codes]) => [status, refusalResponse(codes!, details)])
  return { ...refusalsOfAll(), ...Object.fromEntries(responses) }
}

function sharedCodesWithStatusOf(codes: ProblemCode[]): ProblemCode[] {
  const statuses = new Set<number>(codes.map((code) => problems[code].status))
  return Object.values<readonly ProblemCode[]>(sharedCodes).flatMap((group) =>
    group.filter((code) => statuses.has(problems[code].status)),
  )
}

/** Returns the responses to requests that match no operation: an unknown path, an unsupported method, or invalid
 *  HTTP. */
export function responsesWithoutOperation({ CORS_ORIGINS }: Config): Responses {
  return {
    ...refusalsOfAll(),
    ...(CORS_ORIGINS.length > 0 && { 204: { description: "A browser's preflight.", headers: listHeaders() } }),
    400: refusalResponse(['invalid_request']),
    404: refusalResponse(['not_found']),
    405: refusalResponse(['method_not_allowed']),
    408: refusalResponse(['invalid_request'], { status: 408 }),
    417: refusalResponse(['invalid_request'], { status: 417 }),
  }
}

function refusalsOfAll(): Responses {
  const entries = Object.entries(sharedCodes).map(([name, [code]]) => [problems[code].status, ref('responses', name)])
  return Object.fromEntries(entries)
}

/** `status`: replaces the code's usual status. HTTP parser errors have different statuses, but all have the code
 *  `invalid_request`. */
type Details = Pick<EndpointDocs, 'resource' | 'errorMembers'> & { exchanges?: Exchange[]; status?: number }

/** Returns one response for several codes with the same status. */
function refusalResponse(codes: readonly ProblemCode[], details: Details = {}): Response {
  const { exchanges = [], status = problems[codes[0]!].status } = details
  const sentences = codes.map((code) => `\`${code}\`: ${problems[code].message}`)
  const schema = refusalSchema(codes, status, details)
  return {
    description: sentences.join(' '),
    headers: refusalHeaders(status),
    content: { 'application/json': { schema, examples: examplesOf(codes, status, exchanges) } },
    'x-error-codes': [...codes],
  }
}

const headersOfStatus: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** Statuses that can be sent after the request has been counted by the rate limit. */
const statusesWithRateLimit = [400, 403, 404, 405, 409, 412, 413, 422, 429, 500, 503]

function refusalHeaders(status: number): Response['headers'] {
  const isStored = Object.values(problems).some((problem) => problem.isStored && problem.status === status)
  return {
    ...listHeaders(
      ...(headersOfStatus[status] ?? []),
      ...(isStored ? (['Idempotent-Replayed', 'Idempotency-Mismatch'] as const) : []),
    ),
    ...(status === 405 && { Allow: allow }),
    ...(statusesWithRateLimit.includes(status) && listRateLimit()),
  }
}

function refusalSchema(codes: readonly ProblemCode[], status: number, details: Details): Schema {
  const codesWithoutMembers = codes.filter((code) => !membersOf(code, details))
  const schemas: Schema[] = [
    ...(codesWithoutMembers.length > 0 ? [narrowedError(codesWithoutMembers, status)] : []),
    ...codes.flatMap((code): Schema[] => {
      const members = membersOf(code, details)
      return members ? [object({ error: errorSchema([code], status), ...members })] : []
    }),
  ]
  return schemas.length === 1 ? schemas[0]! : { oneOf: schemas }
}

/** Returns the schema of the standard error envelope, limited to these codes. */
function narrowedError(codes: readonly ProblemCode[], status: number): Schema {
  return { allOf: [ref('schemas', 'Error'), object({ error: errorSchema(codes, status) })] }
}

function errorSchema(codes: readonly ProblemCode[], status: number): Schema {
  return object({
    code: { enum: codes, description: openCodes },
    message: { type: 'string' },
    status: { const: status },
  })
}

/** The schema of `dependents`, which counts the records that prevent a deletion. */
const dependents: Schema = {
  type: 'array',
  items: object({ resource: { type: 'string' }, count: { type: 'integer', minimum: 1 } }),
  description: 'How many records of each resource refer to this one.',
}

/** Returns the members that a code adds to the standard envelope. */
function membersOf(code: ProblemCode, { resource, errorMembers }: Details): Record<string, Schema> | undefined {
  if (errorMembers?.[code]) return errorMembers[code]
  if (code === 'conflict') {
    return {
      details: { type: 'string', description: 'What the request conflicts with.' },
      ...(resource && { dependents }),
    }
  }
  if (code === 'bulk_failed') return { results: resultsSchema }
  if (code !== 'validation_failed') return undefined
  const name = {
    type: 'string',
    ...(resource && { examples: [...Object.keys(resource.fields), ...writeOnlyMembers(resource)] }),
  }
  return {
    errors: {
      type: 'object',
      minProperties: 1,
      propertyNames: name,
      additionalProperties: ref('schemas', 'FieldError'),
      description: 'One error for each invalid field.',
    },
    fields: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: name,
      description: 'The names of the invalid fields.',
    },
  }
}

/** Returns the examples for each code. Only the first exchange with each name becomes an example; a code without
 *  exchanges gets an example without a request. */
function examplesOf(codes: readonly ProblemCode[], status: number, exchanges: Exchange[]): Examples {
  return Object.fromEntries(
    codes.flatMap((code): [string, Example][] => {
      const codeExchanges = exchanges.filter(({ answer }) => codeOf(answer) === code)
      if (codeExchanges.length === 0) return [[code, { value: JSON.parse(envelope(sampleProblem(code, status))) }]]
      const names = codeExchanges.map(({ name }) => name)
      const uniqueExchanges = codeExchanges.filter(({ name }, index) => names.indexOf(name) === index)
      return uniqueExchanges.map(({ name, answer, request }) => [name, { value: answer, 'x-request': request }])
    }),
  )
}

/** Messages of examples without a request, if the service never sends the default message. */
const sampleMessages: { readonly [Code in ProblemCode]?: string } = {
  forbidden: 'This request needs customers:read. The API key has hardware:read.',
  rate_limited: 'This API key may send 100 requests a minute. The current window ends at 2026-11-22T10:15:30Z.',
  payload_too_large: 'The body is larger than 1048576 bytes, which is the limit.',
  invalid_json: 'The body is not valid JSON at line 1, column 14: remove the comma before }.',
}

/** Additional members of examples without a request. */
const sampleMembers: { readonly [Code in ProblemCode]?: Record<string, unknown> } = {
  conflict: { details: problems.conflict.message },
  service_unavailable: { components: [{ component: 'catalog', status: 'error', message: 'It is not responding.' }] },
}

function sampleProblem(code: ProblemCode, status: number): Problem {
  const message = sampleMessages[code]
  return new Problem(code, { status, members: sampleMembers[code] ?? {}, ...(message && { message }) })
}

function codeOf(answer: unknown): string | undefined {
  return (answer as { error?: { code: string } }).error?.code
}
