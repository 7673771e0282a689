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
  /** Seconds to wait before sending the request again: the smaller of `Retry-After` and the rest of the rate limit's
   *  window. */
  readonly retryAfter: number | undefined

  /** The request's method and path. */
  readonly request: string

  constructor(response: Response, body: unknown, { method, path }: { method: string; path: string }) {
    const { error, errors, details, dependents, results, records } = (
      isEnvelope(body) ? body : {}
    ) as Partial<Envelope> & Members
    const messages = [error?.message ?? describe(response), ...describeFields(errors ?? {})]
    super(`${messages.join(' ')} (${method} ${path})`)
    this.request = `${method} ${path}`
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

/** Returns a sentence for each field, such as `email: Must be an email address.` */
function describeFields(fields: Record<string, FieldError>): string[] {
  return Object.entries(fields).map(([name, { message }]) => `${name}: ${message}`)
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

/** No response arrived within `patience`, or a response broke off, because of network failures; or a browser refused to
 *  show the response. `cause` is the last failure. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(cause: unknown, message = 'The service did not respond') {
    super(message, { cause })
  }
}

/** The shortest wait for the rate limit, in seconds: the two clocks may differ slightly. */
const minLimitWaitSeconds = 0.5

/** Returns how many seconds to wait before the request may succeed; undefined if the response does not say. After a 429,
 *  the rate limit's window may end earlier than `Retry-After` says. */
function retryAfter({ status, headers }: Response): number | undefined {
  const seconds = numberIn(headers, 'retry-after')
  const resetsAt = status === 429 ? numberIn(headers, 'x-ratelimit-reset') : undefined
  if (resetsAt === undefined) return seconds
  // browsers hide the server's clock from pages of other origins
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  return Math.min(seconds ?? Number.POSITIVE_INFINITY, Math.max(resetsAt - now / 1000, minLimitWaitSeconds))
}

/** Returns the number in a header; undefined if there is none, for example because the header contains a date. */
function numberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined
}

function isEnvelope(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
}
