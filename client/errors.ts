import type { Error as Envelope, ErrorCode, FieldError } from './types.ts'

/** The service has refused a request, or could not answer it within the client's patience. */
export class TenantdeskError extends Error {
  override readonly name = 'TenantdeskError'
  readonly status: number
  /** What went wrong, for programs; undefined where something on the way answered in place of the service. */
  readonly code: ErrorCode | undefined
  /** By field, where the code is `validation_failed`; else empty. */
  readonly fields: Readonly<Record<string, FieldError>>
  /** What the database said, where the code is `conflict`. */
  readonly details: string | undefined
  /** To be quoted when asking for help: it finds the request in the service's log. */
  readonly requestId: string | undefined
  /** Seconds after which the request may be sent again. */
  readonly retryAfter: number | undefined

  constructor(response: Response, body: unknown) {
    const { error, errors, details } = (isEnvelope(body) ? body : {}) as Partial<Envelope> & Members
    super(error?.message ?? describe(response))
    this.status = response.status
    this.code = error?.code
    this.fields = errors ?? {}
    this.details = details
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = retryAfter(response)
  }
}

function describe(response: Response): string {
  // browsers show nothing of a redirect but that it is one
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  if (isRedirect) return 'The answer was a redirect, which is not followed: baseUrl is not the address of the service'
  return `The answer was ${response.status} ${response.statusText}`.trimEnd()
}

type Members = { errors?: Record<string, FieldError>; details?: string }

/** No answer came: the network failed until the client's patience was over. `cause` is the last failure. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(cause: unknown) {
    super('The service did not answer', { cause })
  }
}

/** The seconds of a `Retry-After` header; undefined where there is none, or a date. */
export function retryAfter(response: Response): number | undefined {
  const given = response.headers.get('retry-after')
  return given !== null && /^\d+$/.test(given) ? Number(given) : undefined
}

function isEnvelope(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
}
