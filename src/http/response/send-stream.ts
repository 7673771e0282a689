// Sends a body that is a stream. If the stream fails, the connection is closed without the last chunk, so that the
// client detects that the response is incomplete.

import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { TooSlow, Unavailable } from '../../engine/database/database.ts'
import { Problem } from '../../problem.ts'

/** A connection that transmits no data for this long is closed. */
const stalledAfterMs = 60_000

/** For HEAD, sends a response without a body and destroys the stream unread. `encode`: converts the stream before it is
 *  sent. */
export function sendStream(
  reply: FastifyReply,
  request: FastifyRequest,
  body: Readable,
  encode: (body: Readable) => Readable = (stream) => stream,
): FastifyReply {
  if (request.method === 'HEAD') {
    body.destroy()
    return reply.send()
  }
  body.once('error', (error) => {
    reply.problem = problemOf(error)
    if (reply.problem.code === 'internal_error')
      request.log.error({ requestId: request.id, err: error }, 'a stream failed')
  })
  reply.raw.setTimeout(stalledAfterMs, () => reply.raw.destroy())
  return reply.send(encode(body))
}

/** Returns the problem for the request log. The problem cannot be sent, because the response has already started. */
function problemOf(cause: Error): Problem {
  if (cause instanceof Problem) return cause
  if (cause instanceof Unavailable) return new Problem('tenant_unavailable', { cause })
  return cause instanceof TooSlow ? new Problem('query_too_slow', { cause }) : new Problem('internal_error')
}
