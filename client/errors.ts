import type { BulkResult, Error as Envelope, ErrorCode, FieldError, UndoConflict } from './types.ts'

/** The service responded with an error, and retrying did not help within `patience`. */
export class TenantdeskError extends Error {
  override readonly name = 'TenantdeskError'
  readonly status: number
  /** The error code; undefined if something other than the service responded, such as a proxy. */
  readonly code: ErrorCode | undefined
  /** If the code is `validation_failed`, one error for each invalid field; otherwise empty. */
  readonly fields: Readonly<Record<string, FieldError>>
  /** If the code is `conflict`, the database's message, if there is one. */
  readonly details: string | undefined
  /** If the code is `conflict`, how many records of each resource prevent a deletion; otherwise empty. */
  readonly dependents: readonly Dependents[]
  /** If the code is `bulk_failed`, the outcome of each operation; otherwise empty. */
  readonly results: readonly BulkResult[]
  /** If the code is `conflict`, everything that prevents an undo; otherwise empty. */
  readonly records: readonly UndoConflict[]
  /** Identifies the request in the service's log. Quote it when you ask for help. */
  readonly requestId: string | undefined
  /** Seconds to wait before sending the request again. */
  readonly retryAfter: number | undefined

  constructor(response: Response, body: unknown) {
    const { error, errors, details, dependents, results, records } = (
      isEnvelope(body) ? body : {}
    ) as Partial<Envelope> & Members
    super(error?.message ?? describe(response))
    this.status = response.status
    this.code = error?.code
    this.fields = errors ?? {}
    this.details = details
    this.dependents = dependents ?? []
    this.results = results ?? []
    this.records = records ?? []
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = retryAfter(response)
  }
}

function describe(response: Response): string {
  // browsers hide the status and the headers of a redirect
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  if (isRedirect)
    return 'The response was a redirect, which the client does not follow: check that baseUrl is the URL of the API'
  return `The response was ${response.status} ${response.statusText}`.trimEnd()
}

type Members = {
  errors?: Record<string, FieldError>
  details?: string
  dependents?: Dependents[]
  results?: BulkResult[]
  records?: UndoConflict[]
}

type Dependents = { resource: string; count: number }

/** No response arrived within `patience`, because of network failures. `cause` is the last failure. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(cause: unknown) {
    super('The service did not respond', { cause })
  }
}

/** The number of seconds in a `Retry-After` header; undefined if the header is absent or contains a date. */
export function retryAfter(response: Response): number | undefined {
  const header = response.headers.get('retry-after')
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined
}

function isEnvelope(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
}
