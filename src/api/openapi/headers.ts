// Headers of requests and responses (contract §8, §10, §11).

import { type Header, type Parameter, type Reference, ref } from './types.ts'

const count = { type: 'integer', minimum: 0 }

/** Response headers. A `required` header is present on every response that lists it. */
export const responseHeaders = {
  'X-Request-Id': {
    description: "The request's X-Request-Id if it is valid, otherwise a new id. The log also contains this id.",
    required: true,
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,128}$' },
  },
  // Not required: the headers are absent if the request has no usable key or if the key has no limit.
  'X-RateLimit-Limit': { description: 'Requests allowed per window; absent if there is no limit.', schema: count },
  'X-RateLimit-Remaining': { description: 'Requests left in the current window.', schema: count },
  'X-RateLimit-Reset': { description: 'Epoch second at which the window ends.', schema: count },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': {
    description:
      '`Bearer`; with `forbidden` also the missing scopes: `Bearer error="insufficient_scope", scope="hardware:read"`.',
    schema: { type: 'string', pattern: '^Bearer' },
  },
  Location: {
    description: 'URL of the new record.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  ETag: {
    description: 'Changes whenever the response body changes. Exports have no ETag.',
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  Link: {
    description: 'The URL of the next page of a list, if there is one.',
    schema: { type: 'string', pattern: '; rel="next"$' },
  },
  'Change-Set': {
    description: "The UUID of this request's change set, as in the history; absent if nothing changed.",
    schema: { type: 'string', format: 'uuid' },
  },
  'Content-Disposition': {
    description: 'The file name of an export.',
    schema: { type: 'string', pattern: '^attachment; filename="[^"]+"$' },
  },
  'Idempotent-Replayed': {
    description: 'This is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  'Idempotency-Mismatch': {
    description:
      'With `Idempotent-Replayed`: the earlier request had another method, URL or body, so this one was **not** executed.',
    schema: { const: 'true' },
  },
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof responseHeaders

/** Sent with 405. This header is not a component, because no operation refers to it. */
export const allow: Header = { description: 'The methods of this path.', required: true, schema: { type: 'string' } }

const rateLimitNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

/** Returns references to these headers and to X-Request-Id, which every response has. */
export function listHeaders(...names: HeaderName[]): Record<string, Header | Reference> {
  return Object.fromEntries((['X-Request-Id', ...names] as const).map((name) => [name, ref('headers', name)]))
}

export function listRateLimit(): Record<string, Reference> {
  return Object.fromEntries(rateLimitNames.map((name) => [name, ref('headers', name)]))
}

export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A UUID of your choice. For 24 hours, any request of the tenant with the same UUID receives the first response ' +
      'again and is not executed, even if it differs (`Idempotency-Mismatch`): use a new UUID for each change. ' +
      'Successful responses and errors about records are stored; other errors are not.',
    schema: { type: 'string', format: 'uuid' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETags. The record is changed only if its current ETag is one of them. `*` matches any ETag.',
    schema: { type: 'string', minLength: 1 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'ETags of the versions you already have. If the current ETag is among them, the response is 304 without a body.',
    schema: { type: 'string', minLength: 1 },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=strict` (RFC 7240) rejects unknown fields with `unknown_field` and suggests the closest name. By default, ' +
      'unknown fields are ignored. Read-only fields are always ignored.',
    schema: { type: 'string', examples: ['handling=strict'] },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Returned with the response and written to the log. Replaced unless it has 1–128 visible ASCII characters.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,128}$' },
  },
} as const satisfies Record<string, Parameter>
