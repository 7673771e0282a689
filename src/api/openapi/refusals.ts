// The error responses of an operation: status, codes, headers, body, and one example per code.

import { envelope, Problem, type ProblemCode, problems } from '../../problem.ts'
import { externalReferences, type Resource } from '../../resources/resource.ts'
import type { EndpointDocs } from '../endpoint.ts'
import { resultsSchema } from './bulk-schemas.ts'
import type { Description } from './description.ts'
import { allow, type HeaderName, listHeaders, listRateLimit } from './headers.ts'
import { object } from './schemas.ts'
import { type Example, type Examples, type Exchange, type Response, type Responses, ref, type Schema } from './types.ts'

/** Error responses of every authenticated endpoint, by component name. */
const shared = {
  Unauthorized: ['unauthorized', 'invalid_key_format', 'invalid_key', 'key_revoked'],
  Forbidden: ['tenant_suspended', 'forbidden'],
  TooManyRequests: ['rate_limited'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  TenantUnavailable: ['tenant_unavailable', 'server_busy'],
} as const satisfies Record<string, ProblemCode[]>

/** The response components. */
export function sharedResponses(): Record<string, Response> {
  return Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, refusal(codes)]))
}

/** The error responses with these codes plus the shared ones, by status. */
export function refusalsFor(codes: ProblemCode[], details: Details): Responses {
  const byStatus = Object.groupBy([...sharedBeside(codes), ...codes], (code) => String(problems[code].status))
  const own = Object.entries(byStatus).map(([status, codes]) => [status, refusal(codes!, details)])
  return { ...refusalsOfAll(), ...Object.fromEntries(own) }
}

/** The shared codes that have the same status as one of these codes. */
function sharedBeside(codes: ProblemCode[]): ProblemCode[] {
  const statuses = new Set<number>(codes.map((code) => problems[code].status))
  return Object.values<readonly ProblemCode[]>(shared).flatMap((group) =>
    group.filter((code) => statuses.has(problems[code].status)),
  )
}

/** The responses to requests that match no operation: an unknown path, an unsupported method, invalid HTTP. */
export function unlistedResponses(description: Description): Responses {
  return {
    ...refusalsOfAll(),
    ...(description.hasCors && { 204: { description: "A browser's preflight.", headers: listHeaders() } }),
    400: refusal(['invalid_request']),
    404: refusal(['not_found']),
    405: refusal(['method_not_allowed']),
    408: refusal(['invalid_request'], { status: 408 }),
    417: refusal(['invalid_request'], { status: 417 }),
  }
}

function refusalsOfAll(): Responses {
  const entries = Object.entries(shared).map(([name, [code]]) => [problems[code].status, ref('responses', name)])
  return Object.fromEntries(entries)
}

/** `status`: set for errors of the HTTP parser, which all have the code `invalid_request`. */
type Details = Pick<EndpointDocs, 'resource' | 'errorMembers'> & { exchanges?: Exchange[]; status?: number }

/** One response for several codes with the same status. */
export function refusal(codes: readonly ProblemCode[], details: Details = {}): Response {
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

const headersOfStatus: Record<number, HeaderName[]> = { 429: ['Retry-After'], 503: ['Retry-After'] }

/** Statuses that can be sent after rate limiting. */
const counted = [400, 403, 404, 405, 409, 412, 413, 422, 429, 500, 503]

function refusalHeaders(status: number): Response['headers'] {
  const isKept = Object.values(problems).some((each) => each.kept && each.status === status)
  return {
    ...listHeaders(...(headersOfStatus[status] ?? []), ...(isKept ? (['Idempotent-Replayed'] as const) : [])),
    ...(status === 405 && { Allow: allow }),
    ...(counted.includes(status) && listRateLimit()),
  }
}

function refusalSchema(codes: readonly ProblemCode[], status: number, details: Details): Schema {
  const plain = codes.filter((code) => !membersOf(code, details))
  const schemas: Schema[] = [
    ...(plain.length > 0 ? [narrowed(plain, status)] : []),
    ...codes.flatMap((code): Schema[] => {
      const members = membersOf(code, details)
      return members ? [object({ error: errorSchema([code], status), ...members })] : []
    }),
  ]
  return schemas.length === 1 ? schemas[0]! : { oneOf: schemas }
}

/** The standard envelope, restricted to these codes. */
function narrowed(codes: readonly ProblemCode[], status: number): Schema {
  return { allOf: [ref('schemas', 'Error'), object({ error: errorSchema(codes, status) })] }
}

function errorSchema(codes: readonly ProblemCode[], status: number): Schema {
  return object({ code: { enum: codes }, message: { type: 'string' }, status: { const: status } })
}

/** What prevents the deletion of a record. */
const dependents: Schema = {
  type: 'array',
  items: object({ resource: { type: 'string' }, count: { type: 'integer', minimum: 1 } }),
  description: 'How many records of each resource refer to this one.',
}

/** The members that a code adds to the standard envelope. */
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
  const name = { type: 'string', ...(resource && { examples: fieldNames(resource) }) }
  return {
    errors: {
      type: 'object',
      minProperties: 1,
      propertyNames: name,
      additionalProperties: ref('schemas', 'FieldError'),
      description: 'The error of each invalid field.',
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

/** The fields that can be invalid, and the references by external ids. */
function fieldNames(resource: Resource): string[] {
  return [...Object.keys(resource.fields), ...externalReferences(resource).map(({ name }) => name)]
}

/** The exchanges of each code, or an example without a request if it has none. Of several with one name, the first. */
function examplesOf(codes: readonly ProblemCode[], status: number, exchanges: Exchange[]): Examples {
  return Object.fromEntries(
    codes.flatMap((code): [string, Example][] => {
      const own = exchanges.filter(({ answer }) => codeOf(answer) === code)
      if (own.length === 0) return [[code, { value: JSON.parse(envelope(sampleProblem(code, status))) }]]
      const first = own.filter(({ name }, at) => own.findIndex((each) => each.name === name) === at)
      return first.map(({ name, answer, request }) => [name, { value: answer, 'x-request': request }])
    }),
  )
}

/** The members of examples without a request. */
const sampleMembers: { readonly [Code in ProblemCode]?: Record<string, unknown> } = {
  conflict: { details: problems.conflict.message },
  service_unavailable: { components: [{ component: 'catalog', status: 'error', message: 'It does not answer.' }] },
}

function sampleProblem(code: ProblemCode, status: number): Problem {
  return new Problem(code, { status, members: sampleMembers[code] ?? {} })
}

function codeOf(answer: unknown): string | undefined {
  return (answer as { error?: { code: string } }).error?.code
}
