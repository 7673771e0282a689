// One request, sent until it is answered: again after network failures and where the service says "later". That does nothing
// twice: what changes something carries an Idempotency-Key, and the same one each time.

import { NoAnswerError, retryAfter, TenantdeskError } from './errors.ts'

/** `baseUrl`: the address of the API, such as https://assets.example/api/v1. `patience`: how long a request may take with all
 *  its repetitions, in milliseconds (two minutes unless said otherwise; 0 sends it once, however long that takes). */
export type Settings = {
  baseUrl: string
  key: string
  patience?: number
  fetch?: typeof fetch
  signal?: AbortSignal
}

export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string | undefined>
  signal?: AbortSignal
}

/** What an answer says besides its record. */
export type Meta = {
  etag: string | undefined
  requestId: string | undefined
  /** Whether it is the answer to an earlier request with the same Idempotency-Key. */
  isReplay: boolean
  /** How the API key stands; undefined where the service has no limit. `resetsAt`: epoch seconds. */
  rateLimit: { limit: number; remaining: number; resetsAt: number } | undefined
}

export type Reply = { body: unknown; meta: Meta }

/** Answers after which the same request may succeed. A 500 is among them: with its key it does nothing twice. */
const worthRepeating = new Set([429, 500, 502, 503, 504])

/** Where the service does not say how long to wait: doubled each time up to the longest. Milliseconds. */
const [firstPause, longestPause] = [200, 5000]
const standardPatience = 120_000

/** Throws TenantdeskError, NoAnswerError, what the signal was aborted with, and TypeError for what cannot be sent. */
export async function send(settings: Settings, call: Call): Promise<Reply> {
  const { patience = standardPatience } = settings
  const end = Date.now() + patience
  const signal = AbortSignal.any([settings.signal, call.signal].filter((each) => each !== undefined))
  const limits = patience > 0 ? [signal, AbortSignal.timeout(patience)] : [signal]
  const exchange = prepare(settings, call, limits)
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    const outcome = await attempt(exchange, signal)
    if ('reply' in outcome) return outcome.reply
    const wait = outcome.after === undefined ? pause * (0.5 + Math.random() / 2) : outcome.after * 1000
    if (!outcome.isWorthRepeating || Date.now() + wait > end) throw outcome.error
    await sleep(wait, signal)
  }
}

type Failure = { error: Error; isWorthRepeating: boolean; after?: number | undefined }

type Exchange = () => Promise<{ response: Response; text: string }>

async function attempt(exchange: Exchange, signal: AbortSignal): Promise<{ reply: Reply } | Failure> {
  try {
    const { response, text } = await exchange()
    const body = parse(text)
    if (response.ok && body !== undefined) return { reply: { body, meta: metaOf(response) } }
    const error = new TenantdeskError(response, body)
    return { error, isWorthRepeating: worthRepeating.has(response.status), after: retryAfter(response) }
  } catch (error) {
    signal.throwIfAborted()
    return { error: new NoAnswerError(error), isWorthRepeating: true }
  }
}

/** A request that can be sent any number of times. An answer is there when all of it is: its text may be cut as well. */
function prepare(settings: Settings, call: Call, limits: AbortSignal[]): Exchange {
  const fetchOne = settings.fetch ?? fetch
  const given = { ...call.headers, authorization: `Bearer ${settings.key}` } as Record<string, string>
  if (call.body !== undefined) given['content-type'] = 'application/json'
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  const body = call.body === undefined ? null : JSON.stringify(call.body)
  const address = settings.baseUrl.replace(/\/$/, '') + call.path + search(call.query ?? {})
  const { url, method, headers } = new Request(address, { method: call.method, headers: Object.fromEntries(known) })
  return async () => {
    const response = await fetchOne(url, { method, headers, body, redirect: 'manual', signal: AbortSignal.any(limits) })
    return { response, text: await response.text() }
  }
}

/** Lists are given as words separated by commas; what is undefined is not asked. */
function search(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return parameters.size > 0 ? `?${parameters}` : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a proxy's page
  }
}

function metaOf({ headers }: Response): Meta {
  const limit = headers.get('x-ratelimit-limit')
  return {
    etag: headers.get('etag') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
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

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = deferred()
  const timer = setTimeout(resolve, milliseconds)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  })
}

function deferred() {
  let [resolve, reject] = [() => {}, (_reason: unknown) => {}]
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
