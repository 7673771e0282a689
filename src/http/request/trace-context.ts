// W3C Trace Context (https://www.w3.org/TR/trace-context/): a request with a valid `traceparent` belongs to its
// caller's trace.

import { randomBytes } from 'node:crypto'

/** `parentId`: the caller's span. `spanId`: this request's span. `flags`: the caller's flags, with unknown flags
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
