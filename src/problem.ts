// The table of error codes: status, default message, and whether the response is stored for an Idempotency-Key.

/** One row per error code in §7 and in the contract. `isStored`: the response is stored, and a retry with the same
 *  Idempotency-Key receives the stored response. */
export const problems = {
  // Transport and authentication (§7): never stored, so that a retry is executed
  unauthorized: {
    status: 401,
    isStored: false,
    message: 'Send the API key in an Authorization: Bearer <api_key> header.',
  },
  invalid_key_format: {
    status: 401,
    isStored: false,
    message: 'An API key starts with tdk_ and is at least 40 characters long.',
  },
  invalid_key: { status: 401, isStored: false, message: 'This API key does not exist.' },
  key_revoked: { status: 401, isStored: false, message: 'This API key was revoked or has expired.' },
  tenant_suspended: {
    status: 403,
    isStored: false,
    message: 'The tenant is not active: its trial has ended or it is suspended.',
  },
  tenant_unavailable: {
    status: 503,
    isStored: false,
    message: "The tenant's database cannot be reached at the moment. Retry after the delay in Retry-After.",
  },
  forbidden: { status: 403, isStored: false, message: 'The API key lacks the scope for this endpoint and method.' },
  rate_limited: { status: 429, isStored: false, message: 'Too many requests. Wait until the window resets.' },
  method_not_allowed: { status: 405, isStored: false, message: 'This endpoint does not support the method.' },
  invalid_json: { status: 400, isStored: false, message: 'The body is not valid JSON.' },
  payload_too_large: { status: 413, isStored: false, message: 'The body is larger than this server accepts.' },
  headers_too_large: { status: 431, isStored: false, message: 'The request line and headers are larger than 16 KiB.' },
  query_too_slow: {
    status: 503,
    isStored: false,
    message: 'The list exceeded the time limit. Add a filter or sort by another field.',
  },
  server_busy: {
    status: 503,
    isStored: false,
    message: 'The server is overloaded. Retry after the delay in Retry-After.',
  },
  service_unavailable: {
    status: 503,
    isStored: false,
    message: 'The service is temporarily unavailable. Retry later.',
  },
  internal_error: { status: 500, isStored: false, message: 'Something went wrong on our side. Quote the request id.' },

  // Resources (§7): stored, except those about the key or a precondition
  not_found: { status: 404, isStored: true, message: 'There is no record with this id.' },
  missing_id: { status: 400, isStored: true, message: 'Specify the record in the query string: ?id=N.' },
  no_fields: { status: 400, isStored: true, message: 'The body contains no field that can be updated.' },
  invalid_request: { status: 400, isStored: true, message: 'A parameter is missing or invalid.' },
  validation_failed: { status: 422, isStored: true, message: 'Some fields are invalid.' },
  invalid_customer: { status: 422, isStored: true, message: 'There is no such customer.' },
  invalid_employee: { status: 422, isStored: true, message: 'There is no such employee.' },
  bulk_failed: {
    status: 422,
    isStored: true,
    message: 'Some operations failed, so none was applied. `results` has the outcome of each.',
  },
  not_applied: {
    status: 424,
    isStored: true,
    message: 'Not applied, because another operation in the request failed.',
  },
  conflict: { status: 409, isStored: true, message: 'Other records depend on this record.' },
  precondition_failed: {
    status: 412,
    isStored: false,
    message: 'The record has changed: its ETag is no longer the one in If-Match. Read it again.',
  },
  idempotency_key_reused: {
    status: 422,
    isStored: false,
    message: 'This Idempotency-Key has already been used for a different request.',
  },
} as const satisfies Record<string, { status: number; isStored: boolean; message: string }>

export type ProblemCode = keyof typeof problems

/** `missingScopes`: for `forbidden`, the scopes that the API key lacks. `message` and `status` override the table. Only
 *  HTTP parser errors override the `status`, because they all have the same code. `members`: additional top-level
 *  members of the body. `cause`: logged, but not sent to the caller. */
export type ProblemExtras = {
  message?: string
  missingScopes?: readonly string[]
  cause?: Error
  status?: number
  members?: Record<string, unknown>
  headers?: Record<string, string>
}

/** An error that the API reports with this code, status and message. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly members: Record<string, unknown>
  readonly missingScopes: readonly string[]
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, extras: ProblemExtras = {}) {
    super(extras.message ?? problems[code].message, extras)
    this.code = code
    this.status = extras.status ?? problems[code].status
    this.members = extras.members ?? {}
    this.missingScopes = extras.missingScopes ?? []
    this.headers = {
      ...(this.status === 503 && { 'retry-after': '5' }),
      ...challengeOf(this),
      ...extras.headers,
    }
  }
}

/** Returns the WWW-Authenticate header (RFC 6750 §3). */
function challengeOf({ status, missingScopes }: Problem): Record<string, string> {
  if (status === 401) return { 'www-authenticate': 'Bearer' }
  if (missingScopes.length === 0) return {}
  return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${missingScopes.join(' ')}"` }
}

/** Returns an error response's body (§7, Standard envelope), as JSON text. */
export function envelope(problem: Problem): string {
  return JSON.stringify({
    error: { code: problem.code, message: problem.message, status: problem.status },
    ...problem.members,
  })
}

/** Returns an `invalid_request` problem (400). `hint`: the parameter, what is wrong with it, and what to send instead
 *  (contract §6). */
export function invalidRequest(hint: string): Problem {
  return new Problem('invalid_request', { message: hint })
}
