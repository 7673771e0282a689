// The format of error responses (§7, contract §8), and the errors that all endpoints share.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Client, Response, startService } from '../service.ts'

export type TestService = Awaited<ReturnType<typeof startService>>

/** Every code with its status, copied by hand from §7 and the contract. */
export const statuses = {
  unauthorized: 401,
  invalid_key_format: 401,
  invalid_key: 401,
  key_revoked: 401,
  tenant_suspended: 403,
  tenant_unavailable: 503,
  forbidden: 403,
  rate_limited: 429,
  method_not_allowed: 405,
  invalid_json: 400,
  payload_too_large: 413,
  headers_too_large: 431,
  query_too_slow: 503,
  server_busy: 503,
  service_unavailable: 503,
  internal_error: 500,
  not_found: 404,
  missing_id: 400,
  no_fields: 400,
  invalid_request: 400,
  validation_failed: 422,
  invalid_customer: 422,
  invalid_employee: 422,
  bulk_failed: 422,
  not_applied: 424,
  conflict: 409,
  precondition_failed: 412,
  idempotency_key_reused: 422,
} as const

export type Code = keyof typeof statuses

/** The complete `details` of a refused deletion; both engines return the same text. */
export const foreignKeySentence =
  /^FOREIGN KEY constraint failed: other records refer to this \w+: (\w+ \(\d+\)(, )?)+\.$/

/** Error codes that `assertRefused` has checked so far. */
export const seenCodes = new Set<Code>()

const additionalMembers: Partial<Record<Code, string[]>> = {
  validation_failed: ['errors', 'fields'],
  bulk_failed: ['results'],
  service_unavailable: ['components'],
}
const retryAfter: Record<number, string> = { 429: '60', 503: '5' }

/** The methods of a resource's endpoints. */
const recordMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

/** Asserts a complete error response: status, exact envelope, common headers, Retry-After and Allow. `allowed`: the
 *  methods of the path. */
export function assertRefused(response: Response, code: Code, request = '', allowed = recordMethods): void {
  const status = statuses[code]
  assert.equal(`${response.status} ${response.body?.error?.code}`, `${status} ${code}`, request)
  const { message } = response.body.error
  assert.deepEqual(response.body.error, { code, message, status })
  assert.ok(typeof message === 'string' && message.length > 10)
  // A refused undo lists the conflicting records. A refused deletion may count the dependent records. A refused import
  // has only `details`.
  const additional = code !== 'conflict' ? additionalMembers[code] : Object.keys(response.body).slice(1)
  assert.deepEqual(Object.keys(response.body), ['error', ...(additional ?? [])])
  if (code === 'conflict') assert.match((additional ?? []).join(), /^details(,dependents|,records)?$/)
  assertCommonHeaders(response)
  assert.equal(response.headers['retry-after'], retryAfter[status])
  assert.equal(response.headers['www-authenticate'] === 'Bearer', status === 401)
  const methods = response.headers.allow?.split(', ').sort()
  assert.deepEqual(methods, code === 'method_not_allowed' ? allowed.toSorted() : undefined)
  seenCodes.add(code)
}

export function assertCommonHeaders(response: Response): void {
  assert.match(response.headers['x-request-id'] ?? '', /^[\x21-\x7e]{1,128}$/)
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
}

/** The id by which commands refer to a key: the ten characters after the prefix (contract §4). */
export function keyId(token: string): string {
  return token.slice(4, 14)
}

/** Sends requests of every kind, including some that are always refused. `path` selects the record for some of them.
 *  `reader`: a client with a read-only key. */
export function everyRequest(client: Client, reader: Client, path: string): Promise<Response>[] {
  return [
    client('GET', '/customers.php'),
    client('GET', path),
    client('GET', '/customers.php?id=9876'),
    client('GET', '/customers.php?id=x'),
    client('POST', '/customers.php', { name: 'x' }),
    client('POST', '/customers.php', { name: 'x' }, { 'idempotency-key': randomUUID() }),
    client('POST', '/customers.php', { name: '' }),
    client('POST', '/customers.php', '{'),
    client('POST', '/customers.php', { name: 'x' }, { 'idempotency-key': 'x' }),
    client('PUT', path, { name: 'x' }),
    client('PUT', '/customers.php', { name: 'x' }),
    client('DELETE', path),
    client('GET', '/nothing.php'),
    client('PATCH', path, {}),
    reader('POST', '/customers.php', { name: 'x' }),
  ]
}
