// The headers that every response has (contract §8), the request headers that are read for every route, and which of
// them are trusted.

import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyServerOptions } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

export const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

/** The headers that bound what browsers do with a response, which all responses have except the API's: a browser does
 *  not send an API key by itself, so an API response that it displays or embeds is a 401. Each header would cost every
 *  request about 2 % of its time. */
const browserHeaders = {
  // A browser that displays a response must not load anything else, and no page may frame the response. HTML pages have
  // a different policy.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // Prevents other sites from embedding responses. CORS requests are not affected (Fetch, "CORP check").
  'cross-origin-resource-policy': 'same-origin',
} as const

/** The headers of responses if the server has this public URL. */
export function headersOf(publicUrl: string): { ofApi: Record<string, string>; ofOthers: Record<string, string> } {
  const hasTls = publicUrl.startsWith('https:')
  const tlsHeaders = hasTls && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
  const ofApi = { ...commonHeaders, ...tlsHeaders }
  return { ofApi, ofOthers: { ...ofApi, ...browserHeaders } }
}

/** A request id consists of 1 to 128 visible ASCII characters. */
const validRequestId = /^[\x21-\x7e]{1,128}$/

/** Returns the client's X-Request-Id if it is safe in a header and a log line, otherwise a new id. */
export function requestId(request: { headers: IncomingHttpHeaders }): string {
  const requestIdHeader = request.headers['x-request-id']
  return typeof requestIdHeader === 'string' && validRequestId.test(requestIdHeader) ? requestIdHeader : randomUUID()
}

/** Whether the client already has the version with this entity tag. The comparison is weak (RFC 9110 §13.1.2), because
 *  a proxy may have turned the ETag into a weak one. */
export function isKnown(etag: string, ifNoneMatch = ''): boolean {
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}

/** Returns the security headers of HTML pages: a page may load resources only from this server, and may not use inline
 *  scripts or styles. `canSubmitForms`: whether the page may submit forms (to this server). */
export function pageHeaders(canSubmitForms: boolean): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      `form-action ${canSubmitForms ? "'self'" : "'none'"}`,
      "frame-ancestors 'none'",
    ].join('; '),
    // With no-referrer, a browser submits forms with the origin `null`, so this site could not recognize its own forms.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** Which X-Forwarded-* headers are trusted (contract §20). */
type Trust = Config['TRUST_PROXY']

/** Returns Fastify's `trustProxy` option. Converts a number of hops to a function, because Fastify would ignore a
 *  number and would not trust any proxy. */
export function trustedProxies(trust: Trust): NonNullable<FastifyServerOptions['trustProxy']> {
  return typeof trust === 'number' ? (_address, hop) => hop < trust : trust
}

export type ForwardedReader = {
  /** If TRUST_PROXY is set, removes untrusted forwarded headers before Fastify reads them. */
  read(headers: IncomingHttpHeaders): void
  /** Whether a request had an X-Forwarded-For header although TRUST_PROXY is not set. */
  hasIgnoredClient(): boolean
}

/** If TRUST_PROXY is not set, Fastify ignores all forwarded headers, and the first request with an X-Forwarded-For
 *  header causes a warning in the log. */
export function createForwardedReader(trust: Trust, log: Logger): ForwardedReader {
  let isWarned = false
  return {
    read(headers) {
      if (trust !== false) return clean(headers)
      if (isWarned || headers['x-forwarded-for'] === undefined) return
      isWarned = true
      log.warn(
        'ignored the X-Forwarded-For header of a request: if this server is behind a proxy, set TRUST_PROXY; until then every client appears to have the address of the proxy',
      )
    },
    hasIgnoredClient: () => isWarned,
  }
}

/** Keeps only the addresses after the last invalid entry of X-Forwarded-For, because earlier entries may be forged.
 *  Also keeps only the last X-Forwarded-Proto, and removes X-Forwarded-Host. */
function clean(headers: IncomingHttpHeaders): void {
  delete headers['x-forwarded-host']
  const { 'x-forwarded-for': chain, 'x-forwarded-proto': protocols } = headers
  if (typeof chain === 'string') {
    const addresses = chain.split(',').map((address) => address.trim())
    headers['x-forwarded-for'] = addresses
      .slice(addresses.findLastIndex((address) => isIP(address) === 0) + 1)
      .join(',')
  }
  if (typeof protocols === 'string') headers['x-forwarded-proto'] = readProtocol(protocols)
}

/** Returns the last protocol in the list, which the nearest proxy added; undefined if it is neither `http` nor
 *  `https`. */
function readProtocol(protocols: string): 'http' | 'https' | undefined {
  const last = protocols.split(',').at(-1)!.trim().toLowerCase()
  return last === 'http' || last === 'https' ? last : undefined
}

/** A request with a valid `traceparent` belongs to its caller's trace (https://www.w3.org/TR/trace-context/).
 *  `parentId`: the caller's span. `spanId`: this request's span. `flags`: the caller's flags, with unknown flags
 *  cleared, in hexadecimal. */
export type TraceContext = { traceId: string; parentId: string; spanId: string; flags: string }

declare module 'fastify' {
  interface FastifyRequest {
    trace?: TraceContext
  }
}

/** Matches a version, a trace id, a span id and flags. A later version may have more members after another hyphen. */
const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The flags that version 00 defines: `sampled` and `random-trace-id` (level 2). */
const knownFlags = 0b11

/** Returns undefined for an invalid header, as the specification requires. A repeated header is invalid too, because
 *  Node joins its values. */
export function readTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, parentId, flags, extension] = format.exec(header) ?? []
  if (!version || version === 'ff' || (version === '00' && extension !== undefined)) return undefined
  if (/^0+$/.test(traceId!) || /^0+$/.test(parentId!)) return undefined
  const validFlags = (Number.parseInt(flags!, 16) & knownFlags).toString(16).padStart(2, '0')
  return { traceId: traceId!, parentId: parentId!, spanId: newSpanId(), flags: validFlags }
}

/** Returns the response's `traceparent` header, which tells the client this request's span id. */
export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`
}

function newSpanId(): string {
  const id = randomBytes(8).toString('hex')
  return /^0+$/.test(id) ? newSpanId() : id
}
