// Sends a request and retries it after network failures and temporary errors. A retry never applies a change twice,
// because it has the same Idempotency-Key as the first attempt.

import { NoAnswerError, TenantdeskError } from './errors.ts'
import { forbiddenOrigin, isPage, noteResponse } from './page-origin.ts'
import { type Wait, waitToRetry } from './waits.ts'

/** `baseUrl`: the URL of the API, such as https://assets.example/api/v1. `patience`: how long a request may take
 *  including its retries, in milliseconds; two minutes by default. If it is 0, the request is sent once, without a time
 *  limit. `onWait`: called whenever the client waits before it sends a request again. */
export type Settings = {
  baseUrl: string
  key: string
  patience?: number
  onWait?: (wait: Wait) => void
  fetch?: typeof fetch
  signal?: AbortSignal
}

export type RequestOptions = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, unknown>
  body?: unknown
  /** A file that is sent as the body instead of JSON. `fileType`: its Content-Type. */
  file?: string | Uint8Array<ArrayBuffer> | Blob
  fileType?: string
  headers?: Record<string, string | undefined>
  signal?: AbortSignal
}

/** Metadata of a response. */
export type Meta = {
  /** The HTTP status. It is 201 if an upsert created the record. */
  status: number
  etag: string | undefined
  requestId: string | undefined
  /** Whether this is the stored response to an earlier request with the same Idempotency-Key. */
  isReplay: boolean
  /** The id of the change set of this request; undefined if the request did not change anything. */
  changeSet: string | undefined
  /** The rate limit of the API key; undefined if there is no limit. `resetsAt`: seconds since the epoch. */
  rateLimit: { limit: number; remaining: number; resetsAt: number } | undefined
}

export type Reply = { body: unknown; meta: Meta }

/** Statuses after which a retry may succeed. 500 is safe to retry because of the Idempotency-Key. */
const retryableStatuses = new Set([429, 500, 502, 503, 504])

/** The wait before a retry if the response has no Retry-After. It doubles with each retry, up to the maximum. */
const [firstBackoffMs, maxBackoffMs] = [200, 5000]
const defaultPatienceMs = 120_000

/** How often a request is retried whose response the browser may have refused to show: about five seconds. */
const maxRetriesOfForbiddenOrigin = 5

/** Throws TenantdeskError, NoAnswerError, or the reason of an aborted signal. Throws TypeError if the request is
 *  invalid. */
export function send(settings: Settings, options: RequestOptions): Promise<Reply> {
  return retry<Reply>(settings, options, async (response) => {
    if (response.status === 304) return { output: { body: undefined, meta: metaOf(response) } }
    const body = parseJson(await response.text())
    return response.ok && body !== undefined ? { output: { body, meta: metaOf(response) } } : { body }
  })
}

/** Returns the body of a successful response as a stream. `patience` limits the time until the body begins. Throws the
 *  same errors as send. */
export function openStream(settings: Settings, options: RequestOptions): Promise<ReadableStream<Uint8Array>> {
  return retry<ReadableStream<Uint8Array>>(settings, options, async (response) => {
    if (response.ok && response.body) return { output: response.body }
    return { body: parseJson(await response.text()) }
  })
}

/** Returns the body of a successful response as text. A byte order mark is kept. Throws the same errors as send. */
export function readText(settings: Settings, options: RequestOptions): Promise<string> {
  return retry<string>(settings, options, async (response) => {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
    return response.ok ? { output: text } : { body: parseJson(text) }
  })
}

/** Reads a response. Returns the output of a successful response, or the body of an error response. */
type Read<Output> = (response: Response) => Promise<{ output: Output } | { body: unknown }>

async function retry<Output>(settings: Settings, options: RequestOptions, read: Read<Output>): Promise<Output> {
  const { patience = defaultPatienceMs } = settings
  const deadline = Date.now() + patience
  const signal = AbortSignal.any([settings.signal, options.signal].filter((each) => each !== undefined))
  const timeout = new AbortController()
  const timer = patience > 0 ? setTimeout(() => timeout.abort(), patience) : undefined
  try {
    const sendOnce = prepare(settings, options, AbortSignal.any([signal, timeout.signal]))
    for (let retries = 0, backoffMs = firstBackoffMs; ; retries++, backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
      const outcome = await attempt(sendOnce, read, { ...options, signal, baseUrl: settings.baseUrl })
      if ('output' in outcome) return outcome.output
      if (outcome.isOriginForbidden && retries >= maxRetriesOfForbiddenOrigin) throw outcome.error
      const waitMs =
        outcome.retryAfter === undefined ? backoffMs * (0.5 + Math.random() / 2) : outcome.retryAfter * 1000
      if (!outcome.isRetryable || Date.now() + waitMs > deadline) throw outcome.error
      await waitToRetry(settings, outcome.error, waitMs / 1000, options.signal)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** `retryAfter`: seconds. `isOriginForbidden`: whether the service may not allow the page's origin. */
type Failure = {
  error: Error
  isRetryable: boolean
  retryAfter?: number | undefined
  isOriginForbidden?: boolean
}

type Send = () => Promise<Response>

async function attempt<Output>(
  sendOnce: Send,
  read: Read<Output>,
  { signal, baseUrl, ...options }: RequestOptions & { signal: AbortSignal; baseUrl: string },
): Promise<{ output: Output } | Failure> {
  try {
    const response = await sendOnce()
    noteResponse(baseUrl)
    if (response.headers.get('idempotency-mismatch') === 'true')
      return { error: reusedKey(response, options), isRetryable: false }
    const result = await read(response) // the connection may also break in the middle of the body
    if ('output' in result) return result
    const error = new TenantdeskError(response, result.body, options)
    return { error, isRetryable: retryableStatuses.has(response.status), retryAfter: error.retryAfter }
  } catch (error) {
    signal.throwIfAborted()
    return noAnswer(baseUrl, error)
  }
}

function noAnswer(baseUrl: string, cause: unknown): Failure {
  const origin = forbiddenOrigin(baseUrl, cause)
  if (origin === undefined) return { error: new NoAnswerError(cause), isRetryable: true }
  const message = `The service did not respond, or CORS_ORIGINS of the service does not contain ${origin}`
  return { error: new NoAnswerError(cause, message), isRetryable: true, isOriginForbidden: true }
}

/** A response to another request with the same Idempotency-Key looks like a success, but this change was not made. The
 *  error is the one of a service that rejects such requests. */
function reusedKey(response: Response, options: RequestOptions): TenantdeskError {
  const message = 'The Idempotency-Key was used for a different request, so this one was not executed.'
  const error = { status: response.status, code: 'idempotency_key_reused', message }
  return new TenantdeskError(response, { error }, options)
}

/** Browsers have a User-Agent of their own. */
const userAgent = isPage ? {} : { 'user-agent': 'tenantdesk-client' }

/** Prepares a request that can be sent repeatedly. */
function prepare(settings: Settings, options: RequestOptions, signal: AbortSignal): Send {
  const doFetch = settings.fetch ?? fetch
  const allHeaders = { ...userAgent, ...options.headers, authorization: `Bearer ${settings.key}` } as Record<
    string,
    string
  >
  if (options.body !== undefined) allHeaders['content-type'] = 'application/json'
  if (options.fileType !== undefined) allHeaders['content-type'] = options.fileType
  const definedHeaders = Object.entries(allHeaders).filter(([, value]) => value !== undefined)
  const json = options.body === undefined ? null : JSON.stringify(options.body)
  const body = options.file ?? json
  const fullUrl = settings.baseUrl.replace(/\/$/, '') + options.path + queryString(options.query ?? {})
  const { url, method, headers } = new Request(fullUrl, {
    method: options.method,
    headers: Object.fromEntries(definedHeaders),
  })
  return () => doFetch(url, { method, headers, body, redirect: 'manual', signal })
}

/** Formats arrays as comma-separated values, and objects as one parameter per member (`map[Title]=field`,
 *  `value[Title][cell]=text`). Omits
 *  undefined values. */
function queryString(query: Record<string, unknown>): string {
  const defined = Object.entries(query).filter(([, value]) => value !== undefined)
  const parameters = new URLSearchParams(defined.flatMap(([name, value]) => parametersOf(name, value)))
  return parameters.size > 0 ? `?${parameters}` : ''
}

function parametersOf(name: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, String(value)]]
  return Object.entries(value).flatMap(([member, each]) => parametersOf(`${name}[${member}]`, each))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // for example an HTML page from a proxy
  }
}

function metaOf({ status, headers }: Response): Meta {
  const limit = headers.get('x-ratelimit-limit')
  return {
    status,
    etag: headers.get('etag') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    changeSet: headers.get('change-set') ?? undefined,
    isReplay: headers.get('idempotent-replayed') === 'true',
    rateLimit:
      limit === null
        ? undefined
        : {
            limit: Number(limit),
            remaining: Number(headers.get('x-ratelimit-remaining')),
            resetsAt: Number(headers.get('x-ratelimit-reset')),
          },
  }
}
